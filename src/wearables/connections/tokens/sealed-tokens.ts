import { sql, type RawBuilder } from 'kysely';
import type { TeamCtx } from '../../../context.ts';

/** The tokens of a user's account at a provider. */
export type Tokens = {
  access_token: string;
  /** Null if there is none. Then the connection fails when the access token expires, and the user has to reconnect. */
  refresh_token: string | null;
  /**
   * The time at which the access token expires: a moment in UTC, or a number of seconds from now; null if it is not
   * known.
   */
  expires_at: string | { in_seconds: number } | null;
};

type Row = { team_id: string; id: string };
type StoredTokens = Pick<Tokens, 'access_token' | 'refresh_token'>;

/** Returns tokens as columns of a connection. `row` names the connection. */
export function sealedTokens(
  { cipher }: TeamCtx,
  row: Row,
  tokens: Tokens | null,
): { tokens: Buffer | null; tokens_expire_at: string | RawBuilder<string> | null } {
  if (tokens === null) return { tokens: null, tokens_expire_at: null };
  const { expires_at, ...stored } = tokens;
  return {
    tokens: cipher.sealJson('connections.tokens', row, stored satisfies StoredTokens),
    tokens_expire_at: momentOf(expires_at),
  };
}

/** The database computes the moment from the seconds, because expiry times are compared with its clock. */
const momentOf = (expires: Tokens['expires_at']): string | RawBuilder<string> | null =>
  typeof expires === 'object' && expires !== null
    ? sql<string>`now() + make_interval(secs => ${expires.in_seconds})`
    : expires;

/** Returns the tokens of a connection; null if it has none, for example the connection of a phone. */
export function openTokens(
  { cipher }: TeamCtx,
  row: Row,
  { tokens, tokens_expire_at }: { tokens: Buffer | null; tokens_expire_at: string | null },
): Tokens | null {
  if (tokens === null) return null;
  return { ...cipher.openJson<StoredTokens>('connections.tokens', row, tokens), expires_at: tokens_expire_at };
}

/** Returns the provider's own id of the user of a connection; null if it is not known. */
export const openExternalUser = ({ cipher }: TeamCtx, row: Row, external_user_id: Buffer | null): string | null =>
  external_user_id && cipher.openText('connections.external_user_id', row, external_user_id);
