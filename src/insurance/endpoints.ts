import { Type } from 'typebox';
import { endpoint } from '../http/endpoint.ts';
import { Uuid } from '../wire/schema.ts';
import { createInsurance } from './create.ts';
import { createPayor } from './create-payor.ts';
import { findLatestInsurance } from './find-latest.ts';
import { Insurance, InsuranceInput, Payor, PayorInput, PayorSearch } from './schemas.ts';
import { searchPayors } from './search-payors.ts';

const tag = 'insurance';
const params = Type.Object({ user_id: Uuid });

export const insuranceEndpoints = [
  endpoint({
    id: 'create_insurance',
    method: 'POST',
    path: '/v2/user/{user_id}/insurance',
    tag,
    params,
    body: InsuranceInput,
    response: Insurance,
    summary: 'Add an insurance record to a user',
    description:
      'The company is filled in from the payor directory by payor_code; a payor_code that is not in it answers 400 ' +
      'unknown_payor. Every call adds a record; the newest primary one is billed.',
    refusals: ['not_found', 'user_scheduled_for_deletion', 'unknown_payor'],
    handle: (ctx, { params: { user_id }, body }) => createInsurance(ctx, user_id, body),
  }),
  endpoint({
    id: 'get_latest_insurance',
    method: 'GET',
    path: '/v2/user/{user_id}/insurance/latest',
    tag,
    params,
    response: Insurance,
    summary: "Read a user's newest insurance record",
    description: 'The newest primary record, or with is_primary=false the newest of the others.',
    query: Type.Object({ is_primary: Type.Optional(Type.Boolean({ default: true })) }),
    refusals: ['not_found', 'user_scheduled_for_deletion'],
    handle: (ctx, { params: { user_id }, query: { is_primary = true } }) =>
      findLatestInsurance(ctx, user_id, is_primary),
  }),
  endpoint({
    id: 'search_payors',
    method: 'GET',
    path: '/v3/insurance/search/payor',
    tag,
    query: PayorSearch,
    response: Type.Array(Payor),
    summary: 'Search payors by name, alias or external code',
    description:
      'Finds the payors of the platform and those that the team added, at most 100. Every word of insurance_name must occur ' +
      'in the name or in one alias. provider and provider_payor_id are a clearing house and its code. Each parameter narrows the search.',
    handle: (ctx, { query }) => searchPayors(ctx, query),
  }),
  endpoint({
    id: 'create_payor',
    method: 'POST',
    path: '/v3/payor',
    tag,
    body: PayorInput,
    response: Payor,
    summary: 'Add a payor of the team',
    description:
      'For a payor that the search does not find; only this team sees it. provider and provider_payor_id come together or not at all.',
    handle: (ctx, { body }) => createPayor(ctx, body),
  }),
];
