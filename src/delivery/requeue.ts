import { sql } from 'kysely';
import type { TeamCtx, TxCtx } from '../context.ts';
import { userLeaves } from '../events/held.ts';
import { wakeLanes } from './lanes/lanes.ts';
import { RETRY_DELAYS_SECONDS } from './schedule.ts';

/** Of one event to one receiver. What was tried so often is not queued again: attempts are counted in two bytes. */
export const MOST_ATTEMPTS = 1_000;

type Pair = { webhook_id: string; event_id: string };

/**
 * Queues an event for a receiver of the team again, due at once; whether it waits now. The number of the next attempt goes on
 * from those that were made, a retry that waits becomes due instead of running beside the new one, and a first attempt that
 * waits is made among the retries. While an attempt is under way another is made behind it, once however often that is asked. Where it fails, a schedule that still ran goes on, and nothing follows where the delivery was done with.
 * Left out are events and receivers that are gone, an event that tells of a user who is scheduled for deletion, and what was
 * tried MOST_ATTEMPTS times. For a disabled receiver it waits. What is a test stays one, whoever asks for it.
 *
 * The owner of a lane writes outcomes past whatever is locked. So the row that waits is locked first, that of a first attempt
 * before the one that it becomes when it fails, and what is then in neither queue had its outcome logged: only behind both
 * locks are attempts counted. Nobody tells whether an attempt is under way: its outcome finds that the row's count has risen.
 */
export async function requeueDelivery(ctx: TxCtx<TeamCtx>, pair: Pair, trigger: 'resend' | 'test'): Promise<boolean> {
  if (!(await moveFirst(ctx, pair, trigger))) {
    await lockRetry(ctx, pair);
    if (!(await makeDue(ctx, pair, trigger))) return false;
  }
  await wakeLanes(ctx.db, [pair.webhook_id]);
  return true;
}

/**
 * Moves a first attempt to the retries, which are counted; whether there was one. Under way it is settled there. Planned each time:
 * a plan from when nothing waited would be kept.
 */
async function moveFirst({ db, team }: TxCtx<TeamCtx>, pair: Pair, trigger: 'resend' | 'test'): Promise<boolean> {
  const { numAffectedRows } = await sql`
    with gone as (
      delete from deliveries where ctid = any (array (
        select row.ctid from (
          select ctid, team_id from ${sql.table('deliveries')} where ${isOf(pair)} order by webhook_id, event_id limit 1 for update
        ) as row where team_id = ${team.id}))
      returning webhook_id, event_id, team_id
    )
    insert into retries (webhook_id, event_id, team_id, attempt, due_at, trigger, asked)
    select webhook_id, event_id, team_id, 0, now(), ${trigger}, 1 from gone
    on conflict do nothing`.execute(db);
  return Number(numAffectedRows) > 0;
}

async function lockRetry({ db }: TxCtx<TeamCtx>, pair: Pair): Promise<void> {
  await sql`
    select from ${sql.table('retries')} where ${isOf(pair)} order by webhook_id, event_id limit 1 for update`.execute(
    db,
  );
}

const isOf = ({ webhook_id, event_id }: Pair) => sql`
  (webhook_id, event_id) between (${webhook_id}::uuid, ${event_id}::uuid) and (${webhook_id}::uuid, ${event_id}::uuid)`;

/**
 * By a statement of its own, which sees the attempts that ended while rows were waited for. The schedule of what enters the
 * queue is at its last attempt. Looked up row by row, and planned each time, as the erasure's statements.
 */
async function makeDue(
  { db, team }: TxCtx<TeamCtx>,
  { webhook_id, event_id }: Pair,
  trigger: 'resend' | 'test',
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into retries (webhook_id, event_id, team_id, attempt, due_at, asked, trigger, schedule_from)
    select receiver.id, event.id, ${team.id}::uuid, made.attempts, now(), 1,
           case when event.test_for is null then ${trigger} else 'test' end, made.attempts - ${RETRY_DELAYS_SECONDS.length}::smallint
      from (
        select id, user_id, test_for from ${sql.table('events')} where team_id = ${team.id} and id = ${event_id}::uuid limit 1
      ) as event
     cross join lateral (
       select id from webhooks
        where id = ${webhook_id}::uuid and team_id = ${team.id} and id = coalesce(event.test_for, id) limit 1
     ) as receiver
     cross join lateral (
       select coalesce(max(attempt), 0)::smallint as attempts from attempts
        where attempts.team_id = ${team.id} and attempts.event_id = event.id and attempts.webhook_id = receiver.id
     ) as made
      left join lateral (
       select true as leaves from users where users.id = event.user_id and ${userLeaves} limit 1
     ) as about on true
     where made.attempts < ${MOST_ATTEMPTS} and about.leaves is null
    on conflict (webhook_id, event_id) do update
      set due_at = least(retries.due_at, excluded.due_at), trigger = excluded.trigger,
          asked = coalesce(retries.asked, 0) % 30000 + 1`.execute(db);
  return Number(numAffectedRows) > 0;
}
