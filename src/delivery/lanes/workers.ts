import { sql } from 'kysely';
import type { Db } from '../../db/open.ts';
import { newId } from '../../ids.ts';

/** Every other patrol looks for workers that died. */
const LOOK_MS = 1_500;
/** What cut this worker off may have cut off others as well, as a server that was started again: they may come back first. */
const AFTER_CUT_MS = 10_000;
const LANES_AT_ONCE = 1_000;

/** Whether nobody locks the name of the worker `id`: it died, or was cut off. (As a parameter the name would have the statement planned each time.) */
export const nameIsFree = sql<boolean>`pg_try_advisory_xact_lock(hashtextextended('delivery worker ' || id, 0))`;

/**
 * Who a worker is: the owner of its lanes, and how others notice that it died. Its listening connection locks a name made
 * of its id, which PostgreSQL frees as soon as that connection ends; the worker writes itself down only when that is so.
 * One that is not written down, or whose machine vanished without a word, is succeeded when its leases end (record 293).
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

  /** It hears what is queued. */
  get isListening(): boolean {
    return this.#sign === 'listening' || this.#sign === 'written';
  }

  /** Its id while others see by it that this worker lives: what is held under it ends with it. Null where they cannot. */
  get livingId(): string | null {
    return this.isListening ? this.#id : null;
  }

  /** Whether one whose name is free is dead, and not about to come back. */
  get looksAfterOthers(): boolean {
    return this.isListening && performance.now() >= this.#trustsFrom;
  }

  /** The name that the listening connection has to lock before it tells that it listens. */
  lock(): string {
    this.#sign = 'locked';
    return `delivery worker ${this.#id}`;
  }

  listening(): void {
    if (this.#sign !== 'locked') return;
    this.#sign = 'listening';
    if (this.#wasCut) this.#trustsFrom = performance.now() + AFTER_CUT_MS;
  }

  /** Answers whether others may take this worker for dead: it is another one from now on, and owns nothing yet. */
  lost(): boolean {
    if (this.#sign === 'none') return false;
    this.#sign = 'none';
    this.#wasCut = true;
    this.#id = newId();
    return true;
  }

  /** Writes itself down once that can be relied on, and looks after the others; answers how many lanes it woke. */
  async patrol(db: Db): Promise<number> {
    if (this.#sign === 'listening') {
      const id = this.#id;
      await sql`insert into delivery_workers (id) values (${id}) on conflict do nothing`.execute(db);
      if (this.#id === id) this.#sign = 'written';
    }
    if (this.#sign !== 'written' || !this.looksAfterOthers || performance.now() < this.#looksAt) return 0;
    this.#looksAt = performance.now() + LOOK_MS;
    const woken = await wakeLanesOfTheDead(db, this.#id);
    if (woken === LANES_AT_ONCE) this.#looksAt = -Infinity;
    return woken;
  }

  /** For one that is stopped. Where it could not let go of a lane it stays written down, so that others wake that. */
  async leave(db: Db): Promise<void> {
    await sql`
      delete from delivery_workers
       where id = ${this.#id}
         and (select true from lanes where owner = delivery_workers.id order by webhook_id limit 1) is null`.execute(
      db,
    );
  }
}

/**
 * Ends the leases of workers that died, so that whoever looks takes their lanes, and strikes out those without any; answers
 * how many it ended. What somebody locks comes with the next look.
 */
export async function wakeLanesOfTheDead(db: Db, ownId: string): Promise<number> {
  const dead = await findDead(db, ownId);
  if (dead.length === 0) return 0;
  const { rows } = await sql<{ woken: number }>`
    with held as materialized (
      select lane.webhook_id
        from unnest(${dead}::uuid[]) as dead (id) cross join lateral (
          select webhook_id from lanes where owner = dead.id and wake_at > now()
           order by webhook_id limit ${LANES_AT_ONCE} for update skip locked
        ) as lane
       limit ${LANES_AT_ONCE}
    ), woken as (
      update lanes set wake_at = now() from held where lanes.webhook_id = held.webhook_id returning lanes.webhook_id
    ), struck as (
      delete from delivery_workers
       where id = any (${dead}::uuid[])
         and (select true from lanes
               where owner = delivery_workers.id and wake_at > now() order by webhook_id limit 1) is null
    )
    select count(*)::integer as woken from woken`.execute(db);
  return rows[0]?.woken ?? 0;
}

/**
 * Workers whose name is free. None of them lives again: one that connects anew has another id, and is written down only
 * while its name is locked. Where two look at the same moment, one of them may see a dead worker alive, until its next look.
 * (With the limit as a parameter the statement would be planned at each look, which costs more than the rest.)
 */
async function findDead(db: Db, ownId: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from delivery_workers
     where id <> ${ownId} and ${nameIsFree}
     order by id limit 10`.execute(db);
  return rows.map(({ id }) => id);
}
