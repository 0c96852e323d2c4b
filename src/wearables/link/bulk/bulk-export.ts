import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx } from '../../../context.ts';
import { decodeCursor, isId, takePage } from '../../../db/cursor.ts';
import { openTokens } from '../../connections/tokens/sealed-tokens.ts';
import type { BulkExport } from '../schemas.ts';

const PAGE_SIZE = 100;

type Filter = { provider: string; user_ids: string[] | null; next_token: string | null };

/**
 * Returns the team's connections to a provider with their tokens, so that the team can use the tokens elsewhere. Leaves
 * out connections without tokens.
 */
export async function bulkExport(ctx: TeamCtx, filter: Filter): Promise<Static<typeof BulkExport>> {
  const after = filter.next_token === null ? null : decodeCursor(filter.next_token, isId);
  const rows = await ctx.db
    .selectFrom('connections')
    .innerJoin('users', 'users.id', 'connections.user_id')
    .select(['user_id', 'connections.team_id', 'tokens', 'tokens_expire_at', 'external_user_id', 'granted_scopes'])
    .where('connections.team_id', '=', ctx.team.id)
    .where('provider', '=', filter.provider)
    .where('tokens', 'is not', null)
    .where('users.deleted_at', 'is', null)
    .$if(filter.user_ids !== null, (query) => query.where(sql<boolean>`user_id = any (${filter.user_ids}::uuid[])`))
    .$if(after !== null, (query) => query.where('user_id', '>', after as string))
    .orderBy('user_id')
    .limit(PAGE_SIZE + 1)
    .execute();
  const { page, next_cursor } = takePage(rows, PAGE_SIZE, ({ user_id }) => user_id);
  const data = page.map((row) => {
    const name = { team_id: row.team_id, id: `${row.user_id}/${filter.provider}` };
    const tokens = openTokens(ctx, name, row);
    return {
      user_id: row.user_id,
      access_token: tokens?.access_token ?? '',
      refresh_token: tokens?.refresh_token ?? '',
      provider_id:
        row.external_user_id === null
          ? ''
          : ctx.cipher.openText('connections.external_user_id', name, row.external_user_id),
      expires_at: row.tokens_expire_at === null ? 0 : Math.floor(Date.parse(row.tokens_expire_at) / 1000),
      oauth_scopes: row.granted_scopes,
    };
  });
  return { data, next_token: next_cursor };
}
