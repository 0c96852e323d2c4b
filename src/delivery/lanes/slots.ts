import type { SendOutcome } from '../sending/send.ts';
import { TransientMap } from '../../transient-map.ts';

/** Few, since it may hang; each 2xx adds one, so that those of one that answers double with each round. */
const FIRST = 4;

/** A receiver that answered nothing for so long may hang, which only the time-out of its attempts will tell. */
const SILENCE_MS = 1_000;
/** Attempts that may wait for a receiver that is silent: their places are those of its team's other receivers too. */
const MOST_IN_SILENCE = 2;

/** Those that rest begin again together, at the next multiple of it: what begins together is loaded and written together. */
const PULSE_MS = 50;

/** Of an attempt, what tells how its receiver fares. */
type Answered = Pick<SendOutcome, 'ok' | 'error' | 'duration_ms'>;

/**
 * How many requests may be without an answer of a receiver at a time. A time-out halves that, a 2xx adds one: a receiver
 * that hangs soon holds one only, and rests after each attempt about as long as it made that wait. By how long is chance, or
 * all that hang would end at the same time.
 */
export class Slots {
  /** It hung: nothing is begun before it. */
  restsUntil = 0;
  readonly #most: number;
  #size: number;
  /** When those without an answer began, the oldest first. */
  readonly #waiting = new TransientMap<string, number>();
  #answeredAt = -Infinity;

  constructor(most: number) {
    this.#most = most;
    this.#size = Math.min(most, FIRST);
  }

  get size(): number {
    return this.#size;
  }

  get taken(): number {
    return this.#waiting.size;
  }

  hasRoom(now: number): boolean {
    const size = this.#isSilent(now) ? Math.min(this.#size, MOST_IN_SILENCE) : this.#size;
    return this.#waiting.size < size;
  }

  /** One that takes long for each answer is not silent: others come meanwhile. */
  #isSilent(now: number): boolean {
    if (this.#waiting.size < MOST_IN_SILENCE) return false;
    const oldest = this.#waiting.values().next().value as number;
    return now - oldest > SILENCE_MS && this.#answeredAt < oldest;
  }

  take(eventId: string, now: number): void {
    this.#waiting.set(eventId, now);
  }

  giveBack(eventId: string, outcome: Answered | null, now: number): void {
    this.#waiting.delete(eventId);
    if (outcome?.error === 'timeout') {
      const rest = (0.5 + Math.random()) * outcome.duration_ms;
      if (this.#size === 1 && this.#waiting.size === 0) this.restsUntil = Math.ceil((now + rest) / PULSE_MS) * PULSE_MS;
      this.halve();
    } else if (outcome) this.#answeredAt = now;
    if (outcome?.ok) this.#size = Math.min(this.#most, this.#size + 1);
  }

  halve(): void {
    this.#size = Math.max(1, Math.floor(this.#size / 2));
  }
}
