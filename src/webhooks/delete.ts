import type { TeamCtx } from '../context.ts';
import { inTransaction } from '../db/transaction.ts';
import { tellOfChange } from '../delivery/receiver-cache.ts';
import { clearLane } from '../delivery/lanes/lanes.ts';
import { notFound } from '../errors.ts';

/** Removes a receiver, its secrets and what was still queued for it; its attempts stay in the log. */
export function deleteWebhook(ctx: TeamCtx, id: string): Promise<void> {
  return inTransaction(ctx, async ({ db }) => {
    const deleted = await db
      .deleteFrom('webhooks')
      .where('team_id', '=', ctx.team.id)
      .where('id', '=', id)
      .returning('id')
      .executeTakeFirst();
    if (!deleted) throw notFound('Webhook');
    await clearLane(db, id);
    await tellOfChange(db, id);
  });
}
