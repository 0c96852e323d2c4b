import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx } from '../../context.ts';
import { inTransaction } from '../../db/transaction.ts';
import { notifyEndpointChange } from '../../delivery/endpoint-cache.ts';
import { forgetFailures } from '../../delivery/disable.ts';
import { restartQueue } from '../../delivery/queues/queue-leases.ts';
import { notFound } from '../../errors.ts';
import { distinct } from '../../events/filter.ts';
import { storeEarlierUrl } from './earlier-urls.ts';
import { refuseAddressOf, refuseUrl } from './endpoint-url.ts';
import { findWebhook, WEBHOOK_COLUMNS, type WebhookRow } from './find.ts';
import type { WebhookPatch } from './schemas.ts';
import { ensureKeyPair } from './secret.ts';

/**
 * Changes the properties that the request contains. If this enables the endpoint again or changes its URL, the function
 * clears the recorded failures. If it enables the endpoint again, the queued deliveries become due. Throws not_found,
 * webhook_url_refused and webhook_address_refused.
 */
export async function patchWebhook(ctx: TeamCtx, id: string, patch: Static<typeof WebhookPatch>): Promise<WebhookRow> {
  if (typeof patch.url === 'string') {
    refuseUrl(ctx, patch.url);
    // We look up the host name last, so that a request for an unknown endpoint does not wait for DNS.
    await findWebhook(ctx, id);
    await refuseAddressOf(ctx, patch.url);
  }
  const changes = changesOf(patch);
  if (Object.keys(changes).length === 0) return findWebhook(ctx, id);
  return inTransaction(ctx, async (ctx) => {
    const { db } = ctx;
    const before = await db
      .selectFrom('webhooks')
      .select(['disabled', 'url'])
      .where('team_id', '=', ctx.team.id)
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst();
    if (!before) throw notFound('Webhook');
    if (typeof patch.url === 'string' && patch.url !== before.url) await storeEarlierUrl(ctx, id);
    const webhook = await db
      .updateTable('webhooks')
      .set({ ...changes, updated_at: sql<string>`now()` })
      .where('team_id', '=', ctx.team.id)
      .where('id', '=', id)
      .returning(WEBHOOK_COLUMNS)
      .executeTakeFirstOrThrow();
    if (webhook.v1a_enabled) await ensureKeyPair(ctx, id);
    await notifyEndpointChange(db, id);
    // If the endpoint was enabled before and keeps its URL, its recorded failures still count.
    if (before.disabled && !webhook.disabled) await restartQueue(db, id);
    if (before.url !== webhook.url) await forgetFailures(db, id);
    // Enabling it or changing its URL has cleared what the statement above returned about its failures.
    return findWebhook(ctx, id);
  });
}

type Changes = Partial<
  Pick<WebhookRow, 'url' | 'description' | 'rate_limit' | 'disabled' | 'filter_types' | 'v1a_enabled'>
>;

/**
 * Returns the columns to change. Null clears a property that can be empty. The URL and booleans cannot be empty, so for
 * them null changes nothing.
 */
function changesOf(patch: Static<typeof WebhookPatch>): Changes {
  const { url, description, rate_limit, disabled, filter_types, v1a_enabled } = patch;
  return {
    ...(typeof url === 'string' ? { url } : {}),
    ...(description === undefined ? {} : { description: description ?? '' }),
    ...(rate_limit === undefined ? {} : { rate_limit }),
    ...(typeof disabled === 'boolean' ? { disabled } : {}),
    ...(typeof v1a_enabled === 'boolean' ? { v1a_enabled } : {}),
    ...(filter_types === undefined ? {} : { filter_types: distinct(filter_types) }),
  };
}
