// The type of each provider's connect.ts: how its users grant access, and which resources each scope brings.
import type { ProviderSlug } from './provider-catalogue.ts';

/**
 * The request that revokes tokens. There are three forms: a POST with the token in a field or parameter; a DELETE with
 * the user's access token, whose address contains the provider's own id of the user in place of `{user}`; or POSTs with
 * the user's access token that end the notifications to our hook.
 */
export type Revocation =
  | { url: string; token_in: 'body' | 'query'; parameter: string; token: 'access' | 'refresh' }
  | { url: string; token_in: 'header'; token: 'access'; forms?: (hook: string) => Record<string, string>[] };

type Oauth = {
  authorize_url: string;
  token_url: string;
  /** The request that revokes tokens; null if the provider has none. */
  revoke: Revocation | null;
  /** The part of a token request that has the client's id and secret. */
  client_auth: 'body' | 'basic';
  /** The scopes of every authorization request, unless a team has chosen other ones. */
  scopes: readonly string[];
  /**
   * The scopes that we add to a team's choice: those for the identity of the user, and for tokens that can be renewed.
   */
  always_scopes?: readonly string[];
  scope_separator: ' ' | ',';
  /** Whether requests use Proof Key for Code Exchange (RFC 7636) with SHA-256. */
  pkce: boolean;
  /** Additional parameters of the authorization request. */
  authorize_with?: Readonly<Record<string, string>>;
  /** Additional fields of every token request. */
  token_with?: Readonly<Record<string, string>>;
  /** Additional fields of the requests that renew a token. */
  renew_with?: Readonly<Record<string, string>>;
  /** Returns the fields of RFC 6749 from a token response, if the provider wraps them in another object. */
  unwrap?: (response: Record<string, unknown>) => Record<string, unknown>;
  /** Returns the name of a granted scope in requests, if it differs from the name in the response. */
  grantedScope?: (scope: string) => string;
  /** Returns the provider's own id of the user from a token response; null if the response does not have it. */
  externalUserId: (response: Record<string, unknown>) => string | null;
  /**
   * The request that registers the user before the first request for data. It is missing if the provider requires none.
   */
  register?: { url: string; body: () => unknown };
  /**
   * The request for the user's id with an access token, for providers whose token response does not have the id; null
   * if there is no such request.
   */
  identity: { url: string; read: (response: Record<string, unknown>) => string | null } | null;
};

export type Connector = {
  slug: ProviderSlug;
  oauth: Oauth;
  /** For each resource that we pull: the scopes that it needs, and the scopes that bring more of it. */
  scopes: Readonly<Record<string, { required: readonly string[]; optional?: readonly string[] }>>;
  /**
   * The number of days for which we may store the provider's data after the user's agreement has ended. It is missing
   * if the provider's rules set no limit.
   */
  deletes_data_after_days?: number;
  /** The origin of all addresses for a deployment in the EU, if it differs. */
  eu_origin?: string;
};

/** No provider has a longer id. */
const LONGEST_ID = 256;

/** Returns a text or number of a response as a text; null if it is too long for an id. */
export function textOf(value: unknown): string | null {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : null;
  return text !== null && text.length <= LONGEST_ID ? text : null;
}
