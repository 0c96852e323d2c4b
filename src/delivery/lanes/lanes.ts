import { sql } from 'kysely';
import type { Db, Tx } from '../../db/open.ts';
import { DELIVERIES_CHANNEL } from '../../events/publish.ts';

/**
 * A lane is everything queued for one receiver, and is leased as a whole: its owner alone reads, sends and deletes, so
 * order of attempts, slots and rate of a receiver are local to one worker. An owner that dies is succeeded as soon as that
 * is noticed (workers.ts), and else when its lease ends; the fence keeps it from writing afterwards, should it only have
 * stalled.
 */
export type Lease = { webhook_id: string; team_id: string; org_id: string; fence: number };

/** Owners renew in a third of it: within this time a lane is taken over whose owner's end nobody could notice. */
export const LEASE_SECONDS = 30;

/** The lane of a new receiver. */
export async function openLane(tx: Tx, lane: { webhook_id: string; team_id: string }): Promise<void> {
  await tx.insertInto('lanes').values(lane).execute();
}

/** Forgets what is queued for a receiver that is deleted; the lane itself goes with the receiver. */
export async function clearQueue(tx: Tx, webhookId: string): Promise<void> {
  for (const table of ['deliveries', 'retries', 'held_deliveries'] as const) {
    await tx.deleteFrom(table).where('webhook_id', '=', webhookId).execute();
  }
}

/**
 * Has a lane looked at as soon as the transaction commits, by its owner or by whoever takes it. Always an update: one
 * that left an owned lane alone would miss that its owner lets go of it at this moment.
 */
export async function wakeLanes(tx: Tx, webhookIds: string[]): Promise<void> {
  if (webhookIds.length === 0) return;
  await sql`
    update lanes set wake_at = case when owner is null then now() else wake_at end
      from (select webhook_id from lanes where webhook_id = any (${webhookIds}::uuid[]) order by webhook_id for update)
           as woken
     where lanes.webhook_id = woken.webhook_id`.execute(tx);
  await sql`select pg_notify(${DELIVERIES_CHANNEL}, id::text) from unnest(${webhookIds}::uuid[]) as woken (id)`.execute(
    tx,
  );
}

/** So many retries of a receiver that is enabled again go at once; the others when they are due. */
const MOST_MADE_DUE = 10_000;

/**
 * For a receiver that is enabled again: it begins without a record of failure, and what waited is sent. The lane is
 * touched last: workers wait for whoever holds its lock.
 */
export async function restartLane(tx: Tx, webhookId: string): Promise<void> {
  await sql`
    update retries set due_at = now()
     where ctid = any (array(
       select ctid from retries where webhook_id = ${webhookId} and due_at > now()
        order by webhook_id, due_at limit ${MOST_MADE_DUE}))`.execute(tx);
  await tx.updateTable('lanes').set({ failing_since: null }).where('webhook_id', '=', webhookId).execute();
  await wakeLanes(tx, [webhookId]);
}

const orgOfLane = sql`(select org_id from teams where teams.id = lanes.team_id) as org_id`;

/** Takes those of the lanes that nobody holds and whose receiver is enabled. */
export async function leaseLanes(db: Db, owner: string, webhookIds: string[]): Promise<Lease[]> {
  const { rows } = await sql<Lease>`
    with free as (
      select lanes.webhook_id
        from unnest(${webhookIds}::uuid[]) as wanted (webhook_id)
        join lanes on lanes.webhook_id = wanted.webhook_id
        join webhooks on webhooks.id = wanted.webhook_id
       where (lanes.owner is null or lanes.wake_at <= now()) and not webhooks.disabled
         for update of lanes skip locked
    )
    update lanes set owner = ${owner}, fence = fence + 1, wake_at = now() + make_interval(secs => ${LEASE_SECONDS})
      from free where lanes.webhook_id = free.webhook_id
    returning lanes.webhook_id, lanes.team_id, lanes.fence, ${orgOfLane}`.execute(db);
  return rows;
}

/** Takes lanes whose time has come: a retry is due, or the lease of an owner that died has ended, or was ended. */
export async function leaseLanesThatWake(db: Db, owner: string, most: number): Promise<Lease[]> {
  const { rows } = await sql<Lease>`
    with waking as (
      select webhook_id from lanes where wake_at <= now() order by wake_at limit ${most} for update skip locked
    )
    update lanes set owner = ${owner}, fence = fence + 1, wake_at = now() + make_interval(secs => ${LEASE_SECONDS})
      from waking where lanes.webhook_id = waking.webhook_id
    returning lanes.webhook_id, lanes.team_id, lanes.fence, ${orgOfLane}`.execute(db);
  return rows;
}

