import type { SendOutcome } from '../sending/send.ts';
import { TransientMap } from '../../transient-map.ts';

/**
 * The initial number of slots (requests that may wait for a response). It is small because the endpoint may hang. Each
 * 2xx response adds one slot. So if all requests succeed, the number doubles with each series of responses.
 */
const FIRST = 4;

/** If an endpoint sends no response for this long, it may hang. Only a time-out of an attempt proves that it hangs. */
const SILENCE_MS = 1_000;
/**
 * The most attempts that may wait for a silent endpoint. It is small because these attempts use permits that the team's
 * other endpoints need.
 */
const MAX_IN_SILENCE = 2;

/**
 * Pauses end at multiples of this time. So the deliveries of several endpoints start together, and one statement loads
 * their events, and another writes their outcomes.
 */
const PULSE_MS = 50;

/** The properties of an outcome that show whether the endpoint can handle its load. */
type Answered = Pick<SendOutcome, 'ok' | 'error' | 'duration_ms'>;

/**
 * Limits the requests to an endpoint that wait for a response. A time-out halves the limit, and a 2xx response adds
 * one. The limit of an endpoint that hangs soon falls to one slot. From then on, each time-out pauses the queue for
 * about as long as the attempt waited. The length of the pause is random. Otherwise the attempts of all endpoints that
 * hang would time out together.
 */
export class Slots {
  /** The end of the pause after a time-out. No delivery may start before this time. */
  restsUntil = 0;
  readonly #most: number;
  #size: number;
  /** The start times of the requests that wait for a response, by event id, the oldest first. */
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

  hasFreeSlot(now: number): boolean {
    const size = this.#isSilent(now) ? Math.min(this.#size, MAX_IN_SILENCE) : this.#size;
    return this.#waiting.size < size;
  }

  /**
   * True if the oldest request has waited for long and no response has arrived since it started. An endpoint that is
   * slow but responds to other requests is not silent.
   */
  #isSilent(now: number): boolean {
    if (this.#waiting.size < MAX_IN_SILENCE) return false;
    const oldest = this.#waiting.values().next().value as number;
    return now - oldest > SILENCE_MS && this.#answeredAt < oldest;
  }

  take(eventId: string, now: number): void {
    this.#waiting.set(eventId, now);
  }

  release(eventId: string, outcome: Answered | null, now: number): void {
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
