import type { TeamCtx } from '../../context.ts';
import { decodeCursor, isId, takePage } from '../../db/cursor.ts';
import { WEBHOOK_COLUMNS, type WebhookRow } from './find.ts';

/** Returns the endpoints of the team in the order of their creation. */
export async function listWebhooks(
  ctx: TeamCtx,
  { next_cursor, limit }: { next_cursor: string | null; limit: number },
): Promise<{ data: WebhookRow[]; next_cursor: string | null }> {
  const after = next_cursor === null ? null : decodeCursor(next_cursor, isId);
  const found = await ctx.db
    .selectFrom('webhooks')
    .select(WEBHOOK_COLUMNS)
    .where('team_id', '=', ctx.team.id)
    .$if(after !== null, (query) => query.where('id', '>', after as string))
    .orderBy('id')
    .limit(limit + 1)
    .execute();
  const { page, ...rest } = takePage(found, limit, ({ id }) => id);
  return { data: page, ...rest };
}
