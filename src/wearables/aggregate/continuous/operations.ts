import { Type, type Static } from 'typebox';
import { operation, type Operation } from '../../../operation/operation.ts';
import { asksFor, orFile } from '../../../operation/media.ts';
import { ofTeam, TEAM_PATH } from '../../../tenancy/team-paths.ts';
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
const beta = 'continuous_queries';
const auth = 'management_key';
const item = Type.Object({ ...ofTeam.properties, query_id: Uuid });
const ofUser = '/aggregate/v1/user/{user_id}/continuous_query/{query_id_or_slug}';
const userAndQuery = Type.Object({
  user_id: Uuid,
  query_id_or_slug: Text(100, { description: 'Id or slug of the continuous query.' }),
});

export const continuousQueryOperations: Operation[] = [
  operation({
    id: 'list_continuous_queries',
    method: 'GET',
    path: `${TEAM_PATH}/continuous_query`,
    tag,
    beta,
    auth,
    scope: 'team',
    params: ofTeam,
    response: ContinuousQueryList,
    summary: 'List continuous queries',
    description: 'All continuous queries of the team, in the order of creation.',
    handle: async (ctx) => ({ data: await listContinuousQueries(ctx) }),
  }),
  operation({
    id: 'create_continuous_query',
    method: 'POST',
    path: `${TEAM_PATH}/continuous_query`,
    tag,
    beta,
    auth,
    scope: 'team',
    params: ofTeam,
    query: ChosenQueryType,
    body: ContinuousQueryInput,
    response: ContinuousQuery,
    summary: 'Create a continuous query',
    description:
      'The query is computed for each user who has data that it reads, within some seconds of each change of that ' +
      "data. It is computed up to half a minute after a change of the user's time zone or of the team's order of " +
      'providers. GET /aggregate/v1/user/{user_id}/continuous_query/{query_id_or_slug}/result_table returns the ' +
      'table. The event continuous_query.result_table.changed contains its new rows. A table has at most 2,000 rows ' +
      'and 20,000 values.',
    refusals: ['limit_reached', 'slug_taken'],
    handle: (ctx, { query, body }) => createContinuousQuery(ctx, inputOf(query, body)),
  }),
  operation({
    id: 'validate_continuous_query',
    method: 'POST',
    path: `${TEAM_PATH}/validate_continuous_query`,
    tag,
    beta,
    auth,
    scope: 'team',
    params: ofTeam,
    query: ChosenQueryType,
    body: ContinuousQueryInput,
    response: ContinuousQueryValidation,
    summary: 'Try a continuous query',
    description:
      'Says whether the query could be created. An invalid query is answered with 422 and the location of the ' +
      'mistake, as by its creation. Nothing is changed.',
    handle: (ctx, { query, body }) => validateContinuousQuery(ctx, inputOf(query, body)),
  }),
  operation({
    id: 'patch_continuous_query',
    method: 'PATCH',
    path: `${TEAM_PATH}/continuous_query/{query_id}`,
    tag,
    beta,
    auth,
    scope: 'team',
    params: item,
    body: ContinuousQueryPatch,
    response: ContinuousQuery,
    summary: 'Change a continuous query',
    description:
      'Keys that are left out or null stay as they are. After a change of query, timeframe or config, the query is ' +
      'computed again for all users, and their tables are empty until then. While the query is not active, its ' +
      'tables do not change.',
    refusals: ['slug_taken'],
    handle: (ctx, { params, body }) => patchContinuousQuery(ctx, params.query_id, body),
  }),
  operation({
    id: 'delete_continuous_query',
    method: 'DELETE',
    path: `${TEAM_PATH}/continuous_query/{query_id}`,
    tag,
    beta,
    auth,
    scope: 'team',
    params: item,
    response: DeletedContinuousQuery,
    summary: 'Delete a continuous query',
    description: 'The query is deleted at once. Its tables and runs are erased in the background.',
    handle: async (ctx, { params }) => {
      await deleteContinuousQuery(ctx, params.query_id);
      return { success: true };
    },
  }),
  operation({
    id: 'get_result_table',
    method: 'GET',
    path: `${ofUser}/result_table`,
    tag,
    beta,
    params: userAndQuery,
    headers: ['accept'],
    response: orFile(AggregationResult, PARQUET),
    summary: 'Read the table of a continuous query',
    description:
      'The last computed table of the user. Before the first computation its columns are empty. With the header ' +
      `Accept: ${PARQUET} the response is a Parquet file.`,
    refusals: ['not_found', 'user_scheduled_for_deletion'],
    handle: async (ctx, { params, headers }) => {
      const { table, types } = await resultTable(ctx, params.user_id, params.query_id_or_slug);
      return asksFor(headers['accept'] ?? null, PARQUET) ? toParquet({ table }, types) : { table };
    },
  }),
  operation({
    id: 'list_continuous_query_tasks',
    method: 'GET',
    path: `${ofUser}/task_history`,
    tag,
    beta,
    params: userAndQuery,
    query: Type.Object({
      next_cursor: Type.Optional(Cursor({ isKey: isNumberOfTask })),
      limit: withDefault(Type.Integer({ minimum: 1, maximum: 100 }), 50),
    }),
    response: ContinuousQueryTaskHistory,
    summary: 'List the runs of a continuous query',
    description: 'Runs for one user, the newest first. The last 100 are stored, for the retention time of events.',
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
