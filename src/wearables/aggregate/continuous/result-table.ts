import type { Static } from 'typebox';
import type { TeamCtx } from '../../../context.ts';
import { findUser } from '../../../users/find.ts';
import { columnNames } from '../query-sql.ts';
import type { AggregationResult } from '../schemas.ts';
import { findContinuousQuery } from './find.ts';

/**
 * The table that was computed last for the user; before the first one, its columns without a row. Throws not_found for
 * user or query, user_scheduled_for_deletion.
 */
export async function resultTable(
  ctx: TeamCtx,
  userId: string,
  idOrSlug: string,
): Promise<Static<typeof AggregationResult>> {
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
  if (!row) return { table: Object.fromEntries(columnNames(query.query).map((name) => [name, []])) };
  const place = { team_id: ctx.team.id, id: `${user.id}/${query.id}` };
  return { table: ctx.cipher.openJson('continuous_query_results.result', place, row.result) };
}
