import type { Static } from 'typebox';
import type { TeamCtx } from '../../context.ts';
import { inTransaction } from '../../db/transaction.ts';
import { requeueDelivery } from '../../delivery/requeue.ts';
import { notFound } from '../../errors.ts';
import { publishTest } from '../../events/publish.ts';
import type { EventTypeDescription } from '../event-types/schemas.ts';
import { findEnabledWebhook } from '../endpoints/find.ts';
import { refuseAddressOf, refuseUrl } from '../endpoints/endpoint-url.ts';
import type { SentTest } from './schemas.ts';

/**
 * Queues the example of an event type for an endpoint, due immediately and without retries. The endpoint need not be
 * subscribed to the type. The function checks the URL again, because the rules or its DNS records may have changed.
 * Throws not_found, webhook_disabled, webhook_url_refused and webhook_address_refused.
 */
export async function sendTest(
  ctx: TeamCtx,
  webhookId: string,
  type: Pick<EventTypeDescription, 'name' | 'example'>,
): Promise<Static<typeof SentTest>> {
  const { url } = await findEnabledWebhook(ctx, webhookId);
  refuseUrl(ctx, url, ['path', 'webhook_id']);
  await refuseAddressOf(ctx, url);
  const event_id = await inTransaction(ctx, async (ctx) => {
    const id = await publishTest(ctx, { ...type, webhook_id: webhookId });
    if (!(await requeueDelivery(ctx, { webhook_id: webhookId, event_id: id }, 'test'))) throw notFound('Webhook');
    return id;
  });
  return { event_id, event_type: type.name };
}
