import { UsageByOwner } from './usage-by-owner.ts';
import { RoundRobin, type Eligible, type Owner } from './round-robin.ts';

/** Releases the permit of the calling work, runs `pause`, and then takes a permit again. */
export type Aside = <T>(pause: () => Promise<T>) => Promise<T>;

/** Releases a permit. Further calls do nothing. */
export type Release = () => void;

type Options = {
  permits: number;
  /** The most permits of one organisation. Default: all permits. */
  maxOfOrg?: number;
  /** The most permits of one team. Default: as many as one organisation may have. */
  maxOfTeam?: number;
  /** The most waiting work of one team. Further work fails with the error that `refuse` returns. */
  maxWaiting?: number;
  refuse?: (owner: Owner) => Error;
};

type Waiter = { since: number; grant: (release: Release) => void };

/**
 * Permits for a shared part of a process. Work waits if no permit is free. A free permit goes to the next owner in
 * round robin, by organisation and then by team. `fair-share.test.ts` checks two things. Between two permits of a
 * waiting owner, each other owner gets at most one. No permit is lost or given twice.
 */
export class FairShare {
  readonly #options: Options;
  readonly #maxOfOrg: number;
  readonly #maxOfTeam: number;
  readonly #inUse = new UsageByOwner();
  readonly #waiting = new RoundRobin<Waiter>();
  /** All waiting work, the oldest first. */
  readonly #waiters = new Set<Waiter>();
  readonly #eligible: Eligible;

  constructor(options: Options) {
    this.#options = options;
    this.#maxOfOrg = options.maxOfOrg ?? options.permits;
    this.#maxOfTeam = options.maxOfTeam ?? this.#maxOfOrg;
    this.#eligible = {
      org: (org) => this.#inUse.ofOrg(org) < this.#maxOfOrg,
      team: (owner) => this.#inUse.ofTeam(owner) < this.#maxOfTeam,
    };
  }

  get inUse(): number {
    return this.#inUse.all;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** The time that the oldest waiting work has waited. */
  get longestWaitMs(): number {
    const [first] = this.#waiters;
    return first ? performance.now() - first.since : 0;
  }

  /**
   * Runs `work` with a permit of the owner. While the work waits for something else, such as another service, it can
   * release the permit with `aside`. After that, it waits for a permit like all other work.
   */
  async run<T>(owner: Owner, work: (aside: Aside) => Promise<T>, signal?: AbortSignal): Promise<T> {
    let permit: Release | null = await this.acquire(owner, signal);
    let isOver = false;
    let pauses = 0;
    const release = (): void => {
      permit?.();
      permit = null;
    };
    const aside: Aside = async (pause) => {
      release();
      pauses += 1;
      try {
        return await pause();
      } finally {
        pauses -= 1;
        const again = await this.acquire(owner, signal);
        // Pauses can overlap, and can outlast the work itself. The work has at most one permit, and none during a
        // pause.
        if (permit || pauses > 0 || isOver) again();
        else permit = again;
      }
    };
    try {
      return await work(aside);
    } finally {
      isOver = true;
      release();
    }
  }

  /**
   * Resolves with a function that releases the permit. Rejects with the error of `refuse` or the reason of `signal`,
   * and has no permit then.
   */
  acquire(owner: Owner, signal?: AbortSignal): Release | Promise<Release> {
    const release = this.tryAcquire(owner);
    if (release) return release;
    if (this.#waiting.waitingOf(owner) >= (this.#options.maxWaiting ?? Infinity)) {
      throw this.#options.refuse?.(owner) ?? new Error('Too much work of this team is waiting.');
    }
    return this.#wait(owner, signal);
  }

  /** Takes a permit. Returns null if no permit is free for the owner now. */
  tryAcquire(owner: Owner): Release | null {
    // A permit may be free although some work waits. Then the owners of that work have reached their own limits, and
    // this owner may go first.
    const isFree =
      this.#inUse.all < this.#options.permits && this.#eligible.org(owner.org) && this.#eligible.team(owner);
    return isFree ? this.#grant(owner) : null;
  }

  #wait(owner: Owner, signal: AbortSignal | undefined): Promise<Release> {
    signal?.throwIfAborted();
    return new Promise((resolve, reject) => {
      const giveUp = (): void => {
        this.#waiting.remove(owner, waiter);
        this.#waiters.delete(waiter);
        reject(signal?.reason as Error);
      };
      const grant = (release: Release): void => {
        signal?.removeEventListener('abort', giveUp);
        this.#waiters.delete(waiter);
        resolve(release);
      };
      const waiter = { since: performance.now(), grant };
      signal?.addEventListener('abort', giveUp, { once: true });
      this.#waiting.add(owner, waiter);
      this.#waiters.add(waiter);
    });
  }

  #grant(owner: Owner): Release {
    this.#inUse.add(owner, 1);
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      this.#inUse.add(owner, -1);
      this.#serve();
    };
  }

  #serve(): void {
    while (this.#inUse.all < this.#options.permits) {
      const next = this.#waiting.next(this.#eligible);
      if (!next) return;
      next.item.grant(this.#grant(next.owner));
    }
  }
}
