import { TransientMap } from '../../transient-map.ts';

/**
 * Each stop costs work: closing a socket, a log line and an outcome. So we stop only a few at a time and then pause.
 */
const STOPPED_AT_ONCE = 4;
const PAUSE_MS = 12;

/** An attempt that either ends by itself or must be stopped at its deadline. */
export type Stoppable = { readonly startedAt: number; stop: (error: 'timeout', detail: null) => void };

/**
 * Stops attempts that exceed the time limit. Attempts that began together reach the limit together. Stopping them in
 * one step would block the process, so we stop them in small steps. The last of a hundred attempts stops a third of a
 * second late.
 */
export class Deadlines {
  readonly #timeoutMs: number;
  /** The attempts under way, in the order of their start times, the earliest first. */
  readonly #running = new TransientMap<Stoppable, true>();
  #timer: NodeJS.Timeout | null = null;

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  add(one: Stoppable): void {
    this.#running.set(one, true);
    this.#timer ??= setTimeout(this.#stopDue, this.#timeoutMs);
  }

  /** Removes an entry that ended before its deadline. */
  delete(one: Stoppable): void {
    this.#running.delete(one);
  }

  /** Removes all entries and stops the timer. */
  clear(): void {
    this.#running.clear();
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
  }

  readonly #stopDue = (): void => {
    const now = performance.now();
    let stopped = 0;
    this.#timer = null;
    for (const one of this.#running.keys()) {
      const left = one.startedAt + this.#timeoutMs - now;
      if (left > 0 || stopped === STOPPED_AT_ONCE) {
        this.#timer = setTimeout(this.#stopDue, Math.max(left, PAUSE_MS));
        return;
      }
      this.#running.delete(one);
      one.stop('timeout', null);
      stopped += 1;
    }
  };
}
