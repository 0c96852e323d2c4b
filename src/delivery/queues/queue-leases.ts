import { sql } from 'kysely';
import type { Db, Tx } from '../../db/open-database.ts';
import { DELIVERIES_CHANNEL } from '../../events/publish.ts';

/**
 * The lease of an endpoint queue. The queue has all deliveries to one endpoint, and one worker leases all of them
 * together. Only this owner reads, sends and deletes them. So one process decides the order, the slots and the rate of
 * an endpoint's attempts. If the owner dies, another worker takes the queue when it detects the death
 * (delivery-worker.ts), or when the lease ends.
 * An owner may only have been slow, and may write after another worker has taken the queue. Each lease has a higher
 * number than the one before (the fence), and a write with an older number has no effect.
 */
export type Lease = { webhook_id: string; team_id: string; org_id: string; fence: number };

/**
 * The duration of a lease. Owners renew a lease after a third of this time. If an owner dies and no worker detects
 * that, other workers take its queues when the leases end.
 */
export const LEASE_SECONDS = 30;

/** Creates the queue of a new endpoint. */
export async function createQueue(tx: Tx, queue: { webhook_id: string; team_id: string }): Promise<void> {
  await tx.insertInto('endpoint_queues').values(queue).execute();
}

/**
 * Deletes the deliveries to an endpoint that is being deleted. The row of the queue is deleted together with the
 * endpoint.
 */
export async function clearQueue(tx: Tx, webhookId: string): Promise<void> {
  for (const table of ['deliveries', 'retries', 'deferred_deliveries'] as const) {
    await tx.deleteFrom(table).where('webhook_id', '=', webhookId).execute();
  }
}

/**
 * Wakes queues when the transaction commits, so that their owner or the next poll reads them. It updates the row even
 * if the queue has an owner, because the owner may be releasing the queue at this moment.
 */
export async function wakeQueues(tx: Tx, webhookIds: string[]): Promise<void> {
  if (webhookIds.length === 0) return;
  await sql`
    update endpoint_queues set wake_at = case when owner is null then now() else wake_at end
      from (select webhook_id from endpoint_queues where webhook_id = any (${webhookIds}::uuid[]) order by webhook_id
          for update)
           as woken
     where endpoint_queues.webhook_id = woken.webhook_id`.execute(tx);
  await sql`select pg_notify(${DELIVERIES_CHANNEL}, id::text) from unnest(${webhookIds}::uuid[]) as woken (id)`.execute(
    tx,
  );
}

/**
 * The most retries that become due immediately when an endpoint is enabled again. Further retries stay due at their
 * scheduled time.
 */
const MAX_MADE_DUE = 10_000;

/**
 * Clears the failures of an endpoint and makes its waiting deliveries due. Call it when the endpoint is enabled again.
 * It updates the row of the queue last, because no worker can lease the queue while this transaction locks the row.
 */
export async function restartQueue(tx: Tx, webhookId: string): Promise<void> {
  await sql`
    update retries set due_at = now()
     where ctid = any (array(
       select ctid from retries where webhook_id = ${webhookId} and due_at > now()
        order by webhook_id, due_at limit ${MAX_MADE_DUE}))`.execute(tx);
  await tx.updateTable('endpoint_queues').set({ failing_since: null }).where('webhook_id', '=', webhookId).execute();
  await wakeQueues(tx, [webhookId]);
}

const orgOfQueue = sql`(select org_id from teams where teams.id = endpoint_queues.team_id) as org_id`;

/** Leases those of the given queues that have no owner or whose lease has ended, if their endpoint is enabled. */
export async function leaseQueues(db: Db, owner: string, webhookIds: string[]): Promise<Lease[]> {
  const { rows } = await sql<Lease>`
    with free as (
      select endpoint_queues.webhook_id
        from unnest(${webhookIds}::uuid[]) as wanted (webhook_id)
        join endpoint_queues on endpoint_queues.webhook_id = wanted.webhook_id
        join webhooks on webhooks.id = wanted.webhook_id
       where (endpoint_queues.owner is null or endpoint_queues.wake_at <= now()) and not webhooks.disabled
         for update of endpoint_queues skip locked
    )
    update endpoint_queues set owner = ${owner}, fence = fence + 1,
        wake_at = now() + make_interval(secs => ${LEASE_SECONDS})
      from free where endpoint_queues.webhook_id = free.webhook_id
    returning endpoint_queues.webhook_id, endpoint_queues.team_id, endpoint_queues.fence, ${orgOfQueue}`.execute(db);
  return rows;
}

/** Leases queues whose wake time has come, because a delivery is due or the lease of a dead owner has ended. */
export async function leaseDueQueues(db: Db, owner: string, most: number): Promise<Lease[]> {
  const { rows } = await sql<Lease>`
    with waking as (
      select webhook_id from endpoint_queues where wake_at <= now() order by wake_at limit ${most}
          for update skip locked
    )
    update endpoint_queues set owner = ${owner}, fence = fence + 1,
        wake_at = now() + make_interval(secs => ${LEASE_SECONDS})
      from waking where endpoint_queues.webhook_id = waking.webhook_id
    returning endpoint_queues.webhook_id, endpoint_queues.team_id, endpoint_queues.fence, ${orgOfQueue}`.execute(db);
  return rows;
}

