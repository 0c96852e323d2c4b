import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { Ctx } from './context.ts';
import { AppError } from './errors.ts';
import { FairShare, type Release } from './fair/fair-share.ts';

/** The most bodies, of one kind of webhook from outside, that we read and handle at the same time. */
const AT_ONCE = 32;
/**
 * The most bodies of one address at the same time. So one address does not use all permits, and a body from another
 * address finds a free one.
 */
const OF_ONE_ADDRESS = 8;
/** The most waiting bodies of one address. We refuse further ones, and their senders must send them again. */
const MAX_WAITING = 100;

/** A body uses its permit for at most this time, even if it has not arrived completely. */
const LONGEST_ARRIVAL_MS = 5_000;
/** The same limit while other bodies wait. A sender normally sends such a small body at once. */
const LONGEST_BEFORE_OTHERS_MS = 1_000;
const LOOK_MS = 250;

type Arriving = { since: number; body: Readable };

/**
 * Permits for bodies that we read before we know their sender. Anybody can send such a body, and could send it slowly
 * to keep others out. Each kind of webhook from outside has its own permits, which addresses share. If no permit is
 * free, a body waits, and then slow senders lose their permits. Carriers, schedulers and providers retry by themselves.
 */
export class HookBodies {
  readonly #permits = new FairShare({
    permits: AT_ONCE,
    maxOfOrg: OF_ONE_ADDRESS,
    maxWaiting: MAX_WAITING,
    refuse: () => new AppError('not_ready', 'Too many updates are arriving. Send this one again shortly.'),
  });
  /** The bodies that are arriving, in the order in which they began. */
  readonly #arriving = new Set<Arriving>();
  #looking: NodeJS.Timeout | null = null;

  /**
   * Reads a body and handles it, with a permit of the address in `ctx`. Throws not_ready if too many bodies wait, or if
   * this body does not arrive in time.
   */
  async take<T>(ctx: Ctx, body: Readable, work: (bytes: Buffer) => Promise<T>): Promise<T> {
    const release = await this.#acquirePermit(ctx.address ?? '');
    try {
      return await work(await this.#read(body));
    } finally {
      release();
    }
  }

  #acquirePermit(address: string): Release | Promise<Release> {
    const permit = this.#permits.acquire({ org: address, team: address });
    this.#looking ??= permit instanceof Promise ? setInterval(() => this.#endSlowSenders(), LOOK_MS).unref() : null;
    return permit;
  }

  async #read(body: Readable): Promise<Buffer> {
    const arriving = { since: performance.now(), body };
    const late = setTimeout(() => body.destroy(tooLate()), LONGEST_ARRIVAL_MS);
    this.#arriving.add(arriving);
    try {
      return await buffer(body);
    } finally {
      clearTimeout(late);
      this.#arriving.delete(arriving);
    }
  }

  /** Ends bodies that have arrived too slowly while others wait. It ends at most as many as wait. */
  #endSlowSenders(): void {
    const { waiting } = this.#permits;
    if (waiting === 0) {
      clearInterval(this.#looking ?? undefined);
      this.#looking = null;
    }
    const longest = performance.now() - LONGEST_BEFORE_OTHERS_MS;
    const slow = [...this.#arriving].filter(({ since }) => since < longest).slice(0, waiting);
    for (const { body } of slow) body.destroy(tooLate());
  }
}

const tooLate = (): AppError => new AppError('not_ready', 'The event did not arrive in time. Send it again.');
