import { setImmediate } from 'node:timers/promises';

/** How long a team counts as there after its last request: it may be about to send the next. */
const THERE_MS = 1_000;
/** Of the connections of an API: what is left is for requests that want little, which wait for no batch. */
const PART = 0.3;
/** Of one team's requests; their clients have given up before their turn comes. */
const MOST_WAITING = 32;
/** A team's batches take a quarter of the time while others are there: it rests three times as long as its last one took. */
const REST = 3;
const LONGEST_REST_MS = 1_000;
/** At each pause of a batch; requests that last longer than that wait for somebody else. */
const LONGEST_WAY_MS = 10;
/** Of the time that a batch has worked, how much more it may have let others go first: it lasts half as long again at most. */
const MOST_WAY = 0.5;

type Team = { waiting: (() => void)[]; restsUntil: number };

/** Runs `pause` while what asked for it counts as nothing under way. */
export type Aside = <T>(pause: () => Promise<T>) => Promise<T>;

/** What a batch does after a millisecond or two of work: it pauses. */
export type GiveWay = () => Promise<void>;

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
  /** Requests under way that are no batches, by team, and batches that let those of other teams go first. */
  readonly #little = new Map<string, number>();
  readonly #givingWay = new Set<{ team: string; goOn: () => void }>();
  /** The team that asked last, and when another one than that did. */
  #last: { team: string; otherAt: number } = { team: '', otherAt: -Infinity };

  /** Of a process that nobody asks for anything: there are always others, whom other processes serve, and it rests as one team does. */
  readonly #isAmongOthers: boolean;

  constructor(connections: number, { isAmongOthers = false } = {}) {
    this.places = Math.max(1, Math.floor(connections * PART));
    this.#isAmongOthers = isAmongOthers;
  }

  /** Hears of every request and every batch, whatever they want: their team is there. */
  hear(team: string): void {
    if (team === this.#last.team) return;
    this.#last = { team, otherAt: this.#last.team === '' ? -Infinity : performance.now() };
  }

  /** Runs `work` when the team's turn comes. What it waited for others in its turn is no time that its team rests for. */
  async run<T>(team: string, work: (giveWay: GiveWay) => Promise<T>): Promise<T> {
    this.hear(team);
    const whose = this.#isAmongOthers ? '' : team;
    await this.#enter(whose);
    const begin = performance.now();
    let gaveMs = 0;
    const workedMs = (): number => performance.now() - begin - gaveMs;
    const giveWay = async (): Promise<void> => {
      const most = Math.min(LONGEST_WAY_MS, LONGEST_WAY_MS + MOST_WAY * workedMs() - gaveMs);
      const paused = performance.now();
      await setImmediate();
      if (most > 0 && this.#othersWantLittle(team)) await this.#untilNoneDoes(team, most);
      gaveMs += performance.now() - paused;
    };
    try {
      return await work(giveWay);
    } finally {
      this.#leave(whose, workedMs());
    }
  }

  /**
   * What is no batch: those of other teams that are in their turn pause for it. A request asks the database several times, and
   * would otherwise wait for a piece of a batch each time. With `apart` it counts as none while it waits for something else.
   */
  async little<T>(team: string, work: (apart: Aside) => Promise<T>): Promise<T> {
    this.#count(team, 1);
    try {
      return await work(async (wait) => {
        this.#count(team, -1);
        return wait().finally(() => this.#count(team, 1));
      });
    } finally {
      this.#count(team, -1);
    }
  }

  #count(team: string, change: 1 | -1): void {
    const many = (this.#little.get(team) ?? 0) + change;
    if (many > 0) this.#little.set(team, many);
    else this.#little.delete(team);
    for (const { team, goOn } of this.#givingWay) if (!this.#othersWantLittle(team)) goOn();
  }

  #othersWantLittle(team: string): boolean {
    return this.#little.size > (this.#little.has(team) ? 1 : 0);
  }

  async #untilNoneDoes(team: string, most: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const goOn = (): void => {
        clearTimeout(longest);
        this.#givingWay.delete(batch);
        resolve();
      };
      const longest = setTimeout(goOn, most);
      const batch = { team, goOn };
      this.#givingWay.add(batch);
    });
  }

  /** Whether so much of the team waits that a request had better come again later. */
  isFull(team: string): boolean {
    return (this.#teams.get(team)?.waiting.length ?? 0) >= MOST_WAITING;
  }

  #othersAreThere(): boolean {
    return this.#isAmongOthers || performance.now() - this.#last.otherAt < THERE_MS;
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