/**
 * Renews leases. A worker gets a new id when its listening connection is lost, so some leases may be under its former
 * id. Returns the queues that the worker still owns. `renewed` is false if another transaction locked the row. Then we
 * do not renew the lease, because waiting for the lock would delay all webhooks.
 */
export async function renewQueues(
  db: Db,
  owner: string,
  queues: Pick<Lease, 'webhook_id' | 'fence'>[],
): Promise<{ webhook_id: string; renewed: boolean }[]> {
  if (queues.length === 0) return [];
  const { rows } = await sql<{ webhook_id: string; renewed: boolean }>`
    with mine as materialized (
      select endpoint_queues.webhook_id
        from unnest(${queues.map((queue) => queue.webhook_id)}::uuid[],
            ${queues.map((queue) => queue.fence)}::integer[])
             as lease (webhook_id, fence)
        join endpoint_queues on endpoint_queues.webhook_id = lease.webhook_id and endpoint_queues.fence = lease.fence
    ), free as (
      select endpoint_queues.webhook_id from mine join endpoint_queues on endpoint_queues.webhook_id = mine.webhook_id
          for update of endpoint_queues skip locked
    ), renewed as (
      update endpoint_queues set owner = ${owner}, wake_at = now() + make_interval(secs => ${LEASE_SECONDS})
        from free where endpoint_queues.webhook_id = free.webhook_id
      returning endpoint_queues.webhook_id
    )
    select mine.webhook_id, renewed.webhook_id is not null as renewed
      from mine left join renewed on renewed.webhook_id = mine.webhook_id`.execute(db);
  return rows;
}

/**
 * Releases queues. Returns the ids of those that it could not release because another transaction locks their row.
 * The function locks the row of each queue before it computes the next wake time. Another transaction may publish an
 * event or enable the endpoint meanwhile. If that transaction has committed, this function sees its rows. If that
 * transaction commits later, it wakes the queue itself. The queue of a disabled endpoint gets no wake time until
 * somebody enables the endpoint. Workers take queues in the order of their wake times. `othersFirstSeconds` makes the
 * wake time later, so that other queues come first.
 * The statement uses `select true` to check whether a delivery waits. For an `exists`, PostgreSQL may build a hash of
 * the complete table, and no setting prevents that.
 */
export async function releaseQueues(
  db: Db,
  queues: (Pick<Lease, 'webhook_id' | 'fence'> & { othersFirstSeconds?: number })[],
): Promise<string[]> {
  if (queues.length === 0) return [];
  return db.transaction().execute(async (tx) => {
    const { rows: leased } = await sql<{ webhook_id: string; free: boolean }>`
      with mine as materialized (
        select endpoint_queues.webhook_id
          from unnest(${queues.map((queue) => queue.webhook_id)}::uuid[],
              ${queues.map((queue) => queue.fence)}::integer[])
               as lease (webhook_id, fence)
          join endpoint_queues on endpoint_queues.webhook_id = lease.webhook_id and endpoint_queues.fence = lease.fence
      ), free as (
        select endpoint_queues.webhook_id from mine
          join endpoint_queues on endpoint_queues.webhook_id = mine.webhook_id for update of endpoint_queues skip locked
      )
      select mine.webhook_id, free.webhook_id is not null as free
        from mine left join free on free.webhook_id = mine.webhook_id`.execute(tx);
    const freeIds = new Set(leased.filter(({ free }) => free).map(({ webhook_id }) => webhook_id));
    const free = queues.filter(({ webhook_id }) => freeIds.has(webhook_id));
    await sql`
      update endpoint_queues set owner = null, wake_at = case
             when (select disabled from webhooks where id = endpoint_queues.webhook_id) then null
             when (select true from deliveries where deliveries.webhook_id = endpoint_queues.webhook_id
                    order by deliveries.webhook_id, event_id limit 1) then mine.wakes_from
             else (select greatest(due_at, mine.wakes_from) from retries where webhook_id = endpoint_queues.webhook_id
                    order by due_at limit 1)
           end
        from (select webhook_id, now() + make_interval(secs => seconds) as wakes_from
                from unnest(${free.map((queue) => queue.webhook_id)}::uuid[],
                            ${free.map((queue) => queue.othersFirstSeconds ?? 0)}::float8[])
                     as free (webhook_id, seconds)
             ) as mine
       where endpoint_queues.webhook_id = mine.webhook_id`.execute(tx);
    return leased.filter(({ free }) => !free).map((queue) => queue.webhook_id);
  });
}

/**
 * Ends all leases. Call it at the start of an embedded server. Only one process uses such a server, so every owner in
 * the table is a process that was killed.
 */
export async function reclaimQueues(db: Db): Promise<void> {
  await sql`
    update endpoint_queues set owner = null, fence = fence + 1, wake_at = now() where owner is not null`.execute(db);
}
