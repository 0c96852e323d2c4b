// Every minute, starts again those runs whose worker was killed and those whose job was lost.
import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { Ctx } from '../../../../context.ts';
import { addJobs } from '../../../../db/define-job.ts';
import { acrossTeams } from '../../../../db/session/bind.ts';
import { inTransaction } from '../../../../db/transaction.ts';
import { runKind, spreadKind } from '../../../ask-for-runs.ts';
import { queryErasureKind } from '../delete.ts';

/** A run that began longer ago than this has lost its worker, because a run ends within this time. */
const CUT_OFF_SECONDS = 180;
const OVERDUE_SECONDS = 60;
/** The most runs that one call resumes. The next call comes a minute later. */
const MOST = 2_000;
const MAX_A_TEAM = 200;

/**
 * Adds the jobs that are missing: for runs that wait or lost their worker, for spreads (spread-query.ts), and for
 * erasures. Each team gets a share of the runs. The runs that are longest overdue come first.
 */
export async function resumeRuns(ctx: Ctx): Promise<void> {
  const { db } = acrossTeams(ctx);
  await sql`
    with cut_off as (
      update continuous_query_tasks set status = 'failure', error = 'interrupted', ended_at = now()
       where status = 'in_progress' and started_at < now() - make_interval(secs => ${CUT_OFF_SECONDS})
      returning user_id, query_id, team_id
    )
    insert into continuous_query_tasks (user_id, query_id, team_id, scheduled_at)
    select c.user_id, c.query_id, c.team_id, now() - make_interval(secs => ${OVERDUE_SECONDS})
      from (select distinct user_id, query_id, team_id from cut_off) c
      join continuous_queries q on q.team_id = c.team_id and q.id = c.query_id and q.deleted_at is null
       for key share of q
    on conflict (user_id, query_id) where status = 'scheduled' do nothing`.execute(db);
  const { rows: due } = await sql<Static<typeof runKind.payload> & { position: number }>`
    select team_id, user_id, query_id, position::integer
      from (
        select due.*, row_number() over (partition by team_id order by scheduled_at) as position
          from teams cross join lateral (
            select t.team_id, t.user_id, t.query_id, t.scheduled_at
              from continuous_query_tasks t join users on users.id = t.user_id
             where t.team_id = teams.id and t.status = 'scheduled' and users.deleted_at is null
               and t.scheduled_at <= now() - make_interval(secs => ${OVERDUE_SECONDS})
             order by t.scheduled_at limit ${MAX_A_TEAM}) as due
      ) as positioned
     order by position, scheduled_at limit ${MOST}`.execute(db);
  await inTransaction(acrossTeams(ctx), async (tx) => {
    const runs = due.map(({ position, ...payload }) => ({
      payload,
      behind: position,
      shouldPreserveRunAt: true as const,
    }));
    await addJobs(tx.db, runKind, runs);
    const { rows: spread } = await sql<Static<typeof spreadKind.payload>>`
      select team_id, id as query_id from continuous_queries
       where spread_after is not null and deleted_at is null and active`.execute(tx.db);
    const steps = spread.map((payload) => ({ payload, shouldPreserveRunAt: true as const }));
    await addJobs(tx.db, spreadKind, steps);
    const { rows: deleted } = await sql<Static<typeof queryErasureKind.payload>>`
      select team_id, id as query_id from continuous_queries
       where deleted_at < now() - make_interval(secs => ${CUT_OFF_SECONDS})`.execute(tx.db);
    const erasures = deleted.map((payload) => ({ payload, shouldPreserveRunAt: true as const }));
    await addJobs(tx.db, queryErasureKind, erasures);
  });
}
