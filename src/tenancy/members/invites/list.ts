import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { Ctx } from '../../../context.ts';
import { decodeCursor, isId, takePage } from '../../../db/cursor.ts';
import { boundToOrg } from '../../../db/session/bind.ts';
import { creatorType } from '../../creator.ts';
import { wordHashes } from '../person.ts';
import { shownRole } from '../role.ts';
import type { OrgInvitePage } from '../schemas.ts';

const PAGE_SIZE = 50;

/**
 * Lists the open invites of an organisation, the oldest first. A search limits the list to invites whose address
 * contains all searched words.
 */
export async function listInvites(
  ctx: Ctx,
  orgId: string,
  { search_query, next_cursor }: { search_query: string | null; next_cursor: string | null },
): Promise<Static<typeof OrgInvitePage>> {
  const after = next_cursor === null ? null : decodeCursor(next_cursor, isId);
  const words = wordHashes(ctx, orgId, search_query ?? '');
  const found = await boundToOrg(ctx, orgId)
    .db.selectFrom('org_invites')
    .select(['id', 'email', 'role', 'team_ids', 'invited_at', 'resent_at', 'created_by', 'created_by_member'])
    .where('org_id', '=', orgId)
    .$if(words.length > 0, (query) => query.where(sql<boolean>`words @> ${words}::bytea[]`))
    .$if(after !== null, (query) => query.where('id', '>', after as string))
    .orderBy('id')
    .limit(PAGE_SIZE + 1)
    .execute();
  const { page, ...rest } = takePage(found, PAGE_SIZE, ({ id }) => id);
  const invites = page.map(({ id, email, invited_at, resent_at, created_by, created_by_member, ...row }) => ({
    id,
    email: ctx.cipher.openText('org_invites.email', { team_id: orgId, id }, email),
    invited_at,
    resent_at,
    creator: { type: creatorType({ created_by, created_by_member }) },
    ...shownRole(row),
  }));
  return { invites, ...rest };
}
