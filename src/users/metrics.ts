import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx } from '../context.ts';
import type { TeamMetrics } from './schemas.ts';

/** Counts of the caller's team. There are no connected sources yet, so their counts are those of an empty set. */
export async function countOfTeam(ctx: TeamCtx): Promise<Static<typeof TeamMetrics>> {
  const {
    rows: [counts],
  } = await sql<{ users: number; orders: number }>`
    select (select count(*) from users where team_id = ${ctx.team.id} and deleted_at is null) as users,
           (select count(*) from orders where team_id = ${ctx.team.id}) as orders`.execute(ctx.db);
  return {
    team_id: ctx.team.id,
    number_of_connected_sources: 0,
    number_of_users: counts?.users ?? 0,
    number_of_errored_connected_sources: 0,
    number_of_connected_sources_by_week: [],
    number_of_ordered_tests: counts?.orders ?? 0,
  };
}
