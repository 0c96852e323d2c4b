import type { TeamCtx } from '../../../context.ts';
import { findUser } from '../../../users/find.ts';
import { columnNames, columnTypes, type ResultType, type Table } from '../query-result.ts';
import { planOf } from '../read-query.ts';
import { findContinuousQuery } from './find.ts';

/**
 * Returns the result table of the user's last run, with the types of its columns. Before the first run the table has no
 * rows. Throws not_found for user or query, and user_scheduled_for_deletion.
 */
export async function resultTable(
  ctx: TeamCtx,
  userId: string,
  idOrSlug: string,
): Promise<{ table: Table; types: Map<string, ResultType> }> {
  const user = await findUser(ctx, userId);
  const query = await findContinuousQuery(ctx, idOrSlug);
  const row = await ctx.db
    .selectFrom('continuous_query_results')
    .select('result')
    .where('user_id', '=', user.id)
    .where('query_id', '=', query.id)
    .where('team_id', '=', ctx.team.id)
    .where('revision', '=', query.revision)
    .executeTakeFirst();
  const plan = planOf(query.query);
  const types = columnTypes(plan);
  if (!row) return { table: Object.fromEntries(columnNames(plan).map((name) => [name, []])), types };
  const rowKey = { team_id: ctx.team.id, id: `${user.id}/${query.id}` };
  return { table: ctx.cipher.openJson('continuous_query_results.result', rowKey, row.result), types };
}
