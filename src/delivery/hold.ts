import { sql } from 'kysely';
import type { Db, Tx } from '../db/open.ts';
import { userLeaves } from '../events/held.ts';
import { wakeLanes } from './lanes/lanes.ts';
import type { Queued } from './lanes/queue.ts';
import { queueReplayed } from './lanes/replayed.ts';

/** A delivery that tells of a user who is scheduled for deletion. */
export type ToHold = { queued: Queued; team_id: string; fence: number; user_id: string };

/**
 * Moves deliveries out of the queue until their user's deletion is taken back, and answers those that left it. The
 * user's row is locked first. One that is locked already is being undone or erased: what tells of it stays as it is,
 * since everybody's deliveries would wait for that here.
 */
export async function holdDeliveries(db: Db, deliveries: ToHold[]): Promise<Pick<Queued, 'webhook_id' | 'event_id'>[]> {
  if (deliveries.length === 0) return [];
  return db.transaction().execute(async (tx) => {
    const { rows: leaving } = await sql<{ id: string }>`
      select id from users
       where id = any (${[...new Set(deliveries.map((delivery) => delivery.user_id))]}::uuid[]) and ${userLeaves}
       order by id for share skip locked`.execute(tx);
    const users = new Set(leaving.map((user) => user.id));
    const held = deliveries.filter((delivery) => users.has(delivery.user_id));
    await queueReplayed(
      tx,
      held.filter(({ queued }) => queued.from === 'replays').map((one) => ({ ...one, ...one.queued })),
    );
    const { rows: gone } = await sql<Pick<Queued, 'webhook_id' | 'event_id'>>`
      with mine as materialized (
        select mine.* from unnest(
          ${held.map(({ user_id }) => user_id)}::uuid[], ${held.map(({ queued }) => queued.webhook_id)}::uuid[],
          ${held.map(({ queued }) => queued.event_id)}::uuid[], ${held.map(({ fence }) => fence)}::integer[]
        ) as mine (user_id, webhook_id, event_id, fence)
        join lanes on lanes.webhook_id = mine.webhook_id and lanes.fence = mine.fence
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
      ), held as (
        insert into held_deliveries (user_id, webhook_id, event_id, team_id, attempt, schedule_from, trigger)
        select mine.user_id, gone.webhook_id, gone.event_id, gone.team_id, gone.attempt, gone.schedule_from, gone.trigger
          from gone join mine on mine.webhook_id = gone.webhook_id and mine.event_id = gone.event_id
        on conflict do nothing
      )
      select webhook_id, event_id from gone`.execute(tx);
    return gone;
  });
}

/** In the transaction that takes a deletion back: what was held is due at once. */
export async function sendHeldDeliveries(tx: Tx, user: { id: string }): Promise<void> {
  const { rows } = await sql<{ webhook_id: string }>`
    with freed as (
      delete from held_deliveries where user_id = ${user.id}
      returning webhook_id, event_id, team_id, attempt, schedule_from, trigger
    ), queued as (
      insert into retries (webhook_id, event_id, team_id, attempt, due_at, schedule_from, trigger)
      select webhook_id, event_id, team_id, attempt, now(), schedule_from, trigger from freed
      on conflict do nothing
    )
    select distinct webhook_id from freed`.execute(tx);
  await wakeLanes(
    tx,
    rows.map((row) => row.webhook_id),
  );
}
