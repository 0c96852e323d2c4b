import { sql } from 'kysely';
import { Type } from 'typebox';
import type { Ctx, TeamCtx, TxCtx } from '../../context.ts';
import { defineJob } from '../../db/define-job.ts';
import { acrossTeams } from '../../db/session/bind.ts';
import { inTransaction } from '../../db/transaction.ts';

/** The most connections that one run pauses. The next run is a minute later. */
const MOST = 1_000;
/**
 * The number of days for which connections stay active after the user's last day of ingestion: the last day whose data
 * Phial stores. Data of this day may arrive late. A pull of the past that begins on this day may take several days.
 */
const PULL_DAYS = 7;

/**
 * Pauses connections of users whose last day of ingestion was more than seven days ago, because Phial does not store
 * data of later days. If a pull of the past is running, the connection is paused after the pull.
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

/** The job that calls pauseAfterLastDay every minute. */
export const pausing = defineJob({
  name: 'pause_after_last_day',
  payload: Type.Object({}),
  cron: { at: '* * * * *', payload: {} },
  run: (ctx) => pauseAfterLastDay(ctx),
});

/**
 * Whether the user's last day of ingestion has passed. Phial stores no data of later days, and a push then makes no
 * connection.
 */
export async function isAfterLastDay({ db, team }: TeamCtx | TxCtx<TeamCtx>, user: { id: string }): Promise<boolean> {
  const { rows } = await sql`
    select from users
     where id = ${user.id} and team_id = ${team.id}
       and ingestion_over_at(ingestion_end, fallback_time_zone) <= now()`.execute(db);
  return rows.length > 0;
}
