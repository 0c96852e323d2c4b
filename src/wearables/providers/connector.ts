// What each provider's connect.ts fulfils: how its users agree, and which scopes bring what.
import type { ProviderSlug } from './catalogue.ts';

/**
 * A POST with the token in a field or parameter, or a DELETE in the name of the user, whose own id at the provider stands
 * where the address says `{user}`; or POSTs in the user's name that end what the provider tells to the address of our hook.
 */
export type Revocation =
  | { url: string; token_in: 'body' | 'query'; parameter: string; token: 'access' | 'refresh' }
  | { url: string; token_in: 'header'; token: 'access'; forms?: (hook: string) => Record<string, string>[] };

type Oauth = {
  authorize_url: string;
  token_url: string;
  /** How the provider is told that its tokens are used no more; null where it has no place for that. */
  revoke: Revocation | null;
  /** Where the client's id and secret stand in a token request. */
  client_auth: 'body' | 'basic';
  /** Asked for at every authorisation, unless a team has chosen. */
  scopes: readonly string[];
  /** Of them those that a team cannot leave out: who the user is, and tokens that can be renewed. */
  always_scopes?: readonly string[];
  scope_separator: ' ' | ',';
  /** Proof Key for Code Exchange (RFC 7636) by SHA-256. */
  pkce: boolean;
  /** Further parameters of the authorisation. */
  authorize_with?: Readonly<Record<string, string>>;
  /** Further fields of every token request. */
  token_with?: Readonly<Record<string, string>>;
  /** Further fields of the requests that renew one. */
  renew_with?: Readonly<Record<string, string>>;
  /** What RFC 6749 puts at the top of the answer to a token request, where the provider wraps it. */
  unwrap?: (answer: Record<string, unknown>) => Record<string, unknown>;
  /** A scope as it is granted, where that reads otherwise than as it was asked for. */
  grantedScope?: (scope: string) => string;
  /** The provider's own id of the user in the answer to a token request; null where it is not there. */
  externalUserId: (answer: Record<string, unknown>) => string | null;
  /** Where the provider is told, in the name of a user, that there will be questions; left out, it need not be. */
  register?: { url: string; body: () => unknown };
  /** Where to ask for that id by an access token, where the answer does not have it; null: it cannot be known. */
  identity: { url: string; read: (answer: Record<string, unknown>) => string | null } | null;
};

export type Connector = {
  slug: ProviderSlug;
  oauth: Oauth;
  /** Of each resource that is pulled, the scopes without which there is nothing, and those that make it fuller. */
  scopes: Readonly<Record<string, { required: readonly string[]; optional?: readonly string[] }>>;
  /** Days for which what it brought may be kept once the user's agreement has ended; left out, its rules do not say. */
  keeps_data_days?: number;
  /** Origin of every address in a deployment of the EU, where it is another one. */
  eu_origin?: string;
};

/** Longer than any id that a provider gives. */
const LONGEST_ID = 256;

/** A text or number of an answer, as a text; null for what is too long to be an id. */
export function textOf(value: unknown): string | null {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : null;
  return text !== null && text.length <= LONGEST_ID ? text : null;
}