/**
 * Prolongs leases, also those that `owner` had under another id; answers those that still hold. One whose row is locked stays as it is: everybody's webhooks would
 * wait for that here.
 */
export async function renewLanes(
  db: Db,
  owner: string,
  lanes: Pick<Lease, 'webhook_id' | 'fence'>[],
): Promise<{ webhook_id: string; renewed: boolean }[]> {
  if (lanes.length === 0) return [];
  const { rows } = await sql<{ webhook_id: string; renewed: boolean }>`
    with mine as materialized (
      select lanes.webhook_id
        from unnest(${lanes.map((lane) => lane.webhook_id)}::uuid[], ${lanes.map((lane) => lane.fence)}::integer[])
             as lease (webhook_id, fence)
        join lanes on lanes.webhook_id = lease.webhook_id and lanes.fence = lease.fence
    ), free as (
      select lanes.webhook_id from mine join lanes on lanes.webhook_id = mine.webhook_id for update of lanes skip locked
    ), renewed as (
      update lanes set owner = ${owner}, wake_at = now() + make_interval(secs => ${LEASE_SECONDS})
        from free where lanes.webhook_id = free.webhook_id
      returning lanes.webhook_id
    )
    select mine.webhook_id, renewed.webhook_id is not null as renewed
      from mine left join renewed on renewed.webhook_id = mine.webhook_id`.execute(db);
  return rows;
}

/**
 * Lets go of lanes, and answers those that it could not let go of, because somebody locks their row. When each has to be
 * taken again is read after its row is locked: whoever publishes or enables meanwhile is either seen here, or comes later
 * and wakes the lane itself. The lane of a disabled receiver sleeps until it is enabled, however much waits in it.
 * (Whether something waits is asked for as a value: of an `exists` the server may make a hash of the whole table, which
 * no switch forbids.) Where others are to come first, what waits is taken again after that: those that wake are taken in
 * the order of their time.
 */
export async function releaseLanes(
  db: Db,
  lanes: (Pick<Lease, 'webhook_id' | 'fence'> & { othersFirstSeconds?: number })[],
): Promise<string[]> {
  if (lanes.length === 0) return [];
  return db.transaction().execute(async (tx) => {
    const { rows: held } = await sql<{ webhook_id: string; free: boolean }>`
      with mine as materialized (
        select lanes.webhook_id
          from unnest(${lanes.map((lane) => lane.webhook_id)}::uuid[], ${lanes.map((lane) => lane.fence)}::integer[])
               as lease (webhook_id, fence)
          join lanes on lanes.webhook_id = lease.webhook_id and lanes.fence = lease.fence
      ), free as (
        select lanes.webhook_id from mine join lanes on lanes.webhook_id = mine.webhook_id for update of lanes skip locked
      )
      select mine.webhook_id, free.webhook_id is not null as free
        from mine left join free on free.webhook_id = mine.webhook_id`.execute(tx);
    const freeIds = new Set(held.filter(({ free }) => free).map(({ webhook_id }) => webhook_id));
    const free = lanes.filter(({ webhook_id }) => freeIds.has(webhook_id));
    await sql`
      update lanes set owner = null, wake_at = case
             when (select disabled from webhooks where id = lanes.webhook_id) then null
             when (select true from deliveries where deliveries.webhook_id = lanes.webhook_id
                    order by deliveries.webhook_id, event_id limit 1) then mine.wakes_from
             else (select greatest(due_at, mine.wakes_from) from retries where webhook_id = lanes.webhook_id
                    order by due_at limit 1)
           end
        from (select webhook_id, now() + make_interval(secs => seconds) as wakes_from
                from unnest(${free.map((lane) => lane.webhook_id)}::uuid[],
                            ${free.map((lane) => lane.othersFirstSeconds ?? 0)}::float8[]) as free (webhook_id, seconds)
             ) as mine
       where lanes.webhook_id = mine.webhook_id`.execute(tx);
    return held.filter(({ free }) => !free).map((lane) => lane.webhook_id);
  });
}

/** For the one owner of an embedded server: whoever holds a lane at its start was killed. */
export async function takeBackLanes(db: Db): Promise<void> {
  await sql`update lanes set owner = null, fence = fence + 1, wake_at = now() where owner is not null`.execute(db);
}
