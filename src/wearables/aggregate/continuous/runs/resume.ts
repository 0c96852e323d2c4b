// Looks each minute for runs that a killed worker has left, and for those whose job was lost.
import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { Ctx } from '../../../../context.ts';
import { addJobs } from '../../../../db/define-job.ts';
import { acrossTeams } from '../../../../db/session/bind.ts';
import { inTransaction } from '../../../../db/transaction.ts';
import { runKind, spreadKind } from '../../../ask-for-runs.ts';
import { queryErasureKind } from '../delete.ts';

/** Longer than a run can last. */
const CUT_OFF_SECONDS = 180;
const OVERDUE_SECONDS = 60;
/** Of one look; the next one is a minute away. */
const MOST = 2_000;
const MOST_A_TEAM = 200;

/** Asks anew for what was cut off, as runs, spreads and erasures, and for what waits without a job: of each team a share, the longest overdue first. */
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
  const { rows: due } = await sql<Static<typeof runKind.payload> & { place: number }>`
    select team_id, user_id, query_id, place::integer
      from (
        select due.*, row_number() over (partition by team_id order by scheduled_at) as place
          from teams cross join lateral (
            select t.team_id, t.user_id, t.query_id, t.scheduled_at
              from continuous_query_tasks t join users on users.id = t.user_id
             where t.team_id = teams.id and t.status = 'scheduled' and users.deleted_at is null
               and t.scheduled_at <= now() - make_interval(secs => ${OVERDUE_SECONDS})
             order by t.scheduled_at limit ${MOST_A_TEAM}) as due
      ) as placed
     order by place, scheduled_at limit ${MOST}`.execute(db);
  await inTransaction(acrossTeams(ctx), async (tx) => {
    const runs = due.map(({ place, ...payload }) => ({ payload, behind: place, keepsMoment: true as const }));
    await addJobs(tx.db, runKind, runs);
    const { rows: spread } = await sql<Static<typeof spreadKind.payload>>`
      select team_id, id as query_id from continuous_queries
       where spread_after is not null and deleted_at is null and active`.execute(tx.db);
    const steps = spread.map((payload) => ({ payload, keepsMoment: true as const }));
    await addJobs(tx.db, spreadKind, steps);
    const { rows: deleted } = await sql<Static<typeof queryErasureKind.payload>>`
      select team_id, id as query_id from continuous_queries
       where deleted_at < now() - make_interval(secs => ${CUT_OFF_SECONDS})`.execute(tx.db);
    const erasures = deleted.map((payload) => ({ payload, keepsMoment: true as const }));
    await addJobs(tx.db, queryErasureKind, erasures);
  });
}
