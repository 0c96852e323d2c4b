import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx } from '../context.ts';
import { countUsers } from './count.ts';
import type { MetricPoint, TeamMetrics } from './schemas.ts';

const WEEKS = 26;

/** Counts of the caller's team. Users that are scheduled for deletion count nowhere, nor do their connections. */
export async function countOfTeam(ctx: TeamCtx): Promise<Static<typeof TeamMetrics>> {
  const {
    rows: [counts],
  } = await sql<{ orders: number; connected: number; errored: number }>`
    with connected as (
      select count(*) as all, count(*) filter (where connections.status = 'error') as errored
        from connections join users on users.id = connections.user_id
       where connections.team_id = ${ctx.team.id} and users.deleted_at is null
    )
    select (select coalesce(sum(rows), 0)::bigint from totals where team_id = ${ctx.team.id} and list = 'orders') as orders,
           connected.all as connected, connected.errored
      from connected`.execute(ctx.db);
  return {
    team_id: ctx.team.id,
    number_of_connected_sources: counts?.connected ?? 0,
    number_of_users: await countUsers(ctx),
    number_of_errored_connected_sources: counts?.errored ?? 0,
    number_of_connected_sources_by_week: counts?.connected ? await countByWeek(ctx) : [],
    number_of_ordered_tests: counts?.orders ?? 0,
  };
}

/** Of each of the last weeks, which begin on Monday in UTC: connections made in it, and all there were by its end. */
async function countByWeek(ctx: TeamCtx): Promise<Static<typeof MetricPoint>[]> {
  const { rows } = await sql<Static<typeof MetricPoint>>`
    with week as (
      select generate_series(date_trunc('week', now(), 'UTC') - make_interval(weeks => ${WEEKS - 1}),
                             date_trunc('week', now(), 'UTC'), interval '1 week') as date
    ), made as (
      select date_trunc('week', connections.created_at, 'UTC') as date, count(*) as value
        from connections join users on users.id = connections.user_id
       where connections.team_id = ${ctx.team.id} and users.deleted_at is null
       group by 1
    )
    select week.date,
           coalesce((select value from made where made.date = week.date), 0) as value,
           coalesce((select sum(value) from made where made.date <= week.date), 0) as "all"
      from week order by week.date`.execute(ctx.db);
  return rows;
}
