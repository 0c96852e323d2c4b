// The issuer of OpenID Connect that the operator configured. The library checks what the issuer sends. It asks through
// src/outbound, like everything that this service asks.
import {
  allowInsecureRequests,
  ClientSecretBasic,
  ClientSecretPost,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  type ClientAuth,
  type Configuration,
  type CustomFetch,
} from 'openid-client';
import type { Config } from '../../../config/options.ts';
import { ask } from '../../../outbound/ask.ts';

type Openid = NonNullable<Config['openid']>;

/** The address is the operator's option, so the issuer may be in a private network. */
const ANY_NETWORK = ['0.0.0.0/0', '::/0'];
/** How long we use the endpoints of the issuer without asking for them again. The library looks after its keys. */
const KNOWN_FOR_MS = 3_600_000;
/** How long we do not ask an issuer again that did not answer. Each request that waits for it holds a permit. */
const FAILED_FOR_MS = 10_000;
const METHODS = { GET: 'GET', POST: 'POST' } as const;

type Known = { found: Promise<Configuration>; until: number };
const known = new WeakMap<Config, Known>();

/**
 * Returns the endpoints of the issuer with our client. Callers share one request. Throws if the issuer does not answer
 * as it must, and then at once for some seconds.
 */
export async function findIssuer(config: Config, openid: Openid): Promise<Configuration> {
  const last = known.get(config);
  if (last && last.until > performance.now()) return last.found;
  const asked: Known = { found: discover(config, openid), until: performance.now() + KNOWN_FOR_MS };
  known.set(config, asked);
  try {
    return await asked.found;
  } catch (error) {
    asked.until = performance.now() + FAILED_FOR_MS;
    throw error;
  }
}

const discover = (config: Config, { issuer, clientId, clientSecret }: Openid): Promise<Configuration> =>
  discovery(new URL(issuer), clientId, undefined, clientAuthOf(clientSecret.reveal()), {
    [customFetch]: fetchOf(config),
    // The ID token comes over TLS from the issuer. Its signature is a second proof, and costs a request an hour.
    execute: [enableNonRepudiationChecks, ...(issuer.startsWith('http:') ? [allowInsecureRequests] : [])],
  });

/** The secret in the header is the default of OpenID Connect. Some issuers take it in the body only. */
const clientAuthOf =
  (secret: string): ClientAuth =>
  (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const auth = methods.includes('client_secret_basic') ? ClientSecretBasic(secret) : ClientSecretPost(secret);
    return auth(server, ...rest);
  };

const fetchOf =
  (config: Config): CustomFetch =>
  async (url, { method, headers, body, signal }) => {
    const response = await ask(
      config,
      {
        method: METHODS[method as keyof typeof METHODS],
        url,
        headers,
        ...(body === null || body === undefined ? {} : { body: String(body as URLSearchParams | string) }),
      },
      { networks: ANY_NETWORK, ...(signal ? { signal } : {}) },
    );
    const sent = Object.entries(response.headers).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, String(value)]],
    );
    const isEmpty = response.status === 204 || response.status === 304;
    return new Response(isEmpty ? null : response.text, { status: response.status, headers: sent });
  };
