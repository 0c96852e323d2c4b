import { sql } from 'kysely';
import type { TeamCtx, TxCtx } from '../context.ts';
import { wakeLanes } from './lanes/lanes.ts';
import type { Trigger } from './lanes/queue.ts';
import { RETRY_DELAYS_SECONDS } from './schedule.ts';

/** Rows that one call touches at most. */
export const MOST_REQUEUED = 1_000;

/** Of one event to one receiver. What was tried so often is not queued again: attempts are counted in two bytes. */
export const MOST_ATTEMPTS = 1_000;

export type Again = {
  /** Who asks; it is told with the attempt. */
  trigger: Trigger;
  /**
   * What follows where it fails. `once`: nothing where the delivery was done with; where its schedule still ran, that goes
   * on. `scheduled`: the schedule begins anew.
   */
  retried: 'once' | 'scheduled';
};

type Pair = { webhook_id: string; event_id: string };

/**
 * Queues events for receivers of the team again, due at once, and answers those pairs that now wait. The one way to it: the
 * number of the next attempt goes on from those that were made, a retry that waits becomes due instead of running beside the
 * new one, and a first attempt that waits is simply that. Left out are events and receivers that are gone, events that tell
 * of a user who is scheduled for deletion, and what was tried MOST_ATTEMPTS times. For a disabled receiver it waits.
 * `pairs` are MOST_REQUEUED at most.
 *
 * The owner of a lane writes outcomes past whatever is locked. So rows that wait are locked first, those of first attempts
 * before those that they become when they fail, and what is then in neither queue had its outcome logged: only behind both
 * locks are attempts counted.
 */
export async function requeueDeliveries(ctx: TxCtx<TeamCtx>, pairs: Pair[], again: Again): Promise<Pair[]> {
  if (pairs.length > MOST_REQUEUED) throw new Error(`At most ${MOST_REQUEUED} deliveries are queued again at once.`);
  if (pairs.length === 0) return [];
  const firsts = await lockWaiting(ctx, 'deliveries', pairs);
  const known = new Set(firsts.map(placeOf));
  const others = pairs.filter((pair) => !known.has(placeOf(pair)));
  await lockWaiting(ctx, 'retries', others);
  const due = await makeDue(ctx, others, again);
  await wakeLanes(ctx.db, [...new Set(due.map(({ webhook_id }) => webhook_id))]);
  return [...firsts, ...due];
}

/** In the order of their key, so that two who queue again do not wait for each other. */
async function lockWaiting(
  { db, team }: TxCtx<TeamCtx>,
  queue: 'deliveries' | 'retries',
  pairs: Pair[],
): Promise<Pair[]> {
  if (pairs.length === 0) return [];
  const { rows } = await sql<Pair>`
    select row.webhook_id, row.event_id
      from (select * from unnest(${webhooksOf(pairs)}::uuid[], ${eventsOf(pairs)}::uuid[]) as asked (webhook_id, event_id)
             order by webhook_id, event_id) as asked
     cross join lateral (
       select webhook_id, event_id, team_id from ${sql.table(queue)} as queue
        where (queue.webhook_id, queue.event_id) between (asked.webhook_id, asked.event_id) and (asked.webhook_id, asked.event_id)
        order by queue.webhook_id, queue.event_id limit 1 for update
     ) as row
     where row.team_id = ${team.id}`.execute(db);
  return rows;
}

/**
 * By a statement of its own, which sees the attempts that ended while rows were waited for. The schedule of what enters the
 * queue is at its last attempt, or before its first. Looked up row by row, and planned each time, as the erasure's statements.
 */
async function makeDue({ db, team }: TxCtx<TeamCtx>, pairs: Pair[], { trigger, retried }: Again): Promise<Pair[]> {
  if (pairs.length === 0) return [];
  const behind = retried === 'once' ? RETRY_DELAYS_SECONDS.length : 0;
  const { rows } = await sql<Pair>`
    insert into retries (webhook_id, event_id, team_id, attempt, due_at, trigger, schedule_from)
    select asked.webhook_id, asked.event_id, ${team.id}::uuid, made.attempts, now(), ${trigger},
           made.attempts - ${behind}::smallint
      from (select distinct * from unnest(${webhooksOf(pairs)}::uuid[], ${eventsOf(pairs)}::uuid[]) as asked (webhook_id, event_id)
             order by 1, 2) as asked
     cross join lateral (select from webhooks where id = asked.webhook_id and team_id = ${team.id} limit 1) as receiver
     cross join lateral (
       select user_id from ${sql.table('events')} where team_id = ${team.id} and id = asked.event_id limit 1
     ) as event
     cross join lateral (
       select coalesce(max(attempt), 0)::smallint as attempts from attempts
        where attempts.team_id = ${team.id} and attempts.event_id = asked.event_id and attempts.webhook_id = asked.webhook_id
     ) as made
      left join lateral (
       select true as leaves from users where users.id = event.user_id and users.deleted_at is not null limit 1
     ) as about on true
     where made.attempts < ${MOST_ATTEMPTS} and about.leaves is null
    on conflict (webhook_id, event_id) do update
      set due_at = least(retries.due_at, excluded.due_at), trigger = excluded.trigger,
          schedule_from = case when ${retried === 'scheduled'} then retries.attempt else retries.schedule_from end
    returning webhook_id, event_id`.execute(db);
  return rows;
}

const webhooksOf = (pairs: Pair[]): string[] => pairs.map(({ webhook_id }) => webhook_id);
const eventsOf = (pairs: Pair[]): string[] => pairs.map(({ event_id }) => event_id);
const placeOf = ({ webhook_id, event_id }: Pair): string => `${webhook_id} ${event_id}`;
