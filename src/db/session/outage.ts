import type { Logger } from '../../log.ts';

/** The SQLSTATE of PostgreSQL for a full disk. */
export const DISK_FULL = '53100';

/** Logs one line when an outage begins and one when it ends. It logs nothing for the failures in between. */
export class Outage {
  readonly #log: Logger;
  readonly #what: string;
  #since: number | null = null;

  constructor(log: Logger, what: string) {
    this.#log = log;
    this.#what = what;
  }

  /** Call it when an operation failed, for the first time or again. */
  met(error: unknown): void {
    if (this.#since !== null) return;
    this.#since = performance.now();
    const isFull = (error as { code?: unknown }).code === DISK_FULL;
    this.#log.error({ err: error }, isFull ? `${this.#what}: its disk is full` : this.#what);
  }

  /** Call it when an operation succeeded. */
  over(): void {
    if (this.#since === null) return;
    const seconds = Math.round((performance.now() - this.#since) / 100) / 10;
    this.#since = null;
    this.#log.info({ seconds, outage: this.#what }, 'an outage is over');
  }
}
