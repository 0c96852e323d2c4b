/** So many read their events at once: each has a connection meanwhile, of which outcomes need one too. */
const MOST = 2;

/**
 * What was begun and whose events are still being read. The lanes are looked at meanwhile, so that what is published then waits for
 * its own reading only.
 */
export class Starts {
  readonly #onFailure: () => void;
  readonly #running = new Set<Promise<void>>();
  #failure: { error: unknown } | null = null;

  /** `onFailure` is called so that somebody soon asks for it. */
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

  /** Resolves when another may begin. */
  async room(): Promise<void> {
    while (this.#running.size >= MOST) await Promise.race(this.#running);
  }

  /** Resolves when all have ended. */
  async all(): Promise<void> {
    await Promise.all(this.#running);
  }

  /** Throws what one failed with since it was last asked. */
  throwFailure(): void {
    const failure = this.#failure;
    this.#failure = null;
    if (failure) throw failure.error;
  }
}
