import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { ManagementCtx } from '../../context.ts';
import { decodeCursor, isId, takePage } from '../../db/cursor.ts';
import { wordHashes, type Person } from './person.ts';
import { shownRole } from './role.ts';
import type { OrgMemberPage } from './schemas.ts';

const PAGE_SIZE = 50;

/**
 * Lists the members of the organisation, in the order in which they were invited. A search limits the list to members
 * whose name and address together contain all searched words.
 */
export async function listMembers(
  ctx: ManagementCtx,
  { search_query, next_cursor }: { search_query: string | null; next_cursor: string | null },
): Promise<Static<typeof OrgMemberPage>> {
  const after = next_cursor === null ? null : decodeCursor(next_cursor, isId);
  const words = wordHashes(ctx, ctx.org.id, search_query ?? '');
  const found = await ctx.db
    .selectFrom('org_members')
    .select(['id', 'person', 'role', 'team_ids', 'created_at'])
    .where('org_id', '=', ctx.org.id)
    .$if(words.length > 0, (query) => query.where(sql<boolean>`words @> ${words}::bytea[]`))
    .$if(after !== null, (query) => query.where('id', '>', after as string))
    .orderBy('id')
    .limit(PAGE_SIZE + 1)
    .execute();
  const { page, ...rest } = takePage(found, PAGE_SIZE, ({ id }) => id);
  const members = page.map(({ person, created_at: created_on, ...row }) => ({
    id: row.id,
    ...ctx.cipher.openJson<Person>('org_members.person', { team_id: ctx.org.id, id: row.id }, person),
    created_on,
    ...shownRole(row),
  }));
  return { members, ...rest };
}
