import type { TeamCtx } from '../../context.ts';
import { inTransaction } from '../../db/transaction.ts';
import { notifyEndpointChange } from '../../delivery/endpoint-cache.ts';
import { clearQueue } from '../../delivery/queues/queue-leases.ts';
import { notFound } from '../../errors.ts';
import { storeEarlierUrl } from './earlier-urls.ts';
import { replaceHeaderSet } from './endpoint-headers.ts';

/**
 * Deletes an endpoint, its secrets and its queued deliveries. Its attempts stay in the log. The deletion of the
 * endpoint locks the row of its queue, and no worker can renew or release the lease of the queue meanwhile. So the lock
 * must be short. Deleting the deliveries may take long, so the function does that before.
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
    await storeEarlierUrl(ctx, id);
    const { numDeletedRows } = await db
      .deleteFrom('webhooks')
      .where('team_id', '=', ctx.team.id)
      .where('id', '=', id)
      .executeTakeFirst();
    if (numDeletedRows === 0n) throw notFound('Webhook');
    await replaceHeaderSet(ctx, id);
    // An event that was published meanwhile may have added deliveries. We delete them too.
    await clearQueue(db, id);
    await notifyEndpointChange(db, id);
  });
}
