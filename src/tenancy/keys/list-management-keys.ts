import { sql } from 'kysely';
import type { Ctx } from '../../context.ts';
import { boundToOrg } from '../../db/session/bind.ts';
import { decodeCursor, isId, takePage } from '../../db/cursor.ts';
import { MANAGEMENT_KEY_COLUMNS, type ManagementKeyRow } from './render-management-key.ts';

const PAGE_SIZE = 50;

type Filter = { team_id: string | null; role: string | null; next_cursor: string | null };

/**
 * Lists the valid management keys of an organisation, the oldest first. A filter limits the list to keys with a role,
 * or to keys that are bound to a team.
 */
export async function listManagementKeys(
  ctx: Ctx,
  orgId: string,
  { team_id, role, next_cursor }: Filter,
): Promise<{ keys: ManagementKeyRow[]; next_cursor: string | null }> {
  const after = next_cursor === null ? null : decodeCursor(next_cursor, isId);
  const found = await boundToOrg(ctx, orgId)
    .db.selectFrom('management_keys')
    .select(MANAGEMENT_KEY_COLUMNS)
    .where('org_id', '=', orgId)
    .where('revoked_at', 'is', null)
    .$if(team_id !== null, (query) => query.where(sql<boolean>`${team_id}::uuid = any (team_ids)`))
    .$if(role !== null, (query) => query.where('role', '=', role as string))
    .$if(after !== null, (query) => query.where('id', '>', after as string))
    .orderBy('id')
    .limit(PAGE_SIZE + 1)
    .execute();
  const { page, ...rest } = takePage(found, PAGE_SIZE, ({ id }) => id);
  return { keys: page, ...rest };
}
