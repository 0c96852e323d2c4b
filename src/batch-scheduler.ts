import { setImmediate } from 'node:timers/promises';
import type { Aside } from './fair/fair-share.ts';
import { RoundRobin, type Eligible, type Owner } from './fair/round-robin.ts';

/**
 * An owner (a team with its organisation) may send another request soon. So we treat the owner as present for this long
 * after each request.
 */
const PRESENT_MS = 1_000;
/**
 * Batches may use this part of the API's connections. The other connections are for interactive requests, so these
 * never wait for a batch.
 */
const PART = 0.3;
/** The most waiting batches of one team. In a longer queue, the last clients would give up before their batches run. */
const MAX_WAITING = 32;
/**
 * While other owners are present, an owner's batches may use a quarter of the time. So after a batch, the owner rests
 * three times as long as the batch took.
 */
const REST = 3;
const LONGEST_REST_MS = 10_000;
/** A process without requests assumes that other owners are always present. Its batches rest at most this long. */
const LONGEST_REST_AMONG_OTHERS_MS = 1_000;
/**
 * The longest single pause of a batch for an interactive request (one that a person waits for). A request that takes
 * longer is probably waiting for another service, and not for the database.
 */
const LONGEST_WAY_MS = 10;
/**
 * All pauses of a batch together may take this part of the time that it has worked. So the pauses make a batch at most
 * one and a half times as long.
 */
const MAX_WAY = 0.5;

/** The owner of the last request, and the time at which this owner followed another one. */
type LastHeard = { id: string; otherAt: number };

/** A pause of a batch. A batch calls it after a millisecond or two of work. */
export type GiveWay = () => Promise<void>;

/**
 * Schedules batches: work on thousands of values that a client sent, or that we pulled from a provider or read from a
 * file. Each chunk of a batch uses the process and the database for milliseconds. Without this class, an interactive
 * request would wait for a chunk of every running batch.
 * While another team is present, one batch runs at a time, in round robin by organisation and then by team. While other
 * organisations are present, an organisation gets at most a quarter of the time. While other teams of an organisation
 * are present, a team gets at most a quarter of the time. The rest of the time stays free even if the others send
 * nothing, because their requests come without notice.
 */
export class BatchScheduler {
  /** How many batches run at the same time while only one team is present. Each of them uses a connection. */
  readonly permits: number;
  readonly #waiting = new RoundRobin<() => void>();
  /** When the rest of each organisation or team ends. */
  readonly #rests = new Map<string, number>();
  #underWay = 0;
  #wakes: NodeJS.Timeout | undefined;
  /**
   * The number of running interactive requests by team, and the batches that are pausing for requests of other teams.
   */
  readonly #interactive = new Map<string, number>();
  readonly #givingWay = new Set<{ team: string; resume: () => void }>();
  readonly #lastTeam: LastHeard = { id: '', otherAt: -Infinity };
  readonly #lastOrg: LastHeard = { id: '', otherAt: -Infinity };

  /**
   * True for a process that serves no requests. Other processes serve other owners, which this process cannot see, so
   * it assumes that they are always present. All its batches rest as one owner.
   */
  readonly #isAmongOthers: boolean;

  constructor(connections: number, { isAmongOthers = false } = {}) {
    this.permits = Math.max(1, Math.floor(connections * PART));
    this.#isAmongOthers = isAmongOthers;
  }

