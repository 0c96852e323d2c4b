// The client: `openPhial` opens it, `unwrap` returns the body of a response or throws what the service refused.
import openFetch, { type Client } from 'openapi-fetch';
import { follow, type FollowOptions, type FollowedEvent } from './follow.ts';
import { giveIdempotencyKeys } from './idempotency-keys.ts';
import { retry, type Fetch, type RetryOptions } from './retry.ts';
import type { paths } from './schema.ts';

export { PhialError, unwrap, type ErrorCode } from './errors.ts';
export { pagesOf, itemsOf } from './pages.ts';
export { verifyWebhook, WebhookVerificationError, type WebhookEvent, type WebhookEventType } from './webhooks.ts';
export type { components, operations, paths } from './schema.ts';
export type { FollowedEvent, FollowOptions } from './follow.ts';

/** How the requests prove who sends them. A team key opens the data of a team, a management key an organisation. */
export type Credentials =
  | { apiKey: string }
  | { managementKey: string }
  /** A token that lasts an hour. The function is called before each request, so that it can get a new one. */
  | { accessToken: string | (() => string | Promise<string>) };

export type PhialOptions = Credentials &
  RetryOptions & {
    /** The address of the service, such as `http://localhost:3000`. */
    baseUrl: string;
    /** Default: the `fetch` of the runtime. */
    fetch?: Fetch;
  };

/** The methods `GET`, `POST`, `PUT`, `PATCH` and `DELETE` take a path of the interface, and follow the change feed. */
export type Phial = Client<paths> & {
  events: {
    /**
     * Yields the events of the team for ever, at least once and in the order of commits. It goes on after lost
     * connections, 429 and 5xx. Other refusals end it.
     */
    follow: (options?: FollowOptions) => AsyncGenerator<FollowedEvent, never, undefined>;
  };
};

export function openPhial({ baseUrl, fetch = globalThis.fetch, retries, ...credentials }: PhialOptions): Phial {
  const address = baseUrl.replace(/\/+$/, '');
  // Throws for what is no address. `follow` would take the failure of its first request for a lost connection.
  void new Request(`${address}/`);
  const client = openFetch<paths>({
    baseUrl: address,
    fetch: retry(fetch, { retries }),
    // A redirect could lead to another host, which must not get the key.
    redirect: 'manual',
    // The service reads a list as a repeated name.
    querySerializer: { array: { style: 'form', explode: true } },
  });
  client.use({ onRequest: ({ request }) => authorize(request, credentials as Credentials) }, giveIdempotencyKeys);
  return Object.assign(client, { events: { follow: (options?: FollowOptions) => follow(client, options) } });
}

async function authorize(request: Request, credentials: Credentials): Promise<Request> {
  if ('apiKey' in credentials) request.headers.set('x-service-api-key', credentials.apiKey);
  else if ('managementKey' in credentials) request.headers.set('x-management-key', credentials.managementKey);
  else {
    const { accessToken } = credentials;
    const token = typeof accessToken === 'string' ? accessToken : await accessToken();
    request.headers.set('authorization', `Bearer ${token}`);
  }
  return request;
}
