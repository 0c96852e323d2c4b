import { UsageByOwner } from '../fair/usage-by-owner.ts';
import { RoundRobin, type Eligible, type Owner } from '../fair/round-robin.ts';

/** The most DNS look-ups at the same time, for all owners together. */
const MAX_LOOKUPS = 128;
/** After this time a look-up continues, but we may give its permit to another owner. */
const SILENT_AFTER_MS = 1_000;

type Waiter = { isAwaited: () => boolean; resolve: (done: (() => void) | null) => void };

/**
 * Permits for DNS look-ups, given in round robin by organisation and team. An organisation may have as many look-ups
 * under way as a third of the permits that are free.
 * If the name servers of many owners do not respond, their look-ups can use all permits. An organisation without a
 * look-up under way still waits at most a second. It then gets the permit of the longest look-up. That longest look-up
 * continues, and still counts for its owner, but uses no permit any more.
 */
export class LookupPermits {
  #free: number;
  /** The look-ups under way by owner, including those whose permit was given to another owner. */
  readonly #underWay = new UsageByOwner();
  /** The permits in use, the oldest first. */
  readonly #permits = new Set<{ since: number }>();
  readonly #waiting = new RoundRobin<Waiter>();
  readonly #eligible: Eligible;
  #wakes: NodeJS.Timeout | undefined;

  constructor(permits = MAX_LOOKUPS) {
    this.#free = permits;
    this.#eligible = { org: (org) => this.#mayBegin(org), team: () => true };
  }

  /**
   * Waits for a permit. Then the look-up may begin, and the caller must call the returned function when the look-up
   * ends. Returns null if nobody waits for the look-up any more.
   */
  async take(owner: Owner, isAwaited: () => boolean = () => true): Promise<(() => void) | null> {
    return new Promise((resolve) => {
      this.#waiting.add(owner, { isAwaited, resolve });
      this.#serve();
    });
  }

  #serve(): void {
    clearTimeout(this.#wakes);
    while (this.#beginNext() || this.#freePermit());
  }

  #beginNext(): boolean {
    const next = this.#waiting.next(this.#eligible);
    if (!next) return false;
    next.item.resolve(next.item.isAwaited() ? this.#begin(next.owner) : null);
    return true;
  }

  #mayBegin(org: string): boolean {
    const own = this.#underWay.ofOrg(org);
    return this.#free > 0 && (own === 0 || own < this.#free / 3);
  }

  #begin(owner: Owner): () => void {
    const permit = { since: performance.now() };
    this.#permits.add(permit);
    this.#free -= 1;
    this.#underWay.add(owner, 1);
    return () => {
      if (this.#permits.delete(permit)) this.#free += 1;
      this.#underWay.add(owner, -1);
      this.#serve();
    };
  }

  /**
   * Frees the permit of the longest look-up if an organisation without a look-up under way waits. If that look-up has
   * run for a second, the function frees its permit now and returns true. Otherwise it sets a timer for that time.
   */
  #freePermit(): boolean {
    const [oldest] = this.#permits;
    if (!oldest || !this.#waiting.has((org) => this.#underWay.ofOrg(org) === 0)) return false;
    const left = oldest.since + SILENT_AFTER_MS - performance.now();
    if (left > 0) {
      this.#wakes = setTimeout(() => this.#serve(), left).unref();
      return false;
    }
    this.#permits.delete(oldest);
    this.#free += 1;
    return true;
  }
}
