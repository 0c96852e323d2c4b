import { hash, randomBytes } from 'node:crypto';
import type { Config } from '../../config/options.ts';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const KEY_BYTES = 32;
const SHOWN_CHARACTERS = 12;

export type NewKey = {
  /** The complete key. Only the caller who creates it sees it, once. */
  value: string;
  hash: Buffer;
  /** The first characters of the key, so that people can distinguish their keys. */
  start: string;
};

/**
 * Returns the prefix of a team API key, which states its environment and region. `sk_` is the sandbox and `pk_` is
 * production.
 */
const teamKeyPrefix = ({ environment, region }: Pick<Config, 'environment' | 'region'>): string =>
  `${environment === 'sandbox' ? 'sk' : 'pk'}_${region}_`;

export const newTeamKey = (config: Pick<Config, 'environment' | 'region'>): NewKey => newKey(teamKeyPrefix(config));
export const newManagementKey = (): NewKey => newKey('mg_');

/**
 * The prefixes of tokens that expire. With `user` a user's phone sends data. With `link` a user's browser connects a
 * provider. With `access` a program uses the rights of a team API key. With `sign_in` a person signs in, and `session`
 * is in the cookie of a person who is signed in.
 */
const TOKEN_PREFIXES = { user: 'ut_', link: 'lt_', access: 'at_', sign_in: 'si_', session: 'ss_' } as const;
type TokenKind = keyof typeof TOKEN_PREFIXES;

export const newToken = (kind: TokenKind): NewKey => newKey(TOKEN_PREFIXES[kind]);

/** Returns the kind of a token by its prefix, or null if it is not a token of this service. */
export const readToken = (value: string): TokenKind | null =>
  (Object.keys(TOKEN_PREFIXES) as TokenKind[]).find((kind) =>
    new RegExp(`^${TOKEN_PREFIXES[kind]}[0-9A-Za-z]{43}$`).test(value),
  ) ?? null;

/**
 * Returns the hash of a key or token. One round of SHA-256 is enough, because a key has 256 random bits and cannot be
 * guessed.
 */
export const hashKey = (value: string): Buffer => hash('sha256', value, 'buffer');

function newKey(prefix: string): NewKey {
  const value = prefix + base62(randomBytes(KEY_BYTES));
  return { value, hash: hashKey(value), start: value.slice(0, SHOWN_CHARACTERS) };
}

function base62(bytes: Buffer): string {
  let number = BigInt(`0x${bytes.toString('hex')}`);
  let text = '';
  while (text.length < 43) {
    text = (BASE62[Number(number % 62n)] as string) + text;
    number /= 62n;
  }
  return text;
}

export type KeyKind =
  { kind: 'team'; environment: Config['environment']; region: Config['region'] } | { kind: 'management' };

/** Returns the kind of a key by its prefix, or null if it is not a key of this service. */
export function readKey(value: string): KeyKind | null {
  const match = /^(?:(sk|pk)_(us|eu)|mg)_[0-9A-Za-z]{43}$/.exec(value);
  if (!match) return null;
  if (match[1] === undefined) return { kind: 'management' };
  return {
    kind: 'team',
    environment: match[1] === 'sk' ? 'sandbox' : 'production',
    region: match[2] as Config['region'],
  };
}
