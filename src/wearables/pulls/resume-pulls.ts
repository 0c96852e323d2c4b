// Every minute, queues the polls that are due, and the pulls whose job was lost because a worker was killed.
import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { Ctx } from '../../context.ts';
import { addJobs } from '../../db/define-job.ts';
import { acrossTeams } from '../../db/session/bind.ts';
import { inTransaction } from '../../db/transaction.ts';
import { pollKind } from './poll-lease.ts';
import { pullKind } from './schedule-pulls.ts';

const OVERDUE_SECONDS = 60;
/** The most rows of one run. The next run is a minute later. */
const MOST = 2_000;
const MAX_A_TEAM = 200;

/**
 * Queues polls and pulls that are due. Each team gets a share. The polls and pulls that are longest overdue come first.
 * Job keys prevent duplicate jobs. If a connection can bring nothing, or its user is scheduled for deletion, its rows
 * are never due: the triggers pulls_follow_connections and pulls_follow_users set their time to infinity. So the
 * statement reads no rows in vain, except those that a process has leased.
 */
export async function resumePulls(ctx: Ctx): Promise<void> {
  await inTransaction(acrossTeams(ctx), async ({ db }) => {
    const { rows: polls } = await sql<Static<typeof pollKind.payload> & { position: number }>`
      select team_id, user_id, provider, position::integer
        from (
          select due.*, row_number() over (partition by team_id order by due_at) as position
            from teams cross join lateral (
              select team_id, user_id, provider, due_at from polls
               where team_id = teams.id and due_at <= now() and (leased_until is null or leased_until < now())
               order by due_at limit ${MAX_A_TEAM}) as due
        ) as positioned
       order by position, due_at limit ${MOST}`.execute(db);
    await addJobs(
      db,
      pollKind,
      polls.map(({ position, ...payload }) => ({ payload, behind: position, shouldPreserveRunAt: true })),
    );
    const { rows: pulls } = await sql<Static<typeof pullKind.payload> & { position: number }>`
      select team_id, user_id, provider, resource, position::integer
        from (
          select due.*, row_number() over (partition by team_id order by due_at) as position
            from teams cross join lateral (
              select team_id, user_id, provider, resource, due_at from pulls
               where team_id = teams.id and ended_at is null
                 and due_at < now() - make_interval(secs => ${OVERDUE_SECONDS})
                 and (leased_until is null or leased_until < now())
               order by due_at limit ${MAX_A_TEAM}) as due
        ) as positioned
       order by position, due_at limit ${MOST}`.execute(db);
    await addJobs(
      db,
      pullKind,
      pulls.map(({ position, ...payload }) => ({ payload, behind: position, shouldPreserveRunAt: true })),
    );
  });
}
