import { sign } from '../../delivery/sending/sign.ts';
import { ORIGIN_HEADER } from '../../events/origin.ts';
import { USER_AGENT } from '../../package-root.ts';
import type { Following } from './follow.ts';
import { reasonOf } from './reason.ts';

const WITHIN_MS = 15_000;

/**
 * Sends an event once, in the form of a webhook delivery. Returns the status, or the reason for a missing response, and
 * the duration. It follows no redirect, because the user of the command chose this server and no other.
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
