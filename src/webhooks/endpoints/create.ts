import type { Static } from 'typebox';
import type { TeamCtx } from '../../context.ts';
import { inTransaction } from '../../db/transaction.ts';
import { distinct } from '../../events/filter.ts';
import { refuseBeyondLimit } from '../../tenancy/limits.ts';
import { newId } from '../../ids.ts';
import { refuseAddressOf, refuseUrl } from './endpoint-url.ts';
import { WEBHOOK_COLUMNS, type WebhookRow } from './find.ts';
import type { WebhookInput } from './schemas.ts';
import { addSecret, ensureKeyPair } from './secret.ts';
import { createQueue } from '../../delivery/queues/queue-leases.ts';
import { newSecret } from '../../delivery/sending/sign.ts';

/** Creates an endpoint with its secret. The endpoint receives the events that are published from now on. */
export async function createWebhook(ctx: TeamCtx, input: Static<typeof WebhookInput>): Promise<WebhookRow> {
  refuseUrl(ctx, input.url);
  await refuseAddressOf(ctx, input.url);
  return inTransaction(ctx, async (ctx) => {
    const { db } = ctx;
    await refuseBeyondLimit(ctx, 'webhooksPerTeam', ctx.team.id, async () => {
      const { count } = await db
        .selectFrom('webhooks')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .where('team_id', '=', ctx.team.id)
        .executeTakeFirstOrThrow();
      return count;
    });
    const webhook = await db
      .insertInto('webhooks')
      .values({
        id: newId(),
        team_id: ctx.team.id,
        url: input.url,
        description: input.description ?? '',
        rate_limit: input.rate_limit ?? null,
        disabled: input.disabled ?? false,
        filter_types: distinct(input.filter_types ?? null),
        v1a_enabled: input.v1a_enabled ?? false,
      })
      .returning(WEBHOOK_COLUMNS)
      .executeTakeFirstOrThrow();
    await addSecret(ctx, { webhook_id: webhook.id, signature: 'v1', secret: input.secret ?? newSecret() });
    if (webhook.v1a_enabled) await ensureKeyPair(ctx, webhook.id);
    await createQueue(db, { webhook_id: webhook.id, team_id: ctx.team.id });
    return webhook;
  });
}
