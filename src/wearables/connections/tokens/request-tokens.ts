import type { Config } from '../../../config/options.ts';
import { ask, NoResponse } from '../../../outbound/ask.ts';
import { errorCodeOf, ProviderRefused, ProviderUnavailable, refuseError } from '../../providers/provider-errors.ts';
import { addressAt, type Configured } from '../applications/configured.ts';
import type { Tokens } from './sealed-tokens.ts';

export type GrantedTokens = {
  tokens: Tokens;
  /** The scopes that the user granted; null if the provider did not state them. */
  granted_scopes: string[] | null;
  external_user_id: string | null;
};

const LONGEST_TOKEN = 8_192;
const MAX_SCOPES = 100;
/** The longest lifetime of a token in seconds: ten years. A longer lifetime counts as ten years. */
const LONGEST_LIFE_SECONDS = 315_360_000;

/**
 * The codes by which a provider refuses the application and not the user: two of RFC 6749 section 5.2, and a status of
 * 401 without a code. The user cannot correct this.
 */
const OF_THE_CLIENT = new Set(['invalid_client', 'unauthorized_client', 'http_401']);

/**
 * Requests tokens from the provider. `fields` contains the grant: an authorization code or a refresh token. If the
 * provider refuses the application, throws ProviderUnavailable with `client_refused`, as in an outage. So the
 * connections stay, and no user has to connect again after the operator or the team has corrected the configuration.
 */
export async function requestTokens(
  config: Config,
  configured: Configured,
  fields: Record<string, string>,
): Promise<GrantedTokens> {
  const { connector, client } = configured;
  const { oauth } = connector;
  const form = new URLSearchParams({ ...oauth.token_with, ...fields });
  const headers: Record<string, string> = { 'content-type': 'application/x-www-form-urlencoded' };
  if (oauth.client_auth === 'body') {
    form.set('client_id', client.id);
    form.set('client_secret', client.secret.reveal());
  } else {
    const pair = [client.id, client.secret.reveal()].map(encodeURIComponent).join(':');
    headers['authorization'] = `Basic ${Buffer.from(pair).toString('base64')}`;
  }
  const url = addressAt(config, configured, oauth.token_url);
  let found: Record<string, unknown>;
  try {
    const answer = await responseOf(config, { method: 'POST', url, headers, body: form.toString() });
    found = oauth.unwrap ? oauth.unwrap(answer) : answer;
    refuseError(found);
  } catch (error) {
    if (error instanceof ProviderRefused && OF_THE_CLIENT.has(error.code))
      throw new ProviderUnavailable('client_refused');
    throw error;
  }
  return {
    tokens: tokensOf(found),
    granted_scopes: scopesOf(configured, found['scope']),
    external_user_id: oauth.externalUserId(found),
  };
}

/** Requests new tokens with a refresh token. Most providers accept a refresh token only once. */
export function renewTokens(config: Config, configured: Configured, refresh_token: string): Promise<GrantedTokens> {
  const { renew_with } = configured.connector.oauth;
  return requestTokens(config, configured, { grant_type: 'refresh_token', refresh_token, ...renew_with });
}

/**
 * Requests the provider's id of the user, if the token response did not contain it. Returns null if the provider cannot
 * be asked for it.
 */
export async function askIdentity(config: Config, configured: Configured, token: string): Promise<string | null> {
  const { identity } = configured.connector.oauth;
  if (identity === null) return null;
  const answer = await responseOf(config, {
    method: 'GET',
    url: addressAt(config, configured, identity.url),
    headers: { authorization: `Bearer ${token}` },
  });
  return identity.read(answer);
}

/**
 * Registers the user at a provider that requires this before the first request for data. The provider responds with 409
 * if the user is registered already.
 */
export async function registerUser(config: Config, configured: Configured, token: string): Promise<void> {
  const { register } = configured.connector.oauth;
  if (register === undefined) return;
  const { status, answer } = await reached(config, {
    method: 'POST',
    url: addressAt(config, configured, register.url),
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(register.body()),
  });
  if (status !== 409) refuseStatus(status, answer);
}

/** Returns the scopes that the provider states as granted; null if it states none. */
export function scopesOf({ connector: { oauth } }: Configured, granted: unknown): string[] | null {
  if (typeof granted !== 'string') return null;
  const names = granted.split(/[\s,]+/).filter((name) => name !== '' && name.length <= 300);
  return names.slice(0, MAX_SCOPES).map((name) => oauth.grantedScope?.(name) ?? name);
}

type Question = Parameters<typeof ask>[1];
type TokenResponse = { status: number; answer: Record<string, unknown> | null };

async function responseOf(config: Config, question: Question): Promise<Record<string, unknown>> {
  const { status, answer } = await reached(config, question);
  refuseStatus(status, answer);
  if (answer === null) throw new ProviderUnavailable('answer_unreadable');
  return answer;
}

async function reached(config: Config, question: Question): Promise<TokenResponse> {
  const { status, text } = await ask(config, question).catch((error: unknown) => {
    throw error instanceof NoResponse ? new ProviderUnavailable(error.code) : error;
  });
  return { status, answer: parse(text) };
}

function refuseStatus(status: number, answer: TokenResponse['answer']): void {
  if (status === 429 || status >= 500 || status < 200) throw new ProviderUnavailable(`http_${status}`);
  if (status >= 300) throw new ProviderRefused(errorCodeOf(answer?.['error']) ?? `http_${status}`);
}

function parse(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}

function tokensOf({ access_token, refresh_token, expires_in }: Record<string, unknown>): Tokens {
  if (!isToken(access_token)) throw new ProviderUnavailable('answer_without_token');
  const seconds = Number(expires_in);
  return {
    access_token,
    refresh_token: isToken(refresh_token) ? refresh_token : null,
    expires_at: seconds > 0 ? { in_seconds: Math.min(Math.floor(seconds), LONGEST_LIFE_SECONDS) } : null,
  };
}

const isToken = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= LONGEST_TOKEN && /^[\x21-\x7e]+$/.test(value);
