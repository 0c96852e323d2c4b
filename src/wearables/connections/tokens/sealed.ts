import { sql, type RawBuilder } from 'kysely';
import type { TeamCtx } from '../../../context.ts';

/** What opens a user's account at a provider. */
export type Tokens = {
  access_token: string;
  /** null: there is no way to another access token than asking the user again. */
  refresh_token: string | null;
  /** When the access token ends: a moment in UTC, or so many seconds from now; null: not known. */
  expires_at: string | { in_seconds: number } | null;
};

type Row = { team_id: string; id: string };
type Kept = Pick<Tokens, 'access_token' | 'refresh_token'>;

/** Tokens as the columns of a connection hold them; `row` names the connection. */
export function sealedTokens(
  { cipher }: TeamCtx,
  row: Row,
  tokens: Tokens | null,
): { tokens: Buffer | null; tokens_expire_at: string | RawBuilder<string> | null } {
  if (tokens === null) return { tokens: null, tokens_expire_at: null };
  const { expires_at, ...kept } = tokens;
  return {
    tokens: cipher.sealJson('connections.tokens', row, kept satisfies Kept),
    tokens_expire_at: momentOf(expires_at),
  };
}

/** By the database's clock, like all ages. */
const momentOf = (expires: Tokens['expires_at']): string | RawBuilder<string> | null =>
  typeof expires === 'object' && expires !== null
    ? sql<string>`now() + make_interval(secs => ${expires.in_seconds})`
    : expires;

/** The tokens of a connection; null where it has none, as that of a phone. */
export function openTokens(
  { cipher }: TeamCtx,
  row: Row,
  { tokens, tokens_expire_at }: { tokens: Buffer | null; tokens_expire_at: string | null },
): Tokens | null {
  if (tokens === null) return null;
  return { ...cipher.openJson<Kept>('connections.tokens', row, tokens), expires_at: tokens_expire_at };
}

/** The provider's own id of the user of a connection; null where it is not known. */
export const openExternalUser = ({ cipher }: TeamCtx, row: Row, external_user_id: Buffer | null): string | null =>
  external_user_id && cipher.openText('connections.external_user_id', row, external_user_id);
