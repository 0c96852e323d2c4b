import { setImmediate } from 'node:timers/promises';

/** How long a team counts as there after its last request: it may be about to send the next. */
const THERE_MS = 1_000;
/** Of the connections of a process: what is left is for requests that want little, which wait for no batch. */
const PART = 0.3;
/** Of one team's requests; their clients have given up before their turn comes. */
const MOST_WAITING = 32;
/** A team's batches take a quarter of the time while others are there: it rests three times as long as its last one took. */
const REST = 3;
const LONGEST_REST_MS = 1_000;
/** At each pause of a batch; requests that last longer than that wait for somebody else. */
const LONGEST_WAY_MS = 10;

type Team = { waiting: (() => void)[]; restsUntil: number };

/**
 * Batches of thousands of values, sent, pulled or read from a file, keep the process and the database busy for milliseconds
 * each, and whoever asks for little waits behind all that are under way. As long as another team is there, one batch is worked
 * on at a time, teams take turns, and none has more than a quarter of the time, whether the others want it or not: what they
 * want comes unannounced.
 */
export class BulkWork {
  /** Batches of this process at a time, where the team that they are of is alone; each holds a connection. */
  readonly places: number;
  /** Teams that wait or rest, whoever had a turn last behind the others. */
  readonly #teams = new Map<string, Team>();
  #underWay = 0;
  #wakes: NodeJS.Timeout | undefined;
  /** Requests under way that are no batches, and batches that let them go first. */
  #little = 0;
  #givingWay: (() => void)[] = [];
  #gaveWayMs = 0;
  /** The team that asked last, and when another one than that did. */
  #last: { team: string; otherAt: number } = { team: '', otherAt: -Infinity };

  constructor(connections: number) {
    this.places = Math.max(1, Math.floor(connections * PART));
  }

  /** Hears of every request, whatever it wants: its team is there. */
  hear(team: string): void {
    if (team === this.#last.team) return;
    this.#last = { team, otherAt: this.#last.team === '' ? -Infinity : performance.now() };
  }

  async run<T>(team: string, work: () => Promise<T>): Promise<T> {
    await this.#enter(team);
    const [begin, gaveWay] = [performance.now(), this.#gaveWayMs];
    try {
      return await work();
    } finally {
      this.#leave(team, Math.max(0, performance.now() - begin - (this.#gaveWayMs - gaveWay)));
    }
  }

  /** What is no batch: those under way give way to it. */
  async little<T>(work: () => Promise<T>): Promise<T> {
    this.#little += 1;
    try {
      return await work();
    } finally {
      this.#little -= 1;
      if (this.#little === 0) for (const goOn of this.#givingWay.splice(0)) goOn();
    }
  }

  /**
   * What a batch does after a millisecond or two of work without a pause: what has come in meanwhile is begun, and what is no
   * batch is finished first, within 10 ms. A request asks the database several times, and would otherwise wait for a piece of
   * the batch each time.
   */
  async giveWay(): Promise<void> {
    const begin = performance.now();
    await setImmediate();
    if (this.#little > 0) {
      await new Promise<void>((resolve) => {
        const longest = setTimeout(resolve, LONGEST_WAY_MS);
        this.#givingWay.push(() => {
          clearTimeout(longest);
          resolve();
        });
      });
    }
    this.#gaveWayMs += performance.now() - begin;
  }

  /** Whether so much of the team waits that a request had better come again later. */
  isFull(team: string): boolean {
    return (this.#teams.get(team)?.waiting.length ?? 0) >= MOST_WAITING;
  }

  #othersAreThere(): boolean {
    return performance.now() - this.#last.otherAt < THERE_MS;
  }

  #enter(id: string): Promise<void> {
    const team = this.#teams.get(id) ?? { waiting: [], restsUntil: 0 };
    this.#teams.set(id, team);
    const turn = new Promise<void>((resolve) => team.waiting.push(resolve));
    this.#begin();
    return turn;
  }

  #leave(id: string, tookMs: number): void {
    this.#underWay -= 1;
    const waiting = this.#teams.get(id)?.waiting ?? [];
    this.#teams.delete(id);
    this.#teams.set(id, { waiting, restsUntil: performance.now() + Math.min(REST * tookMs, LONGEST_REST_MS) });
    this.#begin();
  }

  /** Lets batches begin, as many as there are places for and teams that do not rest; the others when their rest ends. */
  #begin(): void {
    const most = this.#othersAreThere() ? 1 : this.places;
    while (this.#underWay < most) {
      const next = this.#next();
      if (!next) break;
      this.#underWay += 1;
      next();
    }
    clearTimeout(this.#wakes);
    const ends = [...this.#teams.values()].flatMap(({ waiting, restsUntil }) => (waiting.length > 0 ? restsUntil : []));
    if (ends.length > 0 && this.#underWay < most)
      this.#wakes = setTimeout(() => this.#begin(), Math.min(...ends) - performance.now()).unref();
  }

  /** Of the team whose turn is longest ago, of those that wait and do not rest. */
  #next(): (() => void) | undefined {
    const rest = this.#othersAreThere();
    const now = performance.now();
    for (const [id, team] of this.#teams) {
      if (rest && team.restsUntil > now) continue;
      const next = team.waiting.shift();
      if (next) return next;
      this.#teams.delete(id);
    }
    return undefined;
  }
}
