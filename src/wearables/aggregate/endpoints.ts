import { Type } from 'typebox';
import { endpoint, type Endpoint } from '../../http/endpoint.ts';
import { Uuid } from '../../wire/schema.ts';
import { runQueries } from './run-queries.ts';
import { AggregationResponse, QueryBatch } from './schemas.ts';

export const aggregateEndpoints: Endpoint[] = [
  endpoint({
    id: 'query_user',
    method: 'POST',
    path: '/aggregate/v1/user/{user_id}/query',
    tag: 'aggregate',
    params: Type.Object({ user_id: Uuid }),
    body: QueryBatch,
    response: AggregationResponse,
    summary: "Compute over a user's data",
    description:
      'Groups by the local calendar, where a sample was taken or else of the zone of the user. Of each day one source ' +
      'counts, unless the query groups by source: the first of provider_priority_overrides, then the kind of device that ' +
      'measures best. Nothing is summed across sources. Columns of an answer are called group_key.0, mean.heartrate.value ' +
      'or sum.activity.steps.',
    refusals: ['not_found', 'user_scheduled_for_deletion', 'too_many_matches'],
    handle: (ctx, { params: { user_id }, body }) => runQueries(ctx, user_id, body),
  }),
];
