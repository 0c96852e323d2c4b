import { AppError } from './errors.ts';
import { Held } from './fair/held.ts';
import type { Owner } from './fair/round-robin.ts';

/** Requests of a team that wait in one process; they are a budget of their own, beside the places of requests. */
export const MOST_POLLS = 20;
/** The same of all teams of an organisation. */
export const MOST_POLLS_OF_ORG = 200;

/** One request that waits. Leave it, or its place stays taken. */
export type Poll = {
  /** What comes from now on wakes it; what came before does not. */
  listen: () => void;
  /** Until its team has news that came since it listened, `ms` have passed or a signal is aborted. */
  wait: (ms: number, signals: (AbortSignal | undefined)[]) => Promise<void>;
  leave: () => void;
};

type Waiting = { heard: boolean; wake: (() => void) | null };

/** Requests that wait in this process for news of their team, woken by notifications: none asks the database meanwhile. */
export class LongPolls {
  readonly #teams = new Map<string, Set<Waiting>>();
  readonly #held = new Held();
  readonly #mostOfOrg: number;

  constructor({ mostOfOrg = Infinity }: { mostOfOrg?: number } = {}) {
    this.#mostOfOrg = mostOfOrg;
  }

  /** Throws too_many_polls where as many of the team's, or of its organisation's, wait here as may. */
  enter(owner: Owner): Poll {
    const teamId = owner.team;
    const waiting = this.#teams.get(teamId) ?? new Set();
    if (waiting.size >= MOST_POLLS) throw tooMany(MOST_POLLS, 'team');
    if (this.#held.ofOrg(owner.org) >= this.#mostOfOrg) throw tooMany(this.#mostOfOrg, 'organisation');
    this.#teams.set(teamId, waiting);
    this.#held.add(owner, 1);
    const mine: Waiting = { heard: false, wake: null };
    waiting.add(mine);
    return {
      listen: () => {
        mine.heard = false;
      },
      wait: (ms, signals) => untilHeard(mine, ms, signals),
      leave: () => {
        if (!waiting.delete(mine)) return;
        this.#held.add(owner, -1);
        if (waiting.size === 0) this.#teams.delete(teamId);
      },
    };
  }

  wake(teamId: string): void {
    for (const each of this.#teams.get(teamId) ?? []) hear(each);
  }

  /** Notifications may have been lost. */
  wakeAll(): void {
    for (const teamId of this.#teams.keys()) this.wake(teamId);
  }

  /** How many wait, of all teams. */
  get count(): number {
    return this.#held.all;
  }
}

const tooMany = (most: number, whose: string): AppError =>
  new AppError(
    'too_many_polls',
    `${most} requests of this ${whose} wait here already. Wait for one of them, or ask without \`wait\`.`,
    { retryAfterSeconds: 1 },
  );

function hear(waiting: Waiting): void {
  waiting.heard = true;
  waiting.wake?.();
}

async function untilHeard(waiting: Waiting, ms: number, signals: (AbortSignal | undefined)[]): Promise<void> {
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
