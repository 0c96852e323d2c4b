import { sign } from '../../delivery/sending/sign.ts';
import { ORIGIN_HEADER } from '../../events/origin.ts';
import { USER_AGENT } from '../../package-root.ts';
import type { Following } from './follow.ts';
import { reasonOf } from './reason.ts';

const WITHIN_MS = 15_000;

/**
 * Sends an event as a delivery of a webhook would be sent, once; answers its status, or why there was none, and how long it took. It goes to the address
 * that was given and nowhere else: whoever types it decides what it reaches.
 */
export async function forward(
  { forwardTo, secret }: Following,
  { id, origin, body }: { id: string; origin: string | null; body: object | null },
  stop: AbortSignal,
): Promise<string> {
  const text = JSON.stringify(body);
  const started = performance.now();
  const took = (): string => `in ${Math.round(performance.now() - started)} ms`;
  const signed = sign({ id, timestampSeconds: Date.now() / 1000, body: text, secrets: [secret] });
  try {
    const response = await fetch(forwardTo, {
      method: 'POST',
      headers: {
        ...signed,
        ...(origin === null ? {} : { [ORIGIN_HEADER]: origin }),
        'content-type': 'application/json',
        'user-agent': USER_AGENT,
      },
      body: text,
      redirect: 'manual',
      signal: AbortSignal.any([stop, AbortSignal.timeout(WITHIN_MS)]),
    });
    await response.body?.cancel();
    return `${response.status} ${took()}`;
  } catch (error) {
    return `not reached: ${reasonOf(error)} ${took()}`;
  }
}
