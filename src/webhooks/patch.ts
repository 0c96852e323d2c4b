import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { ManagementCtx } from '../context.ts';
import { inTransaction } from '../db/transaction.ts';
import { notFound } from '../errors.ts';
import { DELIVERIES_CHANNEL } from '../events/publish.ts';
import { distinct } from './create.ts';
import { refuseUrl } from './endpoint-url.ts';
import { findWebhook, WEBHOOK_COLUMNS, type ManagedTeam, type WebhookRow } from './find.ts';
import type { WebhookPatch } from './schemas.ts';

/**
 * Changes the keys that are there. An endpoint that is enabled again starts without a record of failure, and
 * whatever was queued for it meanwhile is sent.
 */
export async function patchWebhook(
  ctx: ManagementCtx,
  team: ManagedTeam,
  id: string,
  patch: Static<typeof WebhookPatch>,
): Promise<WebhookRow> {
  if (typeof patch.url === 'string') refuseUrl(ctx.config, patch.url);
  const changes = changesOf(patch);
  if (Object.keys(changes).length === 0) return findWebhook(ctx, team, id);
  const enabling = changes.disabled === false;
  return inTransaction(ctx, async ({ db }) => {
    const webhook = await db
      .updateTable('webhooks')
      .set({ ...changes, updated_at: sql<string>`now()` })
      // The failures of an endpoint that was not disabled still count.
      .$if(enabling, (update) =>
        update.set({ failing_since: sql<string>`case when disabled then null else failing_since end` }),
      )
      .where('team_id', '=', team.id)
      .where('id', '=', id)
      .returning(WEBHOOK_COLUMNS)
      .executeTakeFirst();
    if (!webhook) throw notFound('Webhook');
    if (enabling) await sql`select pg_notify(${DELIVERIES_CHANNEL}, '')`.execute(db);
    return webhook;
  });
}

type Changes = Partial<Pick<WebhookRow, 'url' | 'description' | 'rate_limit' | 'disabled' | 'filter_types'>>;

/** A null clears, but an endpoint never loses its url, and it is enabled or disabled by a value only. */
function changesOf(patch: Static<typeof WebhookPatch>): Changes {
  const { url, description, rate_limit, disabled, filter_types } = patch;
  return {
    ...(typeof url === 'string' ? { url } : {}),
    ...(description === undefined ? {} : { description: description ?? '' }),
    ...(rate_limit === undefined ? {} : { rate_limit }),
    ...(typeof disabled === 'boolean' ? { disabled } : {}),
    ...(filter_types === undefined ? {} : { filter_types: distinct(filter_types) }),
  };
}
