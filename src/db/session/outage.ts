import type { Logger } from '../../log.ts';

/** PostgreSQL's code of it. */
export const DISK_FULL = '53100';

/** One log line for an outage, however often it is met, and one for its end. */
export class Outage {
  readonly #log: Logger;
  readonly #what: string;
  #since: number | null = null;

  constructor(log: Logger, what: string) {
    this.#log = log;
    this.#what = what;
  }

  /** It failed, for the first time or again. */
  met(error: unknown): void {
    if (this.#since !== null) return;
    this.#since = performance.now();
    const isFull = (error as { code?: unknown }).code === DISK_FULL;
    this.#log.error({ err: error }, isFull ? `${this.#what}: its disk is full` : this.#what);
  }

  /** It works. */
  over(): void {
    if (this.#since === null) return;
    const seconds = Math.round((performance.now() - this.#since) / 100) / 10;
    this.#since = null;
    this.#log.info({ seconds, outage: this.#what }, 'an outage is over');
  }
}
