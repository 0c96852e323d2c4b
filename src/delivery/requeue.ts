import { sql } from 'kysely';
import type { TeamCtx, TxCtx } from '../context.ts';
import { userIsScheduled } from '../events/deferred-events.ts';
import { wakeQueues } from './queues/queue-leases.ts';
import { RETRY_DELAYS_SECONDS } from './retry-schedule.ts';

/**
 * The most attempts of one event at one endpoint. After them we do not queue the event again. The column of the attempt
 * number has two bytes, so the number must stay small.
 */
export const MAX_ATTEMPTS = 1_000;

type Pair = { webhook_id: string; event_id: string };

/**
 * Queues an event for an endpoint of the team again, due immediately. Returns true if the delivery now waits. The
 * number of its next attempt follows the number of the last one. If a retry waits, this function makes it due instead
 * of adding a second one. If a first attempt waits, it moves to the retries. If an attempt is under way, one more
 * attempt follows it, however often somebody requests one. If that attempt fails, the retry schedule of the delivery
 * continues, unless it had ended. If it had ended, no further attempt follows.
 * The function queues nothing for a deleted event or endpoint, for an event about a user who is scheduled for deletion,
 * and after MAX_ATTEMPTS attempts. If the endpoint is disabled, the delivery waits. A delivery of a test event keeps
 * the trigger `test`.
 * The owner of a queue writes outcomes and skips locked rows. So we lock the waiting row first: the row of the first
 * attempt, and then the retry that this attempt becomes if it fails. If an event has a row in neither table, its
 * outcome is in the log. We count the attempts only after we have both locks. No row shows whether an attempt is under
 * way. But the statement that writes its outcome sees that the `asked` count of the row has increased.
 */
export async function requeueDelivery(ctx: TxCtx<TeamCtx>, pair: Pair, trigger: 'resend' | 'test'): Promise<boolean> {
  if (!(await moveFirst(ctx, pair, trigger))) {
    await lockRetry(ctx, pair);
    if (!(await makeDue(ctx, pair, trigger))) return false;
  }
  await wakeQueues(ctx.db, [pair.webhook_id]);
  return true;
}

/**
 * Moves a first attempt from deliveries to retries, because only rows of retries count how often somebody requested the
 * delivery (`asked`). Returns true if there was a first attempt. If it is under way, we record its outcome in the new
 * row. PostgreSQL plans the statement at every execution, because a cached plan could be from a time when the table was
 * empty.
 */
async function moveFirst({ db, team }: TxCtx<TeamCtx>, pair: Pair, trigger: 'resend' | 'test'): Promise<boolean> {
  const { numAffectedRows } = await sql`
    with gone as (
      delete from deliveries where ctid = any (array (
        select row.ctid from (
          select ctid, team_id from ${sql.table('deliveries')} where ${isOf(pair)} order by webhook_id, event_id
              limit 1 for update
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
 * Makes the delivery due: inserts a retry, or updates the one that waits. It is a separate statement, so that it sees
 * attempts that ended while we waited for locks. It inserts a new row as if the retry schedule had ended, so a failure
 * causes no further attempt. Like the statements of the erasure, it finds rows one by one, and PostgreSQL plans it at
 * every execution.
 */
async function makeDue(
  { db, team }: TxCtx<TeamCtx>,
  { webhook_id, event_id }: Pair,
  trigger: 'resend' | 'test',
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into retries (webhook_id, event_id, team_id, attempt, due_at, asked, trigger, schedule_from)
    select endpoint.id, event.id, ${team.id}::uuid, made.attempts, now(), 1,
           case when event.test_for is null then ${trigger} else 'test' end,
               made.attempts - ${RETRY_DELAYS_SECONDS.length}::smallint
      from (
        select id, user_id, test_for from ${sql.table('events')} where team_id = ${team.id} and id = ${event_id}::uuid
            limit 1
      ) as event
     cross join lateral (
       select id from webhooks
        where id = ${webhook_id}::uuid and team_id = ${team.id} and id = coalesce(event.test_for, id) limit 1
     ) as endpoint
     cross join lateral (
       select coalesce(max(attempt), 0)::smallint as attempts from attempts
        where attempts.team_id = ${team.id} and attempts.event_id = event.id and attempts.webhook_id = endpoint.id
     ) as made
      left join lateral (
       select true as leaves from users where users.id = event.user_id and ${userIsScheduled} limit 1
     ) as about on true
     where made.attempts < ${MAX_ATTEMPTS} and about.leaves is null
    on conflict (webhook_id, event_id) do update
      set due_at = least(retries.due_at, excluded.due_at), trigger = excluded.trigger,
          asked = coalesce(retries.asked, 0) % 30000 + 1`.execute(db);
  return Number(numAffectedRows) > 0;
}
