import { Type } from 'typebox';
import { operation, type Operation } from '../../operation/operation.ts';
import { listPriorities } from './list.ts';
import { PriorityFilter, SourcePriority, SourcePriorityList } from './schemas.ts';
import { setPriorities } from './set.ts';

export const priorityOperations: Operation[] = [
  operation({
    id: 'list_source_priorities',
    method: 'GET',
    path: '/v2/team/source/priorities',
    tag: 'aggregate',
    query: PriorityFilter,
    response: Type.Array(SourcePriority),
    summary: 'List which providers count first',
    description:
      'The order counts where several providers report the same. All data is stored as it came; the ' +
      'order only decides which data an aggregate uses. The provider_priority_overrides of a query ' +
      'come before it.',
    handle: (ctx, { query: { data_type } }) => listPriorities(ctx, data_type ?? null),
  }),
  operation({
    id: 'set_source_priorities',
    method: 'PATCH',
    path: '/v2/team/source/priorities',
    tag: 'aggregate',
    body: SourcePriorityList,
    response: Type.Array(SourcePriority),
    summary: 'Choose which providers count first',
    description:
      'Kinds of data that are not named keep their order. The response has the whole order. Continuous ' +
      'queries that follow it are computed anew.',
    handle: (ctx, { body }) => setPriorities(ctx, body),
  }),
];
