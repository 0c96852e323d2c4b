import { RETRY_DELAYS_SECONDS } from '../schedule.ts';
import type { SendOutcome } from '../sending/send.ts';

const FIRST_REST_MS = 1_000;
const LONGEST_REST_MS = 60_000;
/** However long a receiver asks for: after it one delivery asks again. The longest a first retry is put off too. */
const LONGEST_ASKED_FOR_SECONDS = RETRY_DELAYS_SECONDS[1] as number;

/** Of an attempt, what tells how busy its receiver is. */
export type Told = Pick<SendOutcome, 'ok' | 'status' | 'retry_after_seconds'>;

/** The answers with which a receiver, or what stands before it, asks for less (Standard Webhooks 1.0.0, RFC 9110 15.6.4). */
export const asksForLess = ({ status, retry_after_seconds }: Told): boolean =>
  status === 429 || status === 502 || status === 504 || (status === 503 && retry_after_seconds !== null);

/** The rest that a receiver which asks for less is given: nothing of its lane is begun before `until`. */
export class Throttle {
  until = 0;
  #rests = 0;

  /** It takes what it gets. */
  relax(): void {
    this.#rests = 0;
  }

  /** It is told to be left alone at least until then, by its own word. */
  heed({ retry_after_seconds }: Told, now: number): void {
    const asked = Math.min(retry_after_seconds ?? 0, LONGEST_ASKED_FOR_SECONDS);
    this.until = Math.max(this.until, now + asked * 1000);
  }

  /** One delivery at a time is still too much: each time it rests twice as long. What was under way tells nothing new. */
  rest(now: number): void {
    if (now < this.until) return;
    this.until = now + Math.min(LONGEST_REST_MS, FIRST_REST_MS * 2 ** this.#rests);
    this.#rests += 1;
  }

  /** The receiver was changed. */
  forget(): void {
    this.until = 0;
    this.#rests = 0;
  }
}
