import { sql } from 'kysely';
import type { Tx } from '../../db/open-database.ts';

/**
 * A delivery of a webhook replay. `attempt` is the number of the attempt under way (1 is the first). An attempt counts
 * only when we write its outcome.
 */
export type Replayed = { webhook_id: string; event_id: string; team_id: string; fence: number; attempt: number };

/**
 * Inserts rows into retries for deliveries of webhook replays, because a replay sends a delivery that has no row. Call
 * it in the transaction that records their outcomes. That transaction can then treat them like all other deliveries.
 * The function inserts no row if the delivery has one already, if the event was deleted, or if another worker has
 * leased the queue (the fence is then higher).
 * An erasure finds deliveries under way by their rows, and misses a delivery without a row. So an advisory lock of the
 * team prevents that an erasure and the recording of outcomes run at the same time. Both take this lock first. This
 * function does not wait for the lock. It returns the deliveries of teams whose events are being erased.
 */
export async function queueReplayed<R extends Replayed>(tx: Tx, replayed: R[]): Promise<R[]> {
  if (replayed.length === 0) return [];
  const { rows } = await sql<{ id: string }>`
    select id from unnest(${[...new Set(replayed.map(({ team_id }) => team_id))]}::uuid[]) as team (id)
     where pg_try_advisory_xact_lock_shared(hashtextextended('replayed ' || id, 0))`.execute(tx);
  const free = new Set(rows.map(({ id }) => id));
  const queued = replayed.filter(({ team_id }) => free.has(team_id));
  await sql`
    insert into retries (webhook_id, event_id, team_id, attempt, due_at, schedule_from, trigger)
    select replayed.webhook_id, replayed.event_id, endpoint_queues.team_id, replayed.attempt - 1, now(),
        replayed.attempt - 1, 'replay'
      from unnest(${queued.map((r) => r.webhook_id)}::uuid[], ${queued.map((r) => r.event_id)}::uuid[],
                  ${queued.map((r) => r.fence)}::integer[], ${queued.map((r) => r.attempt)}::smallint[])
           as replayed (webhook_id, event_id, fence, attempt)
      join endpoint_queues on endpoint_queues.webhook_id = replayed.webhook_id
          and endpoint_queues.fence = replayed.fence
     where (select true from events
             where events.team_id = endpoint_queues.team_id and events.id between replayed.event_id
                 and replayed.event_id
             order by events.id limit 1)
       and (select true from deliveries
             where deliveries.webhook_id = replayed.webhook_id and deliveries.event_id = replayed.event_id
                 limit 1) is null
       and (select true from retries
             where retries.webhook_id = replayed.webhook_id and retries.event_id between replayed.event_id
                 and replayed.event_id
             order by retries.event_id limit 1) is null
     order by 1, 2
    on conflict do nothing`.execute(tx);
  return replayed.filter(({ team_id }) => !free.has(team_id));
}

/**
 * Takes the lock of the team that queueReplayed checks. Call it before you erase events of a team. The outcomes of the
 * team's replays are then written either before the erasure or not at all.
 */
export async function lockReplayed(tx: Tx, team: { id: string }): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`replayed ${team.id}`}, 0))`.execute(tx);
}
