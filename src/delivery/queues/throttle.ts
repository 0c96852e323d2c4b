import { RETRY_DELAYS_SECONDS } from '../retry-schedule.ts';
import type { SendOutcome } from '../sending/send.ts';

const FIRST_REST_MS = 1_000;
const LONGEST_REST_MS = 60_000;
/**
 * The longest pause of an entire queue because of a Retry-After header. After it, one delivery tries the endpoint
 * again. The same limit applies to the first retry of a delivery (`retryDelaySeconds`).
 */
const LONGEST_ASKED_FOR_SECONDS = RETRY_DELAYS_SECONDS[1] as number;

/** The properties of an outcome that show whether the endpoint asks for fewer requests. */
export type LoadSignal = Pick<SendOutcome, 'ok' | 'status' | 'retry_after_seconds'>;

/**
 * True if the endpoint, or a proxy in front of it, asks for fewer requests with this response (Standard Webhooks 1.0.0,
 * RFC 9110 15.6.4).
 */
export const asksForLess = ({ status, retry_after_seconds }: LoadSignal): boolean =>
  status === 429 || status === 502 || status === 504 || (status === 503 && retry_after_seconds !== null);

/** The pause of an endpoint that asks for fewer requests. No delivery of its queue may start before `until`. */
export class Throttle {
  until = 0;
  #rests = 0;

  /** Call it when the endpoint accepts a delivery. The next pause is then short again. */
  relax(): void {
    this.#rests = 0;
  }

  /** Pauses for as long as the Retry-After header of the endpoint demands. */
  heed({ retry_after_seconds }: LoadSignal, now: number): void {
    const asked = Math.min(retry_after_seconds ?? 0, LONGEST_ASKED_FOR_SECONDS);
    this.until = Math.max(this.until, now + asked * 1000);
  }

  /**
   * Pauses an endpoint that is overloaded even by one delivery at a time. Each pause is twice as long as the one
   * before. A response during a pause answers a request from before the pause, so it changes nothing.
   */
  rest(now: number): void {
    if (now < this.until) return;
    this.until = now + Math.min(LONGEST_REST_MS, FIRST_REST_MS * 2 ** this.#rests);
    this.#rests += 1;
  }

  /** Ends the pause, because the endpoint was changed. */
  forget(): void {
    this.until = 0;
    this.#rests = 0;
  }
}
