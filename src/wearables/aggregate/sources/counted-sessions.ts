// The sessions that count, with a search that finds whether a new session repeats one of them.

export type Span = { start: number; stop: number };

/**
 * A collection of the sessions that count. Two sessions are the same if they overlap by at least half of the shorter
 * one: exactly then the middle of one session is within the other. So two searches are enough. One finds a session
 * around the middle of the new session, the other a middle within the new session. Each search uses a Fenwick tree, a
 * tree in an array. One tree is over the sorted starts, the other over the sorted middles of all sessions that may be
 * added.
 */
export class CountedSessions {
  readonly #starts: Float64Array;
  readonly #middles: Float64Array;
  /** For each node of the tree: the latest stop among the sessions of the node. */
  readonly #stops: Float64Array;
  /** For each node of the tree: the number of middles of the node. */
  readonly #counts: Uint32Array;

  constructor(all: readonly Span[]) {
    this.#starts = Float64Array.from(all, ({ start }) => start).sort();
    this.#middles = Float64Array.from(all, middleOf).sort();
    this.#stops = new Float64Array(all.length + 1).fill(-Infinity);
    this.#counts = new Uint32Array(all.length + 1);
  }

  /** Adds a session. The session must be one of those that the constructor received. */
  add(session: Span): void {
    for (let n = countUpTo(this.#starts, session.start); n < this.#stops.length; n += n & -n) {
      this.#stops[n] = Math.max(this.#stops[n] as number, session.stop);
    }
    for (let n = countUpTo(this.#middles, middleOf(session)); n < this.#counts.length; n += n & -n) {
      this.#counts[n] = (this.#counts[n] as number) + 1;
    }
  }

  hasSame(session: Span): boolean {
    const middle = middleOf(session);
    if (this.#latestStop(countUpTo(this.#starts, middle)) >= middle) return true;
    const upToStop = this.#count(countUpTo(this.#middles, session.stop));
    return upToStop > this.#count(countBefore(this.#middles, session.start));
  }

  #latestStop(upTo: number): number {
    let latest = -Infinity;
    for (let n = upTo; n > 0; n -= n & -n) latest = Math.max(latest, this.#stops[n] as number);
    return latest;
  }

  #count(upTo: number): number {
    let count = 0;
    for (let n = upTo; n > 0; n -= n & -n) count += this.#counts[n] as number;
    return count;
  }
}

const middleOf = ({ start, stop }: Span): number => (start + stop) / 2;

const countUpTo = (sorted: Float64Array, most: number): number => countWhile(sorted, (value) => value <= most);

const countBefore = (sorted: Float64Array, end: number): number => countWhile(sorted, (value) => value < end);

/**
 * Returns how many values of the list satisfy the predicate. The list must be sorted so that these values come before
 * all others.
 */
function countWhile(sorted: Float64Array, predicate: (value: number) => boolean): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (predicate(sorted[middle] as number)) low = middle + 1;
    else high = middle;
  }
  return low;
}
