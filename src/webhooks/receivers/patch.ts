import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx } from '../../context.ts';
import { inTransaction } from '../../db/transaction.ts';
import { tellOfChange } from '../../delivery/receiver-cache.ts';
import { forgetFailures } from '../../delivery/disable.ts';
import { restartLane } from '../../delivery/lanes/lanes.ts';
import { notFound } from '../../errors.ts';
import { distinct } from '../../events/filter.ts';
import { refuseAddressOf, refuseUrl } from './receiver-url.ts';
import { findWebhook, WEBHOOK_COLUMNS, type WebhookRow } from './find.ts';
import type { WebhookPatch } from './schemas.ts';
import { ensureKeyPair } from './secret.ts';

/**
 * Changes the keys that are there. A receiver that is enabled again or has moved starts without a record of failure; whatever was
 * queued for one that is enabled again is sent.
 */
export async function patchWebhook(ctx: TeamCtx, id: string, patch: Static<typeof WebhookPatch>): Promise<WebhookRow> {
  if (typeof patch.url === 'string') {
    refuseUrl(ctx, patch.url);
    // What the request shows, whether the receiver is there, and then what has to be asked elsewhere.
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
    await tellOfChange(db, id);
    // The failures of a receiver that was not disabled and is where it was still count.
    if (before.disabled && !webhook.disabled) await restartLane(db, id);
    if (before.url !== webhook.url) await forgetFailures(db, id);
    return webhook;
  });
}

type Changes = Partial<
  Pick<WebhookRow, 'url' | 'description' | 'rate_limit' | 'disabled' | 'filter_types' | 'v1a_enabled'>
>;

/** A null clears, but a receiver never loses its url, and what is on or off changes by a value only. */
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
