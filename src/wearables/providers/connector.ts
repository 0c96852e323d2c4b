// What each provider's connect.ts states: how users grant access, and which resources each scope brings.
import type { ProviderSlug } from './provider-catalogue.ts';

/**
 * How Phial revokes tokens. There are three ways: a POST with the token in a field or parameter; a DELETE with the
 * user's access token, at an address that contains the provider's id of the user (`{user}`); or POSTs with the user's
 * access token that end the notifications to our address.
 */
export type Revocation =
  | { url: string; token_in: 'body' | 'query'; parameter: string; token: 'access' | 'refresh' }
  | { url: string; token_in: 'header'; token: 'access'; forms?: (hook: string) => Record<string, string>[] };

type Oauth = {
  authorize_url: string;
  token_url: string;
  /** The request that revokes tokens; null if the provider has none. */
  revoke: Revocation | null;
  /**
   * Where a token request has the client's id and secret: in its body, or in the header of HTTP Basic authentication.
   */
  client_auth: 'body' | 'basic';
  /** The scopes that we request, unless a team has chosen others. */
  scopes: readonly string[];
  /**
   * The scopes that we add to a team's choice, because every connection needs them: for the identity of the user, and
   * for tokens that can be renewed.
   */
  always_scopes?: readonly string[];
  scope_separator: ' ' | ',';
  /** Whether authorization uses Proof Key for Code Exchange (RFC 7636) with SHA-256. */
  pkce: boolean;
  /** Additional parameters of the authorization request. */
  authorize_with?: Readonly<Record<string, string>>;
  /** Additional fields of all token requests. */
  token_with?: Readonly<Record<string, string>>;
  /** Additional fields of requests that renew a token. */
  renew_with?: Readonly<Record<string, string>>;
  /** Takes the fields of RFC 6749 out of a token response, if the provider wraps them in another object. */
  unwrap?: (response: Record<string, unknown>) => Record<string, unknown>;
  /** Returns the name that a scope has in requests, if the provider returns granted scopes under other names. */
  grantedScope?: (scope: string) => string;
  /** Returns the provider's id of the user from a token response; null if it is not in there. */
  externalUserId: (response: Record<string, unknown>) => string | null;
  /** The request that registers the user before the first request for data. Missing if the provider needs none. */
  register?: { url: string; body: () => unknown };
  /**
   * The request for the provider's id of the user, with an access token. Null if the token response has the id, or if
   * the provider has no such request.
   */
  identity: { url: string; read: (response: Record<string, unknown>) => string | null } | null;
};

export type Connector = {
  slug: ProviderSlug;
  oauth: Oauth;
  /**
   * For each resource that we pull: the scopes that it needs, and the optional scopes, which bring more fields of it.
   */
  scopes: Readonly<Record<string, { required: readonly string[]; optional?: readonly string[] }>>;
  /**
   * How many days after the end of the user's agreement we may store the provider's data. Missing if the provider's
   * rules set no limit.
   */
  deletes_data_after_days?: number;
  /** The origin (scheme and host) of the provider's addresses for a deployment in the EU, if the provider has one. */
  eu_origin?: string;
};

/** More characters than the id of any provider has. */
const LONGEST_ID = 256;

/** Returns an id of a response, a text or a number, as text; null if it is too long for an id. */
export function textOf(value: unknown): string | null {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : null;
  return text !== null && text.length <= LONGEST_ID ? text : null;
}
