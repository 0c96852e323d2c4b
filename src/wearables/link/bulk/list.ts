import type { Static } from 'typebox';
import type { TeamCtx } from '../../../context.ts';
import { decodeCursor, isId, takePage } from '../../../db/cursor.ts';
import type { BulkOp, BulkOpPage } from '../schemas.ts';

/** Returns the team's bulk operations, the newest first. */
export async function listBulkOps(
  ctx: TeamCtx,
  { next_cursor, page_size }: { next_cursor: string | null; page_size: number },
): Promise<Static<typeof BulkOpPage>> {
  const before = next_cursor === null ? null : decodeCursor(next_cursor, isId);
  const rows = await ctx.db
    .selectFrom('bulk_ops')
    .select(['id', 'type', 'status', 'provider', 'pending', 'processed', 'started_at', 'ended_at'])
    .where('team_id', '=', ctx.team.id)
    .$if(before !== null, (query) => query.where('id', '<', before as string))
    .orderBy('id', 'desc')
    .limit(page_size + 1)
    .execute();
  const { page, ...rest } = takePage(rows, page_size, ({ id }) => id);
  return { data: page.map(({ id: _, ...op }) => op as Static<typeof BulkOp>), ...rest };
}
