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
 * waits is simply that. Where it fails, a schedule that still ran goes on, and nothing follows where the delivery was done with.
 * Left out are events and receivers that are gone, an event that tells of a user who is scheduled for deletion, and what was
 * tried MOST_ATTEMPTS times. For a disabled receiver it waits. What is a test stays one, whoever asks for it.
 *
 * The owner of a lane writes outcomes past whatever is locked. So the row that waits is locked first, that of a first attempt
 * before the one that it becomes when it fails, and what is then in neither queue had its outcome logged: only behind both
 * locks are attempts counted.
 */
export async function requeueDelivery(ctx: TxCtx<TeamCtx>, pair: Pair, trigger: 'resend' | 'test'): Promise<boolean> {
  if (await lockWaiting(ctx, 'deliveries', pair)) return true;
  await lockWaiting(ctx, 'retries', pair);
  if (!(await makeDue(ctx, pair, trigger))) return false;
  await wakeLanes(ctx.db, [pair.webhook_id]);
  return true;
}

/** Whether there is one. */
async function lockWaiting(
  { db, team }: TxCtx<TeamCtx>,
  queue: 'deliveries' | 'retries',
  { webhook_id, event_id }: Pair,
): Promise<boolean> {
  const { rows } = await sql`
    select from (
      select team_id from ${sql.table(queue)}
       where (webhook_id, event_id) between (${webhook_id}::uuid, ${event_id}::uuid) and (${webhook_id}::uuid, ${event_id}::uuid)
       order by webhook_id, event_id limit 1 for update
    ) as row where team_id = ${team.id}`.execute(db);
  return rows.length > 0;
}

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
    insert into retries (webhook_id, event_id, team_id, attempt, due_at, trigger, schedule_from)
    select receiver.id, event.id, ${team.id}::uuid, made.attempts, now(),
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
      set due_at = least(retries.due_at, excluded.due_at), trigger = excluded.trigger`.execute(db);
  return Number(numAffectedRows) > 0;
}
