import { sql } from 'kysely';
import type { Db, Tx } from '../db/open-database.ts';
import { userIsScheduled } from '../events/deferred-events.ts';
import { wakeQueues } from './queues/queue-leases.ts';
import type { Queued } from './queues/read-queue.ts';
import { queueReplayed } from './queues/queue-replayed.ts';

/** A delivery of an event about a user who is scheduled for deletion. */
export type DeferrableDelivery = { queued: Queued; team_id: string; fence: number; user_id: string };

/**
 * Moves deliveries out of the queue until somebody undoes the deletion of their user. Returns the moved deliveries. It
 * locks the row of the user first. If another transaction locks that row, it is erasing the user or undoing the
 * deletion. We do not wait for it, because that would delay all deliveries. The deliveries of that user stay in the
 * queue.
 */
export async function deferDeliveries(
  db: Db,
  deliveries: DeferrableDelivery[],
): Promise<Pick<Queued, 'webhook_id' | 'event_id'>[]> {
  if (deliveries.length === 0) return [];
  return db.transaction().execute(async (tx) => {
    const { rows: leaving } = await sql<{ id: string }>`
      select id from users
       where id = any (${[...new Set(deliveries.map((delivery) => delivery.user_id))]}::uuid[]) and ${userIsScheduled}
       order by id for share skip locked`.execute(tx);
    const users = new Set(leaving.map((user) => user.id));
    const deferrable = deliveries.filter((delivery) => users.has(delivery.user_id));
    await queueReplayed(
      tx,
      deferrable.filter(({ queued }) => queued.from === 'replays').map((one) => ({ ...one, ...one.queued })),
    );
    const { rows: gone } = await sql<Pick<Queued, 'webhook_id' | 'event_id'>>`
      with mine as materialized (
        select mine.* from unnest(
          ${deferrable.map(({ user_id }) => user_id)}::uuid[],
              ${deferrable.map(({ queued }) => queued.webhook_id)}::uuid[],
          ${deferrable.map(({ queued }) => queued.event_id)}::uuid[], ${deferrable.map(({ fence }) => fence)}::integer[]
        ) as mine (user_id, webhook_id, event_id, fence)
        join endpoint_queues on endpoint_queues.webhook_id = mine.webhook_id and endpoint_queues.fence = mine.fence
      ), first as (
        delete from deliveries where ctid = any (array (
          select row.ctid from mine cross join lateral (
            select ctid from deliveries
             where deliveries.webhook_id = mine.webhook_id and deliveries.event_id = mine.event_id limit 1
               for update skip locked
          ) as row))
        returning webhook_id, event_id, team_id, 0::smallint as attempt, 0::smallint as schedule_from, null as trigger
      ), again as (
        delete from retries where ctid = any (array (
          select row.ctid from mine cross join lateral (
            select ctid from retries
             where retries.webhook_id = mine.webhook_id and retries.event_id between mine.event_id and mine.event_id
             order by retries.event_id limit 1 for update skip locked
          ) as row))
        returning webhook_id, event_id, team_id, attempt, schedule_from, trigger
      ), gone as (
        select * from first union all select * from again
      ), leased as (
        insert into deferred_deliveries (user_id, webhook_id, event_id, team_id, attempt, schedule_from, trigger)
        select mine.user_id, gone.webhook_id, gone.event_id, gone.team_id, gone.attempt, gone.schedule_from,
            gone.trigger
          from gone join mine on mine.webhook_id = gone.webhook_id and mine.event_id = gone.event_id
        on conflict do nothing
      )
      select webhook_id, event_id from gone`.execute(tx);
    return gone;
  });
}

/**
 * Moves the deferred deliveries of a user back to the queue. They are due immediately. Call it in the transaction that
 * undoes the deletion of the user.
 */
export async function sendDeferredDeliveries(tx: Tx, user: { id: string }): Promise<void> {
  const { rows } = await sql<{ webhook_id: string }>`
    with freed as (
      delete from deferred_deliveries where user_id = ${user.id}
      returning webhook_id, event_id, team_id, attempt, schedule_from, trigger
    ), queued as (
      insert into retries (webhook_id, event_id, team_id, attempt, due_at, schedule_from, trigger)
      select webhook_id, event_id, team_id, attempt, now(), schedule_from, trigger from freed
      on conflict do nothing
    )
    select distinct webhook_id from freed`.execute(tx);
  await wakeQueues(
    tx,
    rows.map((row) => row.webhook_id),
  );
}
