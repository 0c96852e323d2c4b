import { AppError } from '../../errors.ts';

/** How long a team counts as there after its last request: it may be about to send the next. */
const THERE_MS = 1_000;
/** Batches of one process at a time, where the team that sends them is alone. */
const ALONE = 8;
/** Of one team; its clients have given up before their turn comes. */
const MOST_WAITING = 100;

/**
 * Batches of thousands of values keep the process busy for milliseconds each, and whoever asks for little waits behind all
 * that are under way. As long as another team is there, one batch is worked on at a time, teams in turn.
 */
export class HeavyRequests {
  readonly #waiting = new Map<string, (() => void)[]>();
  #underWay = 0;
  /** The team that asked last, and when another one than that did. */
  #last: { team: string; otherAt: number } = { team: '', otherAt: -Infinity };

  /** Hears of every request, heavy or not. */
  hear(team: string): void {
    if (team === this.#last.team) return;
    this.#last = { team, otherAt: this.#last.team === '' ? -Infinity : performance.now() };
  }

  async run<T>(team: string, work: () => Promise<T>): Promise<T> {
    await this.#enter(team);
    try {
      return await work();
    } finally {
      this.#leave();
    }
  }

  #most(): number {
    return performance.now() - this.#last.otherAt < THERE_MS ? 1 : ALONE;
  }

  #enter(team: string): Promise<void> | void {
    if (this.#underWay < this.#most() && this.#waiting.size === 0) {
      this.#underWay += 1;
      return;
    }
    const waiting = this.#waiting.get(team) ?? [];
    if (waiting.length >= MOST_WAITING)
      throw new AppError('not_ready', 'Too many batches of this team wait here. Send this one again shortly.');
    this.#waiting.set(team, waiting);
    return new Promise((resolve) => waiting.push(resolve));
  }

  #leave(): void {
    this.#underWay -= 1;
    while (this.#underWay < this.#most()) {
      const next = this.#waiting.entries().next();
      if (next.done) return;
      const [team, waiting] = next.value;
      // Behind the others, so that teams take turns.
      this.#waiting.delete(team);
      const begin = waiting.shift();
      if (waiting.length > 0) this.#waiting.set(team, waiting);
      this.#underWay += 1;
      begin?.();
    }
  }
}