  /** Marks the team and its organisation as present. Call it for every request and every batch. */
  hear(owner: Owner): void {
    hearOf(this.#lastTeam, owner.team);
    hearOf(this.#lastOrg, owner.org);
  }

  /**
   * Runs `work` when its owner is next. The owner's rest afterwards depends on the time of the work without its pauses.
   */
  async run<T>(owner: Owner, work: (giveWay: GiveWay) => Promise<T>): Promise<T> {
    this.hear(owner);
    await this.#enter(owner);
    const team = owner.team;
    const begin = performance.now();
    let gaveMs = 0;
    const workedMs = (): number => performance.now() - begin - gaveMs;
    const giveWay = async (): Promise<void> => {
      const most = Math.min(LONGEST_WAY_MS, LONGEST_WAY_MS + MAX_WAY * workedMs() - gaveMs);
      const paused = performance.now();
      await setImmediate();
      if (most > 0 && this.#hasOtherInteractive(team)) await this.#pauseForInteractive(team, most);
      gaveMs += performance.now() - paused;
    };
    try {
      return await work(giveWay);
    } finally {
      this.#leave(owner, workedMs());
    }
  }

  /**
   * Runs an interactive request. It queries the database several times, and could wait for a chunk of a batch each
   * time. So running batches of other teams pause for the request. They do not pause while the request waits inside
   * `apart`, for example for another service.
   */
  async runInteractive<T>(owner: Owner, work: (apart: Aside) => Promise<T>): Promise<T> {
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
    const many = (this.#interactive.get(team) ?? 0) + change;
    if (many > 0) this.#interactive.set(team, many);
    else this.#interactive.delete(team);
    for (const { team, resume } of this.#givingWay) if (!this.#hasOtherInteractive(team)) resume();
  }

  #hasOtherInteractive(team: string): boolean {
    return this.#interactive.size > (this.#interactive.has(team) ? 1 : 0);
  }

  async #pauseForInteractive(team: string, most: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const resume = (): void => {
        clearTimeout(longest);
        this.#givingWay.delete(batch);
        resolve();
      };
      const longest = setTimeout(resume, most);
      const batch = { team, resume };
      this.#givingWay.add(batch);
    });
  }

  /** Returns true if so many batches of the team wait that we refuse the next one for now. */
  isFull(owner: Owner): boolean {
    return this.#waiting.waitingOf(owner) >= MAX_WAITING;
  }

  #isPresent(other: LastHeard): boolean {
    return this.#isAmongOthers || performance.now() - other.otherAt < PRESENT_MS;
  }

  #enter(owner: Owner): Promise<void> {
    const started = new Promise<void>((resolve) => this.#waiting.add(owner, resolve));
    this.#begin();
    return started;
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
   * Starts batches while there are permits and owners that do not rest. More batches start when a rest ends, or when no
   * other owner is present.
   */
  #begin(): void {
    const most = this.#isPresent(this.#lastTeam) ? 1 : this.permits;
    const eligible = this.#eligible();
    while (this.#underWay < most) {
      const next = this.#waiting.next(eligible);
      if (!next) break;
      this.#underWay += 1;
      next.item();
    }
    clearTimeout(this.#wakes);
    if (this.#waiting.size === 0) return;
    const ms = Math.min(this.#underWay < most ? this.#msToNextEndOfRest() : Infinity, this.#msUntilAlone());
    if (ms < Infinity) this.#wakes = setTimeout(() => this.#begin(), ms).unref();
  }

  #eligible(): Eligible {
    const now = performance.now();
    const isRested = (id: string): boolean => (this.#rests.get(id) ?? 0) <= now;
    if (this.#isAmongOthers) return { org: () => isRested(EVERYBODY), team: () => true };
    const [beforeOrgs, beforeTeams] = [this.#isPresent(this.#lastOrg), this.#isPresent(this.#lastTeam)];
    return {
      org: (org) => !beforeOrgs || isRested(org),
      team: (owner) => !beforeTeams || isRested(owner.team),
    };
  }

  /**
   * Returns the time until no other team, or no other organisation, is present. It assumes that they send nothing until
   * then.
   */
  #msUntilAlone(): number {
    const now = performance.now();
    const left = [this.#lastTeam, this.#lastOrg]
      .map(({ otherAt }) => otherAt + PRESENT_MS - now)
      .filter((ms) => ms > 0);
    return this.#isAmongOthers || left.length === 0 ? Infinity : Math.min(...left);
  }

  #msToNextEndOfRest(): number {
    const now = performance.now();
    const left = [...this.#rests.values()].map((end) => end - now).filter((ms) => ms > 0);
    return left.length === 0 ? 0 : Math.min(...left);
  }
}

/** The id for the rest of a process that assumes other owners. All its batches share this rest. */
const EVERYBODY = '';

function hearOf(last: LastHeard, id: string): void {
  if (id === last.id) return;
  last.otherAt = last.id === '' ? -Infinity : performance.now();
  last.id = id;
}
