import { Webhook } from 'standardwebhooks';
import type { webhooks } from './schema.ts';

/** A webhook that was not signed with the secret, or not within the last five minutes. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}

export type WebhookEventType = keyof webhooks;

/** The body of a webhook. `event_type` decides which fields `data` has. */
export type WebhookEvent<Type extends WebhookEventType = WebhookEventType> = {
  [Each in Type]: webhooks[Each]['post']['requestBody']['content']['application/json'];
}[Type];

/** Headers of a request, as `fetch` or `node:http` has them. */
type HeadersOfRequest = Headers | Record<string, string | string[] | undefined>;

/**
 * Returns the event of a webhook. Throws WebhookVerificationError if no signature matches the secret of the endpoint,
 * or if the webhook was signed more than five minutes ago. `body` are the bytes of the request as they came: a body
 * that was parsed and written again has other bytes.
 *
 * A webhook can come more than once, always with the same header `webhook-id`. Types that are added later than this
 * client are not in the union, so a `switch` needs a `default`.
 */
export function verifyWebhook(body: string | Uint8Array, headers: HeadersOfRequest, secret: string): WebhookEvent {
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const webhook = new Webhook(secret);
  try {
    return webhook.verify(text, namesAndTexts(headers)) as WebhookEvent;
  } catch (error) {
    throw new WebhookVerificationError((error as Error).message, { cause: error });
  }
}

function namesAndTexts(headers: HeadersOfRequest): Record<string, string> {
  const entries = headers instanceof Headers ? [...headers] : Object.entries(headers);
  return Object.fromEntries(entries.map(([name, value]) => [name, String(value ?? '')]));
}
