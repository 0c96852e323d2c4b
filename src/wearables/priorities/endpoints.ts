import { Type } from 'typebox';
import { endpoint, type Endpoint } from '../../http/endpoint.ts';
import { listPriorities } from './list.ts';
import { PriorityFilter, SourcePriority, SourcePriorityList } from './schemas.ts';
import { setPriorities } from './set.ts';

export const priorityEndpoints: Endpoint[] = [
  endpoint({
    id: 'list_source_priorities',
    method: 'GET',
    path: '/v2/team/source/priorities',
    tag: 'aggregate',
    query: PriorityFilter,
    response: Type.Array(SourcePriority),
    summary: 'List which providers count first',
    description:
      'Where several tell of the same. Everything is kept as it came: the order decides when data is computed with. ' +
      'The provider_priority_overrides of a query come before it.',
    handle: (ctx, { query: { data_type } }) => listPriorities(ctx, data_type ?? null),
  }),
  endpoint({
    id: 'set_source_priorities',
    method: 'PATCH',
    path: '/v2/team/source/priorities',
    tag: 'aggregate',
    body: SourcePriorityList,
    response: Type.Array(SourcePriority),
    summary: 'Choose which providers count first',
    description:
      'Kinds of data that are not named stay as they are. Answers the whole order. Continuous queries that follow it are computed anew.',
    handle: (ctx, { body }) => setPriorities(ctx, body),
  }),
];
