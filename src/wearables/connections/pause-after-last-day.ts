import { sql } from 'kysely';
import { Type } from 'typebox';
import type { Ctx, TeamCtx, TxCtx } from '../../context.ts';
import { defineJob } from '../../db/define-job.ts';
import { acrossTeams } from '../../db/session/bind.ts';
import { inTransaction } from '../../db/transaction.ts';

/** Of one run; the next one is a minute away. */
const MOST = 1_000;
/** As long as data may come late, a pull of the past that was asked for afterwards may take. */
const PULL_DAYS = 7;

/**
 * Pauses what has brought nothing for seven days that could be kept: the last day of which its user's data is taken lies
 * further back (record 168). A pull of the past that is under way is let come to its end.
 */
export async function pauseAfterLastDay(ctx: Ctx): Promise<void> {
  await inTransaction(acrossTeams(ctx), async ({ db }) => {
    await sql`
      update connections set status = 'paused', updated_at = now()
       where (user_id, provider) in (
         select user_id, provider from connections c
          where pauses_at <= now() and not exists (
            select from pulls where pulls.user_id = c.user_id and pulls.provider = c.provider and pulls.ended_at is null
               and scheduled_at > now() - make_interval(days => ${PULL_DAYS}))
          order by pauses_at limit ${MOST} for update skip locked)`.execute(db);
  });
}

/** Looks each minute. */
export const pausing = defineJob({
  name: 'pause_after_last_day',
  payload: Type.Object({}),
  cron: { at: '* * * * *', payload: {} },
  run: (ctx) => pauseAfterLastDay(ctx),
});

/** Whether that is so of a user: what is sent afterwards connects nobody. */
export async function isAfterLastDay({ db, team }: TeamCtx | TxCtx<TeamCtx>, user: { id: string }): Promise<boolean> {
  const { rows } = await sql`
    select from users
     where id = ${user.id} and team_id = ${team.id} and ingestion_over_at(ingestion_end, fallback_time_zone) <= now()`.execute(
    db,
  );
  return rows.length > 0;
}
