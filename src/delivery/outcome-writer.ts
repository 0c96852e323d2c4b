import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Ctx, TxCtx } from '../context.ts';
import { inTransaction } from '../db/transaction.ts';
import { disableEndpoints } from './disable.ts';
import { publishExhausted } from './publish-exhausted.ts';
import { queueReplayed } from './queues/queue-replayed.ts';
import { mayExhaust, recordOutcomes, type Consequences, type EndedDelivery } from './record-outcomes.ts';

const BATCH = 256;
/**
 * A statement for eight outcomes costs nearly as much as one for sixty. If fewer outcomes than this are waiting, the
 * writer waits MOMENT_MS for more.
 */
const ENOUGH = 64;
const MOMENT_MS = 4;
/**
 * After an attempt timed out, the writer waits this long for further outcomes. Many attempts time out together, and one
 * statement can then write all their outcomes.
 */
const GATHER_MS = 25;
const AGAIN_AFTER_MS = 500;
/**
 * We try again after this time if another transaction locks a row that we want to delete. The other transaction erases
 * a user, or undoes the deletion of a user, and may take some time.
 */
const AFTER_LOCK_MS = 2_000;
/**
 * The writer gives up after this many tries. By then the leases of the endpoint queues have ended, and other workers
 * repeat these deliveries.
 */
const MAX_TRIES = 60;
/**
 * Writes outcomes in batches. While it writes one batch, the next one gathers, so batches become larger when the load
 * grows.
 */
export class OutcomeWriter {
  readonly #ctx: Ctx;
  readonly #done: (ended: EndedDelivery, isWritten: boolean) => void;
  readonly #waiting: EndedDelivery[] = [];
  readonly #locked = new Map<EndedDelivery, NodeJS.Timeout>();
  #running: Promise<void> | null = null;
  #disabling: Promise<void> = Promise.resolve();
  #toDisable = 0;
  #hurried = false;
  #gathering: NodeJS.Timeout | null = null;

  /** The writer calls `done` for each outcome when it is in the database, or when the writer gives it up. */
  constructor(ctx: Ctx, done: (ended: EndedDelivery, isWritten: boolean) => void) {
    this.#ctx = ctx;
    this.#done = done;
  }

  /** The number of outcomes that wait for the lock of another transaction. */
  get locked(): number {
    return this.#locked.size;
  }

  /** The number of batches whose endpoints are being disabled. */
  get disabling(): number {
    return this.#toDisable;
  }

  add(ended: EndedDelivery): void {
    this.#waiting.push(ended);
    if (ended.outcome.error !== 'timeout' || this.#hurried) this.#begin();
    else this.#gathering ??= setTimeout(() => this.#begin(), GATHER_MS);
  }

  /** Tries immediately to write the outcomes that wait for a lock. */
  again(): void {
    for (const [ended, timer] of this.#locked) {
      clearTimeout(timer);
      this.#waiting.push(ended);
    }
    this.#locked.clear();
    if (this.#waiting.length > 0) this.#begin();
  }

  /**
   * Writes all outcomes and resolves when that is done. From this call on, the writer does not repeat a failed write.
   */
  async finish(): Promise<void> {
    this.#hurried = true;
    this.again();
    await this.#running;
    await this.#disabling;
  }

  #begin(): void {
    if (this.#gathering) clearTimeout(this.#gathering);
    this.#gathering = null;
    this.#running ??= this.#run().finally(() => {
      this.#running = null;
    });
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      if (this.#waiting.length < ENOUGH && !this.#hurried) await wait(MOMENT_MS);
      const batch = this.#waiting.splice(0, BATCH);
      const consequences = await this.#write(batch);
      const locked = new Set(this.#hurried ? [] : consequences?.locked);
      const unwritten = new Set(consequences ? consequences.unwritten : batch);
      const asked = new Set(consequences?.asked);
      for (const ended of batch) {
        if (locked.has(ended)) this.#postpone(ended);
        else this.#done(asked.has(ended) ? { ...ended, delay: 0 } : ended, !unwritten.has(ended));
      }
      if (consequences) this.#disable(consequences);
    }
  }

  #postpone(ended: EndedDelivery): void {
    const timer = setTimeout(() => {
      this.#locked.delete(ended);
      this.add(ended);
    }, AFTER_LOCK_MS);
    this.#locked.set(ended, timer);
  }

  /**
   * Disables endpoints while the next batches are written. Each endpoint has its own transaction, so outcomes of other
   * teams do not wait for it.
   */
  #disable(consequences: Consequences): void {
    const disable = consequences.disable.filter((one) => one.reason === 'gone' || !this.#awaitsSuccess(one));
    if (disable.length === 0) return;
    this.#toDisable += 1;
    this.#disabling = this.#disabling
      .then(() => disableEndpoints(this.#ctx, disable))
      .catch((error: unknown) => {
        this.#ctx.log.error({ err: error }, 'endpoints were not disabled; their next failure tries again');
      })
      .finally(() => {
        this.#toDisable -= 1;
      });
  }

  /**
   * Returns true if an attempt at the endpoint has succeeded but its outcome is not written yet. Then we must not
   * disable the endpoint.
   */
  #awaitsSuccess({ webhook_id }: { webhook_id: string }): boolean {
    const unwritten = [...this.#locked.keys(), ...this.#waiting];
    return unwritten.some(({ delivery, outcome }) => outcome.ok && delivery.webhook_id === webhook_id);
  }

  /** Writes a batch. Returns null if it gave up. */
  async #write(batch: EndedDelivery[]): Promise<Consequences | null> {
    for (let tries = 1; ; tries += 1) {
      try {
        if (!isOfReplays(batch) && !mayExhaust(batch)) return await recordOutcomes(this.#ctx, batch);
        return await inTransaction(this.#ctx, async (ctx) => {
          const written = await recordBatch(ctx, batch);
          await publishExhausted(ctx, written.exhausted);
          return written;
        });
      } catch (error) {
        const last = this.#hurried || tries === MAX_TRIES;
        if (tries === 1 || last) {
          this.#ctx.log.error(
            { err: error, deliveries: batch.length, tries },
            'outcomes of deliveries were not written',
          );
        }
        // The leases of the queues end, and other workers repeat these deliveries. Delivery is at least once.
        if (last) return null;
        await wait(AGAIN_AFTER_MS);
      }
    }
  }
}

/** Another transaction may be adding the same event to a queue. We wait for its lock only this long. */
const BRIEFLY = sql`set local lock_timeout = '200ms'`;

const isOfReplays = (batch: EndedDelivery[]): boolean => batch.some(({ delivery }) => delivery.from === 'replays');

/**
 * Writes the outcomes of one batch. All outcomes of a batch belong to webhook replays, or none does. While somebody
 * erases events of a team, the function returns the outcomes of the team's replays as locked, and we write them later.
 */
async function recordBatch(ctx: TxCtx<Ctx>, batch: EndedDelivery[]): Promise<Consequences> {
  if (!isOfReplays(batch)) return recordOutcomes(ctx, batch);
  await BRIEFLY.execute(ctx.db);
  const refused = await queueReplayed(
    ctx.db,
    batch.map((ended) => ({ ...ended.delivery, ended })),
  );
  const locked = new Set(refused.map(({ ended }) => ended));
  const written = await recordOutcomes(
    ctx,
    batch.filter((ended) => !locked.has(ended)),
  );
  return { ...written, locked: [...written.locked, ...locked] };
}
