import { Held } from '../fair/held.ts';
import { RoundRobin, type May, type Owner } from '../fair/round-robin.ts';

/** Look-ups at a time, over all owners. */
const MOST_LOOKUPS = 128;
/** One that lasts longer goes on all the same, but its place may go to somebody else. */
const SILENT_AFTER_MS = 1_000;

type Waiter = { isAwaited: () => boolean; settle: (done: (() => void) | null) => void };

/**
 * Places for look-ups of names, in round robin by organisation and team; one organisation may have a third of what is
 * free under
 * way. However many owners' name servers are silent, an organisation that has nothing under way waits a second at most:
 * it gets the
 * place of the look-up that is under way longest, which then counts as its owner's and takes no place.
 */
export class LookupPlaces {
  #free: number;
  /** With those whose place was given to another. */
  readonly #underWay = new Held();
  /** The one that began first is first. */
  readonly #places = new Set<{ since: number }>();
  readonly #waiting = new RoundRobin<Waiter>();
  readonly #may: May;
  #wakes: NodeJS.Timeout | undefined;

  constructor(places = MOST_LOOKUPS) {
    this.#free = places;
    this.#may = { org: (org) => this.#mayBegin(org), team: () => true };
  }

  /** Answers what ends the look-up that now may begin; null where nobody awaited it any more when its turn came. */
  async take(owner: Owner, isAwaited: () => boolean = () => true): Promise<(() => void) | null> {
    return new Promise((settle) => {
      this.#waiting.add(owner, { isAwaited, settle });
      this.#serve();
    });
  }

  #serve(): void {
    clearTimeout(this.#wakes);
    while (this.#beginNext() || this.#makeRoom());
  }

  #beginNext(): boolean {
    const turn = this.#waiting.next(this.#may);
    if (!turn) return false;
    turn.item.settle(turn.item.isAwaited() ? this.#begin(turn.owner) : null);
    return true;
  }

  #mayBegin(org: string): boolean {
    const own = this.#underWay.ofOrg(org);
    return this.#free > 0 && (own === 0 || own < this.#free / 3);
  }

  #begin(owner: Owner): () => void {
    const place = { since: performance.now() };
    this.#places.add(place);
    this.#free -= 1;
    this.#underWay.add(owner, 1);
    return () => {
      if (this.#places.delete(place)) this.#free += 1;
      this.#underWay.add(owner, -1);
      this.#serve();
    };
  }

  /**
   * For an organisation that has nothing under way, from the look-up that is under way longest, now or once it is
   * silent.
   */
  #makeRoom(): boolean {
    const [oldest] = this.#places;
    if (!oldest || !this.#waiting.has((org) => this.#underWay.ofOrg(org) === 0)) return false;
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
