import { setTimeout as wait } from 'node:timers/promises';
import type { Ctx } from '../context.ts';
import { inTransaction } from '../db/transaction.ts';
import { disableReceivers, tellOfExhausted } from './consequences.ts';
import { settleDeliveries, type Consequences, type Settled } from './settle.ts';

const BATCH = 200;
const AGAIN_AFTER_MS = 500;
/** The database is away for longer than leases last: other workers make these deliveries again. */
const MOST_TRIES = 60;

/** Writes outcomes in batches: while one is written the next gathers, so that batches grow with the load. */
export class Settler {
  readonly #ctx: Ctx;
  readonly #done: (settled: Settled, written: boolean) => void;
  readonly #waiting: Settled[] = [];
  #running: Promise<void> | null = null;
  #hurried = false;

  constructor(ctx: Ctx, done: (settled: Settled, written: boolean) => void) {
    this.#ctx = ctx;
    this.#done = done;
  }

  add(settled: Settled): void {
    this.#waiting.push(settled);
    this.#running ??= this.#run().finally(() => {
      this.#running = null;
    });
  }

  /** Resolves when everything is written; a failure is not tried again from now on. */
  async finish(): Promise<void> {
    this.#hurried = true;
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
          await tellOfExhausted(ctx, written.exhausted);
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
