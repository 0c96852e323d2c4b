import type { TeamCtx } from '../../context.ts';
import { inTransaction } from '../../db/transaction.ts';
import { tellOfChange } from '../../delivery/receiver-cache.ts';
import { clearQueue } from '../../delivery/lanes/lanes.ts';
import { notFound } from '../../errors.ts';
import { replaceHeaderSet } from './headers.ts';

/**
 * Removes a receiver, its secrets and what was still queued for it; its attempts stay in the log. The queue goes first,
 * however long that takes: with the receiver its lane is locked, and workers would wait for it with everybody's webhooks.
 */
export function deleteWebhook(ctx: TeamCtx, id: string): Promise<void> {
  return inTransaction(ctx, async (ctx) => {
    const { db } = ctx;
    const found = await db
      .selectFrom('webhooks')
      .select('id')
      .where('team_id', '=', ctx.team.id)
      .where('id', '=', id)
      .executeTakeFirst();
    if (!found) throw notFound('Webhook');
    await clearQueue(db, id);
    const { numDeletedRows } = await db
      .deleteFrom('webhooks')
      .where('team_id', '=', ctx.team.id)
      .where('id', '=', id)
      .executeTakeFirst();
    if (numDeletedRows === 0n) throw notFound('Webhook');
    await replaceHeaderSet(ctx, id);
    // What was published meanwhile.
    await clearQueue(db, id);
    await tellOfChange(db, id);
  });
}
