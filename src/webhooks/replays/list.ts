import type { Static } from 'typebox';
import type { TeamCtx } from '../../context.ts';
import { decodeCursor, isId, takePage } from '../../db/cursor.ts';
import { findWebhook } from '../endpoints/find.ts';
import { readReplays } from './find.ts';
import type { Replay } from './schemas.ts';

/** Lists the replays of an endpoint, the newest first. Throws not_found and invalid_cursor. */
export async function listReplays(
  ctx: TeamCtx,
  webhook_id: string,
  { next_cursor, limit }: { next_cursor: string | null; limit: number },
): Promise<{ data: Static<typeof Replay>[]; next_cursor: string | null }> {
  const before = next_cursor === null ? null : decodeCursor(next_cursor, isId);
  await findWebhook(ctx, webhook_id);
  const found = await readReplays(ctx, { webhook_id, replay_id: null, before, most: limit + 1 });
  const { page, ...rest } = takePage(found, limit, ({ id }) => id);
  return { data: page, ...rest };
}
