import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { ManagementCtx } from '../../context.ts';
import { decodeCursor, isId, takePage } from '../../db/cursor.ts';
import { CREDENTIAL_COLUMNS, renderCredentials } from './render.ts';
import type { CredentialsPage } from './schemas.ts';

/** Returns the credentials of these teams, the oldest first. `teams` is null for all teams of the organisation. */
export async function listCredentials(
  ctx: ManagementCtx,
  teams: string[] | null,
  { provider, next_cursor, limit }: { provider: string | null; next_cursor: string | null; limit: number },
): Promise<Static<typeof CredentialsPage>> {
  const after = next_cursor === null ? null : decodeCursor(next_cursor, isId);
  const rows = await ctx.db
    .selectFrom('team_credentials')
    .select(CREDENTIAL_COLUMNS)
    .where('org_id', '=', ctx.org.id)
    .where('retired_at', 'is', null)
    .where(sql<boolean>`exists (select from teams where teams.id = team_id and deleted_at is null)`)
    .$if(teams !== null, (query) => query.where(sql<boolean>`team_id = any (${teams}::uuid[])`))
    .$if(provider !== null, (query) => query.where('provider', '=', provider as string))
    .$if(after !== null, (query) => query.where('id', '>', after as string))
    .orderBy('id')
    .limit(limit + 1)
    .execute();
  const { page, ...rest } = takePage(rows, limit, ({ id }) => id);
  return { credentials: page.map((row) => renderCredentials(ctx, row)), ...rest };
}
