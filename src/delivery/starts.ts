/**
 * The most starts that read their events at the same time. Each uses a database connection, and the writing of outcomes
 * needs connections too.
 */
const MOST = 2;

/**
 * The starts under way. A start is a group of deliveries whose events we are still reading. The main loop continues
 * meanwhile, so a new delivery waits only for its own event.
 */
export class Starts {
  readonly #onFailure: () => void;
  readonly #running = new Set<Promise<void>>();
  #failure: { error: unknown } | null = null;

  /** This class calls `onFailure` when a start fails, so that the main loop soon calls `throwFailure`. */
  constructor(onFailure: () => void) {
    this.#onFailure = onFailure;
  }

  get running(): number {
    return this.#running.size;
  }

  add(start: Promise<void>): void {
    const ended = start
      .catch((error: unknown) => {
        this.#failure = { error };
        this.#onFailure();
      })
      .finally(() => this.#running.delete(ended));
    this.#running.add(ended);
  }

  /** Resolves when a further start may begin. */
  async untilFree(): Promise<void> {
    while (this.#running.size >= MOST) await Promise.race(this.#running);
  }

  /** Resolves when all starts have ended. */
  async all(): Promise<void> {
    await Promise.all(this.#running);
  }

  /** Throws the error of a start that failed since the last call. */
  throwFailure(): void {
    const failure = this.#failure;
    this.#failure = null;
    if (failure) throw failure.error;
  }
}
