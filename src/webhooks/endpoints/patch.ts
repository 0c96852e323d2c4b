import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx } from '../../context.ts';
import { inTransaction } from '../../db/transaction.ts';
import { notifyEndpointChange } from '../../delivery/endpoint-cache.ts';
import { forgetFailures } from '../../delivery/disable.ts';
import { restartQueue } from '../../delivery/queues/queue-leases.ts';
import { notFound } from '../../errors.ts';
import { distinct } from '../../events/filter.ts';
import { refuseAddressOf, refuseUrl } from './endpoint-url.ts';
import { findWebhook, WEBHOOK_COLUMNS, type WebhookRow } from './find.ts';
import type { WebhookPatch } from './schemas.ts';
import { ensureKeyPair } from './secret.ts';

/**
 * Changes the members that the request has. If the endpoint is enabled again, or if its URL changes, its failures are
 * forgotten. If it is enabled again, its queued deliveries become due.
 */
export async function patchWebhook(ctx: TeamCtx, id: string, patch: Static<typeof WebhookPatch>): Promise<WebhookRow> {
  if (typeof patch.url === 'string') {
    refuseUrl(ctx, patch.url);
    // We check in this order: the text of the request, whether the endpoint exists, and what needs DNS.
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
    const webhook = await db
      .updateTable('webhooks')
      .set({ ...changes, updated_at: sql<string>`now()` })
      .where('team_id', '=', ctx.team.id)
      .where('id', '=', id)
      .returning(WEBHOOK_COLUMNS)
      .executeTakeFirstOrThrow();
    if (webhook.v1a_enabled) await ensureKeyPair(ctx, id);
    await notifyEndpointChange(db, id);
    // Otherwise the recorded failures stay: the endpoint was enabled before, and its URL is the same.
    if (before.disabled && !webhook.disabled) await restartQueue(db, id);
    if (before.url !== webhook.url) await forgetFailures(db, id);
    return webhook;
  });
}

type Changes = Partial<
  Pick<WebhookRow, 'url' | 'description' | 'rate_limit' | 'disabled' | 'filter_types' | 'v1a_enabled'>
>;

/**
 * Returns the columns to change. Null clears a member. It has no effect on the URL and on booleans, which cannot be
 * empty.
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
