import { AppError } from './errors.ts';

/** Requests of a team that wait in one process; they are a budget of their own, beside the places of requests. */
export const MOST_POLLS = 20;

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

  /** Throws too_many_polls where as many of the team's wait here as may. */
  enter(teamId: string): Poll {
    const waiting = this.#teams.get(teamId) ?? new Set();
    if (waiting.size >= MOST_POLLS) {
      throw new AppError(
        'too_many_polls',
        `${MOST_POLLS} requests of this team wait here already. Wait for one of them, or ask without \`wait\`.`,
        { retryAfterSeconds: 1 },
      );
    }
    this.#teams.set(teamId, waiting);
    const mine: Waiting = { heard: false, wake: null };
    waiting.add(mine);
    return {
      listen: () => {
        mine.heard = false;
      },
      wait: (ms, signals) => untilHeard(mine, ms, signals),
      leave: () => {
        waiting.delete(mine);
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
    return [...this.#teams.values()].reduce((sum, waiting) => sum + waiting.size, 0);
  }
}

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
