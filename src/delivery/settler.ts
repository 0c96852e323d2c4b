import { setTimeout as wait } from 'node:timers/promises';
import type { Ctx } from '../context.ts';
import { inTransaction, runAtCommit } from '../db/transaction.ts';
import { disableReceivers, tellOfExhausted } from './consequences.ts';
import { settleDeliveries, type Consequences, type Settled } from './settle.ts';

const BATCH = 200;
/** Failures come in swarms, and nobody waits for one to be written. */
const GATHER_MS = 25;
const AGAIN_AFTER_MS = 500;
/** The database is away for longer than leases last: other workers make these deliveries again. */
const MOST_TRIES = 60;
/**
 * The commit of outcomes does not wait for the disk, where dozens a second would stand in the way of the requests'. What a
 * crash of PostgreSQL takes of them is the last second's at most, and those deliveries are made again.
 */
const WITHOUT_WAITING = { name: 'phial_without_waiting', text: 'set local synchronous_commit = off', values: [] };

/** Writes outcomes in batches: while one is written the next gathers, so that batches grow with the load. */
export class Settler {
  readonly #ctx: Ctx;
  readonly #done: (settled: Settled, written: boolean) => void;
  readonly #waiting: Settled[] = [];
  #running: Promise<void> | null = null;
  #hurried = false;
  #gathering: NodeJS.Timeout | null = null;

  constructor(ctx: Ctx, done: (settled: Settled, written: boolean) => void) {
    this.#ctx = ctx;
    this.#done = done;
  }

  add(settled: Settled): void {
    this.#waiting.push(settled);
    if (settled.outcome.ok || this.#hurried) this.#begin();
    else this.#gathering ??= setTimeout(() => this.#begin(), GATHER_MS);
  }

  #begin(): void {
    if (this.#gathering) clearTimeout(this.#gathering);
    this.#gathering = null;
    this.#running ??= this.#run().finally(() => {
      this.#running = null;
    });
  }

  /** Resolves when everything is written; a failure is not tried again from now on. */
  async finish(): Promise<void> {
    this.#hurried = true;
    if (this.#waiting.length > 0) this.#begin();
    await this.#running;
  }

  async #run(): Promise<void> {
    await wait(1);
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, BATCH);
      const unwritten = new Set(await this.#write(batch));
      for (const settled of batch) this.#done(settled, !unwritten.has(settled));
    }
  }

  /** Answers what was not written. */
  async #write(batch: Settled[]): Promise<Settled[]> {
    let consequences: Consequences | null = null;
    for (let tries = 1; consequences === null; tries += 1) {
      try {
        consequences = await inTransaction(this.#ctx, async (ctx) => {
          const written = await settleDeliveries(ctx, batch);
          // An event that was told of must not be unknown after a crash.
          if (written.exhausted.length === 0) await runAtCommit(ctx, WITHOUT_WAITING);
          else await tellOfExhausted(ctx, written.exhausted);
          return written;
        });
      } catch (error) {
        const last = this.#hurried || tries === MOST_TRIES;
        if (tries === 1 || last) {
          this.#ctx.log.error(
            { err: error, deliveries: batch.length, tries },
            'outcomes of deliveries were not written',
          );
        }
        // The leases run out and the deliveries are made again: at least once, never less.
        if (last) return batch;
        await wait(AGAIN_AFTER_MS);
      }
    }
    await disableReceivers(this.#ctx, consequences.disable).catch((error: unknown) => {
      this.#ctx.log.error({ err: error }, 'endpoints were not disabled; their next failure tries again');
    });
    return consequences.unwritten;
  }
}
