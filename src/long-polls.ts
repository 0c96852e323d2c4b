import { AppError } from './errors.ts';
import { UsageByOwner } from './fair/usage-by-owner.ts';
import type { Owner } from './fair/round-robin.ts';

/**
 * The most long polls of a team in one process. A long poll is a request that waits for events. It needs no request
 * permit while it waits, so this limit is separate.
 */
export const MAX_POLLS = 20;
/** The most long polls of an organisation in one process. */
export const MAX_POLLS_OF_ORG = 200;

/** A request that waits. Call `leave` when the request is over. Otherwise it stays in the count of its team. */
export type Poll = {
  /** From this call on, a new event wakes the request. An event from before the call does not. */
  listen: () => void;
  /**
   * Resolves when the team has an event from after `listen`, when `ms` have passed, or when one of the signals aborts.
   */
  wait: (ms: number, signals: (AbortSignal | undefined)[]) => Promise<void>;
  leave: () => void;
};

type WaitingRequest = { heard: boolean; wake: (() => void) | null };

/**
 * The requests of this process that wait for events of their team. Notifications of the database wake them, so they
 * need not query the database while they wait.
 */
export class LongPolls {
  readonly #teams = new Map<string, Set<WaitingRequest>>();
  readonly #inUse = new UsageByOwner();
  readonly #maxOfOrg: number;

  constructor({ maxOfOrg = Infinity }: { maxOfOrg?: number } = {}) {
    this.#maxOfOrg = maxOfOrg;
  }

  /** Adds a waiting request. Throws too_many_polls if too many requests of the team or its organisation wait. */
  enter(owner: Owner): Poll {
    const teamId = owner.team;
    const waiting = this.#teams.get(teamId) ?? new Set();
    if (waiting.size >= MAX_POLLS) throw tooMany(MAX_POLLS, 'team');
    if (this.#inUse.ofOrg(owner.org) >= this.#maxOfOrg) throw tooMany(this.#maxOfOrg, 'organisation');
    this.#teams.set(teamId, waiting);
    this.#inUse.add(owner, 1);
    const mine: WaitingRequest = { heard: false, wake: null };
    waiting.add(mine);
    return {
      listen: () => {
        mine.heard = false;
      },
      wait: (ms, signals) => untilHeard(mine, ms, signals),
      leave: () => {
        if (!waiting.delete(mine)) return;
        this.#inUse.add(owner, -1);
        if (waiting.size === 0) this.#teams.delete(teamId);
      },
    };
  }

  wake(teamId: string): void {
    for (const each of this.#teams.get(teamId) ?? []) hear(each);
  }

  /** Wakes all waiting requests. Call it if notifications may have been lost. */
  wakeAll(): void {
    for (const teamId of this.#teams.keys()) this.wake(teamId);
  }

  /** The number of waiting requests of all teams. */
  get count(): number {
    return this.#inUse.all;
  }
}

const tooMany = (most: number, whose: string): AppError =>
  new AppError(
    'too_many_polls',
    `${most} requests of this ${whose} are waiting. Wait for one of them to end, or send the request without ` +
      '`wait`.',
    { retryAfterSeconds: 1 },
  );

function hear(waiting: WaitingRequest): void {
  waiting.heard = true;
  waiting.wake?.();
}

async function untilHeard(waiting: WaitingRequest, ms: number, signals: (AbortSignal | undefined)[]): Promise<void> {
  if (waiting.heard || ms <= 0 || signals.some((signal) => signal?.aborted)) return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      waiting.wake = null;
      for (const signal of signals) signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    waiting.wake = done;
    for (const signal of signals) signal?.addEventListener('abort', done, { once: true });
  });
}
