import { Type, type Static } from 'typebox';
import { endpoint, type Endpoint } from '../../../http/endpoint.ts';
import { asksFor, orFile } from '../../../http/media.ts';
import { ofTeam, TEAM_PATH } from '../../../tenancy/places.ts';
import { Cursor, Text, Uuid, withDefault } from '../../../wire/schema.ts';
import { PARQUET, toParquet } from '../parquet/parquet.ts';
import { AggregationResult } from '../schemas.ts';
import { createContinuousQuery, type QueryInput } from './create.ts';
import { deleteContinuousQuery } from './delete.ts';
import { listContinuousQueries } from './find.ts';
import { patchContinuousQuery } from './patch.ts';
import { resultTable } from './result-table.ts';
import {
  ChosenQueryType,
  ContinuousQuery,
  ContinuousQueryInput,
  ContinuousQueryList,
  ContinuousQueryPatch,
  ContinuousQueryTaskHistory,
  ContinuousQueryValidation,
  DeletedContinuousQuery,
} from './schemas.ts';
import { isNumberOfTask, taskHistory } from './task-history.ts';
import { validateContinuousQuery } from './validate.ts';

const tag = 'continuous_queries';
const closedBeta = 'continuous_queries';
const auth = 'management_key';
const item = Type.Object({ ...ofTeam.properties, query_id: Uuid });
const ofUser = '/aggregate/v1/user/{user_id}/continuous_query/{query_id_or_slug}';
const userAndQuery = Type.Object({
  user_id: Uuid,
  query_id_or_slug: Text(100, { description: 'Id or slug of the continuous query.' }),
});

export const continuousQueryEndpoints: Endpoint[] = [
  endpoint({
    id: 'list_continuous_queries',
    method: 'GET',
    path: `${TEAM_PATH}/continuous_query`,
    tag,
    closedBeta,
    auth,
    scope: 'team',
    params: ofTeam,
    response: ContinuousQueryList,
    summary: 'List continuous queries',
    description: 'All of the team, in the order they were made.',
    handle: async (ctx) => ({ data: await listContinuousQueries(ctx) }),
  }),
  endpoint({
    id: 'create_continuous_query',
    method: 'POST',
    path: `${TEAM_PATH}/continuous_query`,
    tag,
    closedBeta,
    auth,
    scope: 'team',
    params: ofTeam,
    query: ChosenQueryType,
    body: ContinuousQueryInput,
    response: ContinuousQuery,
    summary: 'Create a continuous query',
    description:
      'It is computed for each user who has what it reads, within some seconds of each change of that, and up to half a minute after ' +
      "one of the time zone of the user or of the team's order of providers: the table is read at " +
      'GET /aggregate/v1/user/{user_id}/continuous_query/{query_id_or_slug}/result_table, and its new rows are told by the event ' +
      'continuous_query.result_table.changed. A table has at most 2,000 rows and 20,000 values.',
    refusals: ['limit_reached', 'slug_taken'],
    handle: (ctx, { query, body }) => createContinuousQuery(ctx, inputOf(query, body)),
  }),
  endpoint({
    id: 'validate_continuous_query',
    method: 'POST',
    path: `${TEAM_PATH}/validate_continuous_query`,
    tag,
    closedBeta,
    auth,
    scope: 'team',
    params: ofTeam,
    query: ChosenQueryType,
    body: ContinuousQueryInput,
    response: ContinuousQueryValidation,
    summary: 'Try a continuous query',
    description:
      'Whether it could be created as it is. What its own text shows is 422 with its place, here as there. Nothing is changed.',
    handle: (ctx, { query, body }) => validateContinuousQuery(ctx, inputOf(query, body)),
  }),
  endpoint({
    id: 'patch_continuous_query',
    method: 'PATCH',
    path: `${TEAM_PATH}/continuous_query/{query_id}`,
    tag,
    closedBeta,
    auth,
    scope: 'team',
    params: item,
    body: ContinuousQueryPatch,
    response: ContinuousQuery,
    summary: 'Change a continuous query',
    description:
      'What is left out or null stays as it is. With another query, timeframe or config all users are computed anew, and have an ' +
      'empty table until then. While it is not active its tables stay as they are.',
    refusals: ['slug_taken'],
    handle: (ctx, { params, body }) => patchContinuousQuery(ctx, params.query_id, body),
  }),
  endpoint({
    id: 'delete_continuous_query',
    method: 'DELETE',
    path: `${TEAM_PATH}/continuous_query/{query_id}`,
    tag,
    closedBeta,
    auth,
    scope: 'team',
    params: item,
    response: DeletedContinuousQuery,
    summary: 'Delete a continuous query',
    description: 'It is not found any more; its tables and runs are erased in the background.',
    handle: async (ctx, { params }) => {
      await deleteContinuousQuery(ctx, params.query_id);
      return { success: true };
    },
  }),
  endpoint({
    id: 'get_result_table',
    method: 'GET',
    path: `${ofUser}/result_table`,
    tag,
    closedBeta,
    params: userAndQuery,
    headers: ['accept'],
    response: orFile(AggregationResult, PARQUET),
    summary: 'Read the table of a continuous query',
    description:
      'As it was computed last for the user. Before that its columns have no values. With the header ' +
      `Accept: ${PARQUET} the answer is a Parquet file.`,
    refusals: ['not_found', 'user_scheduled_for_deletion'],
    handle: async (ctx, { params, headers }) => {
      const { table, types } = await resultTable(ctx, params.user_id, params.query_id_or_slug);
      return asksFor(headers['accept'] ?? null, PARQUET) ? toParquet({ table }, types) : { table };
    },
  }),
  endpoint({
    id: 'list_continuous_query_tasks',
    method: 'GET',
    path: `${ofUser}/task_history`,
    tag,
    closedBeta,
    params: userAndQuery,
    query: Type.Object({
      next_cursor: Type.Optional(Cursor({ isKey: isNumberOfTask })),
      limit: withDefault(Type.Integer({ minimum: 1, maximum: 100 }), 50),
    }),
    response: ContinuousQueryTaskHistory,
    summary: 'List the runs of a continuous query',
    description: 'For one user, the newest first. The last 100 are kept, for as long as events are.',
    refusals: ['not_found', 'user_scheduled_for_deletion', 'invalid_cursor'],
    handle: async (ctx, { params, query: { next_cursor = null, limit } }) => {
      return taskHistory(ctx, params, { next_cursor, limit });
    },
  }),
];

const inputOf = (
  { query_type = 'team' }: Static<typeof ChosenQueryType>,
  body: Static<typeof ContinuousQueryInput>,
): QueryInput => ({ ...body, query_type });
