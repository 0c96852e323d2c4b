import type { Static } from 'typebox';
import { sql } from 'kysely';
import type { TeamCtx } from '../../context.ts';
import { inTransaction } from '../../db/transaction.ts';
import { notifyReplay } from '../../delivery/replays/notify.ts';
import { findReplay } from './find.ts';
import type { Replay } from './schemas.ts';

/**
 * Cancels a replay. No further delivery starts, and attempts under way end as usual. A replay that has ended does not
 * change. Throws not_found.
 */
export function cancelReplay(
  ctx: TeamCtx,
  replay: { webhook_id: string; replay_id: string },
): Promise<Static<typeof Replay>> {
  return inTransaction(ctx, async (ctx) => {
    await ctx.db
      .updateTable('webhook_replays')
      .set({ status: 'cancelled', updated_at: sql<string>`now()`, ended_at: sql<string>`now()` })
      .where('team_id', '=', ctx.team.id)
      .where('webhook_id', '=', replay.webhook_id)
      .where('id', '=', replay.replay_id)
      .where('ended_at', 'is', null)
      .execute();
    await notifyReplay(ctx.db, replay.replay_id);
    return findReplay(ctx, replay);
  });
}
