import { Held } from './held.ts';
import { RoundRobin, type May, type Owner } from './round-robin.ts';

/** Runs `pause` while whoever asked for it holds no permit. */
export type Aside = <T>(pause: () => Promise<T>) => Promise<T>;

/** Gives a permit back. Called again it does nothing. */
export type Release = () => void;

type Options = {
  permits: number;
  /** Held by one organisation at most; all permits where it is missing. */
  mostOfOrg?: number;
  /** Held by one team at most; as many as by its organisation where it is missing. */
  mostOfTeam?: number;
  /** Of one team, beyond which `refuse` says why nothing more of it is let in to wait. */
  mostWaiting?: number;
  refuse?: (owner: Owner) => Error;
};

type Waiter = { since: number; grant: (release: Release) => void };

/**
 * Permits for something that a process shares out. Who finds none waits, and a permit that comes free goes to whoever
 * is next by
 * round robin: first among organisations, then among the teams of one. `fair-share.test.ts` proves that an owner's next
 * turn
 * comes after at most one turn of each other owner, and that no permit is lost or given twice.
 */
export class FairShare {
  readonly #options: Options;
  readonly #mostOfOrg: number;
  readonly #mostOfTeam: number;
  readonly #held = new Held();
  readonly #waiting = new RoundRobin<Waiter>();
  /** Those that wait, the one that has waited longest first. */
  readonly #waiters = new Set<Waiter>();
  readonly #may: May;

  constructor(options: Options) {
    this.#options = options;
    this.#mostOfOrg = options.mostOfOrg ?? options.permits;
    this.#mostOfTeam = options.mostOfTeam ?? this.#mostOfOrg;
    this.#may = {
      org: (org) => this.#held.ofOrg(org) < this.#mostOfOrg,
      team: (owner) => this.#held.ofTeam(owner) < this.#mostOfTeam,
    };
  }

  /** Permits that are held. */
  get held(): number {
    return this.#held.all;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** How long the one that waits longest has waited. */
  get longestWaitMs(): number {
    const [first] = this.#waiters;
    return first ? performance.now() - first.since : 0;
  }

  /**
   * Runs `work` with a permit of the owner's. With `aside` the work gives it back for as long as it waits for something
   * else, and
   * then waits for one as any other.
   */
  async run<T>(owner: Owner, work: (aside: Aside) => Promise<T>, signal?: AbortSignal): Promise<T> {
    let permit: Release | null = await this.acquire(owner, signal);
    let isOver = false;
    let pauses = 0;
    const giveBack = (): void => {
      permit?.();
      permit = null;
    };
    const aside: Aside = async (pause) => {
      giveBack();
      pauses += 1;
      try {
        return await pause();
      } finally {
        pauses -= 1;
        const again = await this.acquire(owner, signal);
        // Pauses may overlap, or outlast the work: it holds one permit at most, and none in a pause.
        if (permit || pauses > 0 || isOver) again();
        else permit = again;
      }
    };
    try {
      return await work(aside);
    } finally {
      isOver = true;
      giveBack();
    }
  }

  /**
   * What gives the permit back. Rejects with what `refuse` says, or with the reason of `signal`, and then holds none.
   */
  acquire(owner: Owner, signal?: AbortSignal): Release | Promise<Release> {
    const release = this.tryAcquire(owner);
    if (release) return release;
    if (this.#waiting.waitingOf(owner) >= (this.#options.mostWaiting ?? Infinity)) {
      throw this.#options.refuse?.(owner) ?? new Error('Too many of this team wait.');
    }
    return this.#wait(owner, signal);
  }

  /** Null where no permit is free for the owner now. */
  tryAcquire(owner: Owner): Release | null {
    // While a permit is free nobody waits who may have it: whoever waits then is held back by its own bounds.
    const isFree = this.#held.all < this.#options.permits && this.#may.org(owner.org) && this.#may.team(owner);
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
    this.#held.add(owner, 1);
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      this.#held.add(owner, -1);
      this.#serve();
    };
  }

  #serve(): void {
    while (this.#held.all < this.#options.permits) {
      const next = this.#waiting.next(this.#may);
      if (!next) return;
      next.item.grant(this.#grant(next.owner));
    }
  }
}
