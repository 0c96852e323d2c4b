import { setImmediate } from 'node:timers/promises';
import type { Aside } from './fair/fair-share.ts';
import { RoundRobin, type May, type Owner } from './fair/round-robin.ts';

/** How long an owner counts as there after its last request: it may be about to send the next. */
const THERE_MS = 1_000;
/** Of the connections of an API: what is left is for requests that want little, which wait for no batch. */
const PART = 0.3;
/** Of one team's requests; their clients have given up before their turn comes. */
const MOST_WAITING = 32;
/**
 * An owner's batches take a quarter of the time while others are there: it rests three times as long as its last one
 * took.
 */
const REST = 3;
const LONGEST_REST_MS = 10_000;
/** Of a process that is always among others, and has nothing else to do. */
const LONGEST_REST_AMONG_OTHERS_MS = 1_000;
/** At each pause of a batch; requests that last longer than that wait for somebody else. */
const LONGEST_WAY_MS = 10;
/**
 * Of the time that a batch has worked, how much more it may have let others go first: it lasts half as long again at
 * most.
 */
const MOST_WAY = 0.5;

/** Who asked last, and when another one than that did. */
type LastHeard = { id: string; otherAt: number };

/** What a batch does after a millisecond or two of work: it pauses. */
export type GiveWay = () => Promise<void>;

/**
 * Batches of thousands of values, sent, pulled or read from a file, keep the process and the database busy for
 * milliseconds
 * each, and whoever asks for little waits behind all that are under way. As long as another team is there, one batch is
 * worked
 * on at a time, in round robin by organisation and team. Beside others no organisation has more than a quarter of the
 * time, and
 * beside others of its organisation no team has, whether the others want it or not: what they want comes unannounced.
 */
export class BulkWork {
  /** Batches of this process at a time, where the team that they are of is alone; each holds a connection. */
  readonly places: number;
  readonly #waiting = new RoundRobin<() => void>();
  /** Until when an organisation, or a team, rests. */
  readonly #rests = new Map<string, number>();
  #underWay = 0;
  #wakes: NodeJS.Timeout | undefined;
  /** Requests under way that are no batches, by team, and batches that let those of other teams go first. */
  readonly #little = new Map<string, number>();
  readonly #givingWay = new Set<{ team: string; goOn: () => void }>();
  readonly #lastTeam: LastHeard = { id: '', otherAt: -Infinity };
  readonly #lastOrg: LastHeard = { id: '', otherAt: -Infinity };

  /**
   * Of a process that nobody asks for anything: there are always others, whom other processes serve, and all of it
   * rests at once.
   */
  readonly #isAmongOthers: boolean;

  constructor(connections: number, { isAmongOthers = false } = {}) {
    this.places = Math.max(1, Math.floor(connections * PART));
    this.#isAmongOthers = isAmongOthers;
  }

  /** Hears of every request and every batch, whatever they want: their team is there. */
  hear(owner: Owner): void {
    hearOf(this.#lastTeam, owner.team);
    hearOf(this.#lastOrg, owner.org);
  }

  /**
   * Runs `work` when the owner's turn comes. What it waited for others in its turn is no time that the owner rests
   * for.
   */
  async run<T>(owner: Owner, work: (giveWay: GiveWay) => Promise<T>): Promise<T> {
    this.hear(owner);
    await this.#enter(owner);
    const team = owner.team;
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
      this.#leave(owner, workedMs());
    }
  }

  /**
   * What is no batch: those of other teams that are in their turn pause for it. A request asks the database several
   * times, and
   * would otherwise wait for a piece of a batch each time. With `apart` it counts as none while it waits for something
   * else.
   */
  async little<T>(owner: Owner, work: (apart: Aside) => Promise<T>): Promise<T> {
    const team = owner.team;
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
  isFull(owner: Owner): boolean {
    return this.#waiting.waitingOf(owner) >= MOST_WAITING;
  }

  #isThere(other: LastHeard): boolean {
    return this.#isAmongOthers || performance.now() - other.otherAt < THERE_MS;
  }

  #enter(owner: Owner): Promise<void> {
    const turn = new Promise<void>((resolve) => this.#waiting.add(owner, resolve));
    this.#begin();
    return turn;
  }

  #leave(owner: Owner, tookMs: number): void {
    this.#underWay -= 1;
    this.#waiting.putLast(owner);
    const now = performance.now();
    const most = this.#isAmongOthers ? LONGEST_REST_AMONG_OTHERS_MS : LONGEST_REST_MS;
    const until = now + Math.min(REST * tookMs, most);
    for (const [id, end] of this.#rests) if (end <= now) this.#rests.delete(id);
    for (const id of this.#isAmongOthers ? [EVERYBODY] : [owner.org, owner.team]) this.#rests.set(id, until);
    this.#begin();
  }

  /**
   * Lets batches begin, as many as there are places for and owners that do not rest; the others when their rest ends, or when nobody
   * else is there any more.
   */
  #begin(): void {
    const most = this.#isThere(this.#lastTeam) ? 1 : this.places;
    const may = this.#whoRestsNot();
    while (this.#underWay < most) {
      const next = this.#waiting.next(may);
      if (!next) break;
      this.#underWay += 1;
      next.item();
    }
    clearTimeout(this.#wakes);
    if (this.#waiting.size === 0) return;
    const ms = Math.min(this.#underWay < most ? this.#msToNextEndOfRest() : Infinity, this.#msUntilAlone());
    if (ms < Infinity) this.#wakes = setTimeout(() => this.#begin(), ms).unref();
  }

  #whoRestsNot(): May {
    const now = performance.now();
    const isRested = (id: string): boolean => (this.#rests.get(id) ?? 0) <= now;
    if (this.#isAmongOthers) return { org: () => isRested(EVERYBODY), team: () => true };
    const [beforeOrgs, beforeTeams] = [this.#isThere(this.#lastOrg), this.#isThere(this.#lastTeam)];
    return {
      org: (org) => !beforeOrgs || isRested(org),
      team: (owner) => !beforeTeams || isRested(owner.team),
    };
  }

  /** Until the next one of those who are there is none any more, if they ask for nothing until then. */
  #msUntilAlone(): number {
    const now = performance.now();
    const left = [this.#lastTeam, this.#lastOrg].map(({ otherAt }) => otherAt + THERE_MS - now).filter((ms) => ms > 0);
    return this.#isAmongOthers || left.length === 0 ? Infinity : Math.min(...left);
  }

  #msToNextEndOfRest(): number {
    const now = performance.now();
    const left = [...this.#rests.values()].map((end) => end - now).filter((ms) => ms > 0);
    return left.length === 0 ? 0 : Math.min(...left);
  }
}

/** For which a process rests that is always among others. */
const EVERYBODY = '';

function hearOf(last: LastHeard, id: string): void {
  if (id === last.id) return;
  last.otherAt = last.id === '' ? -Infinity : performance.now();
  last.id = id;
}
