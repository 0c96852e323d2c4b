import { sql } from 'kysely';
import type { Db } from '../../db/open-database.ts';
import { newId } from '../../ids.ts';

/**
 * The shortest interval between two searches for dead workers. A worker polls once a second, so it searches at every
 * second poll.
 */
const LOOK_MS = 1_500;
/**
 * After this worker lost its connection, it waits this long before it declares other workers dead. The same cause, for
 * example a restart of the server, may have disconnected the others too, and they need time to reconnect.
 */
const AFTER_CUT_MS = 10_000;
const QUEUES_AT_ONCE = 1_000;

/**
 * True if no connection holds the advisory lock of the worker `id`: the worker died or lost its connection. We write
 * the prefix of the name into the SQL text. If it were a parameter, PostgreSQL would plan the statement at every
 * execution.
 */
export const nameIsFree = sql<boolean>`pg_try_advisory_xact_lock(hashtextextended('delivery worker ' || id, 0))`;

/**
 * The identity of a worker. Endpoint queues name it as their owner, and other workers use it to detect that the worker
 * died. The worker's listening connection holds an advisory lock whose name contains the id. PostgreSQL releases the
 * lock when that connection ends. The worker registers in delivery_workers only while it holds the lock. If a worker is
 * not registered, or its machine disappears without closing the connection, other workers take its queues when the
 * leases end.
 */
export class Worker {
  #id = newId();
  #sign: 'none' | 'locked' | 'listening' | 'written' = 'none';
  #wasCut = false;
  #trustsFrom = -Infinity;
  #looksAt = -Infinity;

  get id(): string {
    return this.#id;
  }

  /** True if the worker receives notifications of new deliveries. */
  get isListening(): boolean {
    return this.#sign === 'listening' || this.#sign === 'written';
  }

  /**
   * Returns the id if other workers can detect the death of this worker. When it dies, they release the work that it
   * reserved under this id. Returns null otherwise.
   */
  get livingId(): string | null {
    return this.isListening ? this.#id : null;
  }

  /**
   * True if this worker may declare another worker dead because nobody holds that worker's lock. Shortly after it lost
   * its own connection, it may not.
   */
  get looksForDeadWorkers(): boolean {
    return this.isListening && performance.now() >= this.#trustsFrom;
  }

  /** Returns the name of the advisory lock that the listening connection takes before it reports that it listens. */
  lock(): string {
    this.#sign = 'locked';
    return `delivery worker ${this.#id}`;
  }

  listening(): void {
    if (this.#sign !== 'locked') return;
    this.#sign = 'listening';
    if (this.#wasCut) this.#trustsFrom = performance.now() + AFTER_CUT_MS;
  }

  /**
   * Handles the loss of the listening connection. Returns true if other workers may now declare this worker dead. The
   * worker then has a new id, under which it owns no queue yet.
   */
  lost(): boolean {
    if (this.#sign === 'none') return false;
    this.#sign = 'none';
    this.#wasCut = true;
    this.#id = newId();
    return true;
  }

  /**
   * Registers the worker if it holds its lock and listens, and searches for dead workers. Returns the number of queues
   * of dead workers whose leases it ended.
   */
  async poll(db: Db): Promise<number> {
    if (this.#sign === 'listening') {
      const id = this.#id;
      await sql`insert into delivery_workers (id) values (${id}) on conflict do nothing`.execute(db);
      if (this.#id === id) this.#sign = 'written';
    }
    if (this.#sign !== 'written' || !this.looksForDeadWorkers || performance.now() < this.#looksAt) return 0;
    this.#looksAt = performance.now() + LOOK_MS;
    const woken = await wakeQueuesOfDeadWorkers(db, this.#id);
    if (woken === QUEUES_AT_ONCE) this.#looksAt = -Infinity;
    return woken;
  }

  /**
   * Removes the registration of the worker. Call it when the worker stops. If the worker could not release a queue, it
   * stays registered. Other workers then find it dead and take that queue.
   */
  async leave(db: Db): Promise<void> {
    await sql`
      delete from delivery_workers
       where id = ${this.#id}
         and (select true from endpoint_queues where owner = delivery_workers.id order by webhook_id
             limit 1) is null`.execute(db);
  }
}

/**
 * Ends the leases of dead workers, so that the next poll takes their queues. Deletes dead workers that own no queue.
 * Returns the number of leases that it ended. It skips rows that another transaction locks, which the next search finds
 * again.
 */
export async function wakeQueuesOfDeadWorkers(db: Db, ownId: string): Promise<number> {
  const dead = await findDead(db, ownId);
  if (dead.length === 0) return 0;
  const { rows } = await sql<{ woken: number }>`
    with owned as materialized (
      select queue.webhook_id
        from unnest(${dead}::uuid[]) as dead (id) cross join lateral (
          select webhook_id from endpoint_queues where owner = dead.id and wake_at > now()
           order by webhook_id limit ${QUEUES_AT_ONCE} for update skip locked
        ) as queue
       limit ${QUEUES_AT_ONCE}
    ), woken as (
      update endpoint_queues set wake_at = now() from owned where endpoint_queues.webhook_id = owned.webhook_id
          returning endpoint_queues.webhook_id
    ), struck as (
      delete from delivery_workers
       where id = any (${dead}::uuid[])
         and (select true from endpoint_queues
               where owner = delivery_workers.id and wake_at > now() order by webhook_id limit 1) is null
    )
    select count(*)::integer as woken from woken`.execute(db);
  return rows[0]?.woken ?? 0;
}

/**
 * Returns the workers whose lock nobody holds. These ids never become active again, because a worker that reconnects
 * gets a new id. If two workers check a dead worker at the same moment, only one of them gets the lock of the dead
 * worker. The other one considers the dead worker alive until its next search. We write the limit into the SQL text.
 * With a parameter, PostgreSQL would plan the statement at each search, which costs more than the search.
 */
async function findDead(db: Db, ownId: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from delivery_workers
     where id <> ${ownId} and ${nameIsFree}
     order by id limit 10`.execute(db);
  return rows.map(({ id }) => id);
}
