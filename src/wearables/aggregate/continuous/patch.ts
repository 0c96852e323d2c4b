import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx, TxCtx } from '../../../context.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { lockLimit } from '../../../tenancy/limits.ts';
import { forgetQueries } from '../../ask-for-runs.ts';
import { computedFrom, slugTaken } from './create.ts';
import { findContinuousQuery, QUERY_COLUMNS, type QueryRow } from './find.ts';
import { spreadQuery } from './runs/spread-query.ts';
import type { ContinuousQueryPatch } from './schemas.ts';

/**
 * Changes the given parts of a query. If its timeframe, query or config changes, Phial computes the query again for all
 * users. Until then the users have no result table. Throws not_found, slug_taken.
 */
export function patchContinuousQuery(
  ctx: TeamCtx,
  id: string,
  patch: Static<typeof ContinuousQueryPatch>,
): Promise<QueryRow> {
  return inTransaction(ctx, async (ctx) => {
    const { db, team } = ctx;
    await sql`select from continuous_queries where team_id = ${team.id} and id = ${id} for no key update`.execute(db);
    const before = await findContinuousQuery(ctx, id);
    const slug = patch.slug ?? before.slug;
    if (slug !== before.slug && (await isTaken(ctx, slug))) throw slugTaken(slug);
    const computed = {
      timeframe: patch.timeframe ?? before.timeframe,
      query: patch.query ?? before.query,
      config: patch.config ?? before.config,
    };
    const differs = (['timeframe', 'query', 'config'] as const).some(
      (part) => !isDeepStrictEqual(computed[part], before[part]),
    );
    const active = patch.active ?? before.active;
    const after = await db
      .updateTable('continuous_queries')
      .set({
        title: patch.title ?? before.title,
        slug,
        active,
        ...computedFrom(computed),
        revision: before.revision + Number(differs),
        updated_at: sql<string>`now()`,
      })
      .where('team_id', '=', team.id)
      .where('id', '=', id)
      .returning(QUERY_COLUMNS)
      .executeTakeFirstOrThrow();
    if (active && (differs || !before.active)) await spreadQuery(ctx, id);
    forgetQueries(team.id);
    return after as QueryRow;
  });
}

/**
 * Whether another query of the team has the slug. The lock makes concurrent changes wait for each other, so that two
 * queries cannot take one slug. createContinuousQuery takes the same lock for its limit.
 */
async function isTaken(ctx: TxCtx<TeamCtx>, slug: string): Promise<boolean> {
  const { db, team } = ctx;
  await lockLimit(ctx, 'continuousQueriesPerTeam', team.id);
  const { rows } = await sql`
    select from continuous_queries where team_id = ${team.id} and slug = ${slug} and deleted_at is null`.execute(db);
  return rows.length > 0;
}
