import type { Static } from 'typebox';
import type { ManagementCtx } from '../context.ts';
import { inTransaction } from '../db/transaction.ts';
import { newId } from '../ids.ts';
import { refuseUrl } from './endpoint-url.ts';
import { WEBHOOK_COLUMNS, type ManagedTeam, type WebhookRow } from './find.ts';
import type { WebhookInput } from './schemas.ts';
import { newSecret } from '../delivery/sending/sign.ts';

/** An endpoint with its secret. It receives what happens from now on. */
export function createWebhook(
  ctx: ManagementCtx,
  team: ManagedTeam,
  input: Static<typeof WebhookInput>,
): Promise<WebhookRow> {
  refuseUrl(ctx.config, input.url);
  return inTransaction(ctx, async ({ db }) => {
    const webhook = await db
      .insertInto('webhooks')
      .values({
        id: newId(),
        team_id: team.id,
        url: input.url,
        description: input.description ?? '',
        rate_limit: input.rate_limit ?? null,
        disabled: input.disabled ?? false,
        filter_types: distinct(input.filter_types ?? null),
      })
      .returning(WEBHOOK_COLUMNS)
      .executeTakeFirstOrThrow();
    await db
      .insertInto('webhook_secrets')
      .values({ webhook_id: webhook.id, id: newId(), secret: input.secret ?? newSecret() })
      .execute();
    return webhook;
  });
}

export const distinct = (types: string[] | null): string[] | null => types && [...new Set(types)];
