import { TransientMap } from '../../transient-map.ts';

/** Few, with a pause after them: each costs its socket, its log line and its outcome. */
const STOPPED_AT_ONCE = 4;
const PAUSE_MS = 12;

/** What ends by itself, or is stopped when its time is over. */
export type Stoppable = { readonly startedAt: number; stop: (error: 'timeout', detail: null) => void };

/**
 * Stops what lasts longer than it may. What began together is stopped in small steps, the last of a hundred a third of a
 * second late: at one go they would keep the process from everything else.
 */
export class Deadlines {
  readonly #timeoutMs: number;
  /** The one that began first comes first. */
  readonly #running = new TransientMap<Stoppable, true>();
  #timer: NodeJS.Timeout | null = null;

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  add(one: Stoppable): void {
    this.#running.set(one, true);
    this.#timer ??= setTimeout(this.#stopDue, this.#timeoutMs);
  }

  /** It ended before its time. */
  delete(one: Stoppable): void {
    this.#running.delete(one);
  }

  /** Forgets all of them. */
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
