import { operation } from '../../operation/operation.ts';
import { describeArea } from './area.ts';
import { AreaInfo, AreaQuery, CentersInfo, CentersQuery } from './schemas.ts';
import { listServiceCenters } from './service-centers.ts';

const tag = 'places';

export const locationOperations = [
  operation({
    id: 'get_area_info',
    method: 'GET',
    path: '/v3/order/area/info',
    tag,
    query: AreaQuery,
    response: AreaInfo,
    summary: 'Read what is possible for patients of a zip code',
    description:
      'The service locates a zip code by its first three digits: half of all zip codes are 20 miles or more from ' +
      'the main town of these digits. An unknown zip code has no providers and no sites. In production no provider ' +
      'visits patients until a scheduler is connected.',
    refusals: ['not_found'],
    handle: (ctx, { query: { radius, lab, labs = [], ...asked } }) =>
      describeArea(ctx, { ...asked, radius, labs: lab === undefined ? labs : [lab, ...labs] }),
  }),
  operation({
    id: 'get_psc_info',
    method: 'GET',
    path: '/v3/order/psc/info',
    tag,
    query: CentersQuery,
    response: CentersInfo,
    summary: "List a laboratory's patient service centers around a zip code",
    description:
      'The nearest first. Distances are from the main town of the first three digits of the zip code: half of all ' +
      'zip codes are 20 miles or more from it.',
    refusals: ['not_found', 'lab_account_of_other_lab'],
    handle: (ctx, { query }) => listServiceCenters(ctx, query),
  }),
];
