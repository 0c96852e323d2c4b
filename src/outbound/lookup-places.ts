/** Look-ups at a time, over all owners. */
const MOST_LOOKUPS = 128;
/** One that lasts longer goes on all the same, but its place may go to somebody else. */
const SILENT_AFTER_MS = 1_000;

type Waiter = { isAwaited: () => boolean; settle: (done: (() => void) | null) => void };

/**
 * Places for look-ups of names, shared out among owners by the threshold of `shares.ts`: one may have a third of what is free under
 * way. Who waits is served by owner in turn. However many owners' name servers are silent, one that has nothing under way waits a
 * second at most: it gets the place of the look-up that is under way longest, which then counts as its owner's and takes no place.
 */
export class LookupPlaces {
  #free: number;
  /** By owner, with those whose place was given to another. */
  readonly #underWay = new Map<string, number>();
  /** The one that began first is first. */
  readonly #places = new Set<{ since: number }>();
  /** By owner; whoever had a turn last is last. */
  readonly #waiting = new Map<string, Waiter[]>();
  #wakes: NodeJS.Timeout | undefined;

  constructor(places = MOST_LOOKUPS) {
    this.#free = places;
  }

  /** Answers what ends the look-up that now may begin; null where nobody awaited it any more when its turn came. */
  async take(owner: string, isAwaited: () => boolean = () => true): Promise<(() => void) | null> {
    return new Promise((settle) => {
      const own = this.#waiting.get(owner) ?? [];
      own.push({ isAwaited, settle });
      this.#waiting.set(owner, own);
      this.#serve();
    });
  }

  #serve(): void {
    clearTimeout(this.#wakes);
    while (this.#beginNext() || this.#makeRoom());
  }

  /** Of the owner whose turn was longest ago, of those that may have another one. */
  #beginNext(): boolean {
    for (const [owner, waiters] of this.#waiting) {
      while (waiters[0]?.isAwaited() === false) waiters.shift()?.settle(null);
      const next = this.#mayBegin(owner) ? waiters.shift() : undefined;
      if (next || waiters.length === 0) this.#waiting.delete(owner);
      if (!next) continue;
      if (waiters.length > 0) this.#waiting.set(owner, waiters);
      next.settle(this.#begin(owner));
      return true;
    }
    return false;
  }

  #mayBegin(owner: string): boolean {
    const own = this.#underWay.get(owner) ?? 0;
    return this.#free > 0 && (own === 0 || own < this.#free / 3);
  }

  #begin(owner: string): () => void {
    const place = { since: performance.now() };
    this.#places.add(place);
    this.#free -= 1;
    this.#underWay.set(owner, (this.#underWay.get(owner) ?? 0) + 1);
    return () => {
      if (this.#places.delete(place)) this.#free += 1;
      const left = (this.#underWay.get(owner) ?? 1) - 1;
      if (left > 0) this.#underWay.set(owner, left);
      else this.#underWay.delete(owner);
      this.#serve();
    };
  }

  /** For an owner that has nothing under way, from the look-up that is under way longest, now or once it is silent. */
  #makeRoom(): boolean {
    const [oldest] = this.#places;
    if (!oldest || [...this.#waiting.keys()].every((owner) => this.#underWay.has(owner))) return false;
    const left = oldest.since + SILENT_AFTER_MS - performance.now();
    if (left > 0) {
      this.#wakes = setTimeout(() => this.#serve(), left).unref();
      return false;
    }
    this.#places.delete(oldest);
    this.#free += 1;
    return true;
  }
}
