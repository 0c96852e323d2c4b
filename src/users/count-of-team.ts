import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx } from '../context.ts';
import { countUsers } from './count-users.ts';
import type { MetricPoint, TeamMetrics } from './schemas.ts';

const WEEKS = 26;

/**
 * Returns the numbers of the caller's team. The numbers of users and of connections do not include users who are
 * scheduled for deletion.
 */
export async function countOfTeam(ctx: TeamCtx): Promise<Static<typeof TeamMetrics>> {
  const {
    rows: [counts],
  } = await sql<{ orders: number; connected: number; errored: number }>`
    with connected as (
      select count(*) as all, count(*) filter (where connections.status = 'error') as errored
        from connections join users on users.id = connections.user_id
       where connections.team_id = ${ctx.team.id} and users.deleted_at is null
    )
    select (select coalesce(sum(rows), 0)::bigint
              from totals where team_id = ${ctx.team.id} and list = 'orders') as orders,
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

/**
 * Returns for each of the last 26 weeks the number of connections that were made in this week, and the number of
 * connections that existed at its end. A week begins on Monday in UTC.
 */
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
