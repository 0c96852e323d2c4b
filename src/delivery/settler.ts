import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Ctx, TxCtx } from '../context.ts';
import { inTransaction } from '../db/transaction.ts';
import { disableReceivers } from './disable.ts';
import { tellOfExhausted } from './exhausted.ts';
import { queueReplayed } from './lanes/replayed.ts';
import { mayExhaust, settleDeliveries, type Consequences, type Settled } from './settle.ts';

const BATCH = 256;
/** Fewer wait a moment for others: a statement for eight costs nearly as much as one for sixty. */
const ENOUGH = 64;
const MOMENT_MS = 4;
/** Time-outs come in swarms, and nobody waits for one to be written. */
const GATHER_MS = 25;
const AGAIN_AFTER_MS = 500;
/** Somebody else has locked what was to leave the queue: an undo, or an erasure, which may take its time. */
const AFTER_LOCK_MS = 2_000;
/** The database is away for longer than leases last: other workers make these deliveries again. */
const MOST_TRIES = 60;
/** Writes outcomes in batches: while one is written the next gathers, so that batches grow with the load. */
export class Settler {
  readonly #ctx: Ctx;
  readonly #done: (settled: Settled, isWritten: boolean) => void;
  readonly #waiting: Settled[] = [];
  readonly #locked = new Map<Settled, NodeJS.Timeout>();
  #running: Promise<void> | null = null;
  #disabling: Promise<void> = Promise.resolve();
  #toDisable = 0;
  #hurried = false;
  #gathering: NodeJS.Timeout | null = null;

  /** `done` hears of each that is written, or that nobody need write any more. */
  constructor(ctx: Ctx, done: (settled: Settled, isWritten: boolean) => void) {
    this.#ctx = ctx;
    this.#done = done;
  }

  /** Outcomes that wait for somebody else's lock. */
  get locked(): number {
    return this.#locked.size;
  }

  /** Batches whose receivers are being disabled. */
  get disabling(): number {
    return this.#toDisable;
  }

  add(settled: Settled): void {
    this.#waiting.push(settled);
    if (settled.outcome.error !== 'timeout' || this.#hurried) this.#begin();
    else this.#gathering ??= setTimeout(() => this.#begin(), GATHER_MS);
  }

  /** Tries at once what waits for a lock. */
  again(): void {
    for (const [settled, timer] of this.#locked) {
      clearTimeout(timer);
      this.#waiting.push(settled);
    }
    this.#locked.clear();
    if (this.#waiting.length > 0) this.#begin();
  }

  /** Resolves when everything is written; a failure is not tried again from now on. */
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
      for (const settled of batch) {
        if (locked.has(settled)) this.#postpone(settled);
        else this.#done(asked.has(settled) ? { ...settled, delay: 0 } : settled, !unwritten.has(settled));
      }
      if (consequences) this.#disable(consequences);
    }
  }

  #postpone(settled: Settled): void {
    const timer = setTimeout(() => {
      this.#locked.delete(settled);
      this.add(settled);
    }, AFTER_LOCK_MS);
    this.#locked.set(settled, timer);
  }

  /** Beside the outcomes: each is a transaction of its own, and other teams' outcomes do not wait for it. */
  #disable(consequences: Consequences): void {
    const disable = consequences.disable.filter((one) => one.reason === 'gone' || !this.#awaitsSuccess(one));
    if (disable.length === 0) return;
    this.#toDisable += 1;
    this.#disabling = this.#disabling
      .then(() => disableReceivers(this.#ctx, disable))
      .catch((error: unknown) => {
        this.#ctx.log.error({ err: error }, 'endpoints were not disabled; their next failure tries again');
      })
      .finally(() => {
        this.#toDisable -= 1;
      });
  }

  /** Whether a success at the receiver is still to be written: it waits for somebody else's lock, or did so until now. */
  #awaitsSuccess({ webhook_id }: { webhook_id: string }): boolean {
    const unwritten = [...this.#locked.keys(), ...this.#waiting];
    return unwritten.some(({ delivery, outcome }) => outcome.ok && delivery.webhook_id === webhook_id);
  }

  /** Null where it was given up. */
  async #write(batch: Settled[]): Promise<Consequences | null> {
    for (let tries = 1; ; tries += 1) {
      try {
        if (!isOfReplays(batch) && !mayExhaust(batch)) return await settleDeliveries(this.#ctx, batch);
        return await inTransaction(this.#ctx, async (ctx) => {
          const written = await settle(ctx, batch);
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
        if (last) return null;
        await wait(AGAIN_AFTER_MS);
      }
    }
  }
}

/** Whoever queues the same event again at this moment is not waited for long. */
const BRIEFLY = sql`set local lock_timeout = '200ms'`;

const isOfReplays = (batch: Settled[]): boolean => batch.some(({ delivery }) => delivery.from === 'replays');

/** Outcomes of replays are batches of their own. What belongs to a team in which something is being erased comes later. */
async function settle(ctx: TxCtx<Ctx>, batch: Settled[]): Promise<Consequences> {
  if (!isOfReplays(batch)) return settleDeliveries(ctx, batch);
  await BRIEFLY.execute(ctx.db);
  const refused = await queueReplayed(
    ctx.db,
    batch.map((settled) => ({ ...settled.delivery, settled })),
  );
  const locked = new Set(refused.map(({ settled }) => settled));
  const written = await settleDeliveries(
    ctx,
    batch.filter((settled) => !locked.has(settled)),
  );
  return { ...written, locked: [...written.locked, ...locked] };
}
