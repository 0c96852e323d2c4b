// Looks each minute for polls that are due and for pulls whose job was lost with a killed worker.
import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { Ctx } from '../../context.ts';
import { addJobs } from '../../db/define-job.ts';
import { acrossTeams } from '../../db/session/bind.ts';
import { inTransaction } from '../../db/transaction.ts';
import { pollKind } from './poll-lease.ts';
import { pullKind } from './schedule.ts';

const OVERDUE_SECONDS = 60;
/** Of one run; the next one is a minute away. */
const MOST = 2_000;
const MOST_A_TEAM = 200;

/**
 * Asks for what is due: of each team a share, the longest overdue first. Keys keep jobs from gathering. What belongs to a
 * connection that brings nothing, or to a user who is leaving, is never due (pulls_follow_connections and
 * pulls_follow_users, triggers of the database), so no more is read than is asked for, but for what is held just now.
 */
export async function resumePulls(ctx: Ctx): Promise<void> {
  await inTransaction(acrossTeams(ctx), async ({ db }) => {
    const { rows: polls } = await sql<Static<typeof pollKind.payload> & { place: number }>`
      select team_id, user_id, provider, place::integer
        from (
          select due.*, row_number() over (partition by team_id order by due_at) as place
            from teams cross join lateral (
              select team_id, user_id, provider, due_at from polls
               where team_id = teams.id and due_at <= now() and (leased_until is null or leased_until < now())
               order by due_at limit ${MOST_A_TEAM}) as due
        ) as placed
       order by place, due_at limit ${MOST}`.execute(db);
    await addJobs(
      db,
      pollKind,
      polls.map(({ place, ...payload }) => ({ payload, behind: place, keepsMoment: true })),
    );
    const { rows: pulls } = await sql<Static<typeof pullKind.payload> & { place: number }>`
      select team_id, user_id, provider, resource, place::integer
        from (
          select due.*, row_number() over (partition by team_id order by due_at) as place
            from teams cross join lateral (
              select team_id, user_id, provider, resource, due_at from pulls
               where team_id = teams.id and ended_at is null and due_at < now() - make_interval(secs => ${OVERDUE_SECONDS})
                 and (leased_until is null or leased_until < now())
               order by due_at limit ${MOST_A_TEAM}) as due
        ) as placed
       order by place, due_at limit ${MOST}`.execute(db);
    await addJobs(
      db,
      pullKind,
      pulls.map(({ place, ...payload }) => ({ payload, behind: place, keepsMoment: true })),
    );
  });
}
