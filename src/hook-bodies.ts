import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { Ctx } from './context.ts';
import { AppError } from './errors.ts';
import { FairShare, type Release } from './fair/fair-share.ts';

/** Bodies of one kind of hook that are read and worked on at a time. */
const AT_ONCE = 32;
/** Of one address, so that another finds a place at once. */
const OF_ONE_ADDRESS = 8;
/** Of one address; what comes then is asked to be sent again. */
const MOST_WAITING = 100;

/** A body that never ends takes nobody's place for longer. */
const LONGEST_ARRIVAL_MS = 5_000;
/** The same where others wait for its place. A sender writes a body of a hook in one piece. */
const LONGEST_BEFORE_OTHERS_MS = 1_000;
const LOOK_MS = 250;

type Arriving = { since: number; body: Readable };

/**
 * Places for bodies that are read before it is known who has sent them: anybody may send one. Each kind of hook has places
 * of its own, shared out by address. Who finds none waits, and senders who are slow meanwhile lose theirs: carriers,
 * schedulers and providers send again by themselves.
 */
export class HookBodies {
  readonly #places = new FairShare({
    permits: AT_ONCE,
    mostOfOrg: OF_ONE_ADDRESS,
    mostWaiting: MOST_WAITING,
    refuse: () => new AppError('not_ready', 'Too much news arrives here. Send this again shortly.'),
  });
  /** The one that began first is the first. */
  readonly #arriving = new Set<Arriving>();
  #looking: NodeJS.Timeout | null = null;

  /**
   * Reads a body and does with it what there is to do, in a place of the address that `ctx` came from. Throws not_ready
   * where too many wait, or this one does not arrive.
   */
  async take<T>(ctx: Ctx, body: Readable, work: (bytes: Buffer) => Promise<T>): Promise<T> {
    const release = await this.#place(ctx.address ?? '');
    try {
      return await work(await this.#read(body));
    } finally {
      release();
    }
  }

  #place(address: string): Release | Promise<Release> {
    const place = this.#places.acquire({ org: address, team: address });
    this.#looking ??= place instanceof Promise ? setInterval(() => this.#makeRoom(), LOOK_MS).unref() : null;
    return place;
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

  /** Ends those that have been arriving for too long beside others who wait, as many as wait. */
  #makeRoom(): void {
    const { waiting } = this.#places;
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
