import type { Static } from 'typebox';
import type { ManagementCtx } from '../../../context.ts';
import { decodeCursor, isId, takePage } from '../../../db/cursor.ts';
import { EHR_MEMBER_COLUMNS, openMember, toEhrMember } from './render.ts';
import type { EhrMemberPage } from '../schemas.ts';

const PAGE_SIZE = 50;

/** Lists the people of the EHR (electronic health record system), in the order in which they were added. */
export async function listEhrMembers(
  ctx: ManagementCtx,
  next_cursor: string | null,
): Promise<Static<typeof EhrMemberPage>> {
  const after = next_cursor === null ? null : decodeCursor(next_cursor, isId);
  const found = await ctx.db
    .selectFrom('ehr_members')
    .select(EHR_MEMBER_COLUMNS)
    .where('org_id', '=', ctx.org.id)
    .$if(after !== null, (query) => query.where('id', '>', after as string))
    .orderBy('id')
    .limit(PAGE_SIZE + 1)
    .execute();
  const { page, ...rest } = takePage(found, PAGE_SIZE, ({ id }) => id);
  return { data: page.map((row) => toEhrMember(openMember(ctx, ctx.org.id, row))), ...rest };
}
