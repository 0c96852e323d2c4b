import { sql } from 'kysely';
import type { TeamCtx } from '../../context.ts';
import { AppError, notFound } from '../../errors.ts';

export const WEBHOOK_COLUMNS = [
  'id',
  'description',
  'rate_limit',
  'url',
  'disabled',
  'filter_types',
  'v1a_enabled',
  'created_at',
  'updated_at',
  sql<string | null>`(select failing_since from endpoint_queues where webhook_id = webhooks.id)`.as('failing_since'),
  sql<string | null>`(
    select max(expires_at) from webhook_secrets
     where webhook_id = webhooks.id and signature = 'v1' and expires_at > now())`.as('former_secret_ends_at'),
] as const;

export type WebhookRow = {
  id: string;
  description: string;
  rate_limit: number | null;
  url: string;
  disabled: boolean;
  filter_types: string[] | null;
  v1a_enabled: boolean;
  created_at: string;
  updated_at: string;
  failing_since: string | null;
  former_secret_ends_at: string | null;
};

/** Returns an endpoint of the team. Throws not_found if there is none. */
export async function findWebhook(ctx: TeamCtx, id: string): Promise<WebhookRow> {
  const webhook = await ctx.db
    .selectFrom('webhooks')
    .select(WEBHOOK_COLUMNS)
    .where('team_id', '=', ctx.team.id)
    .where('id', '=', id)
    .executeTakeFirst();
  if (!webhook) throw notFound('Webhook');
  return webhook;
}

/** Returns an enabled endpoint of the team. Throws not_found and webhook_disabled. */
export async function findEnabledWebhook(ctx: TeamCtx, id: string): Promise<WebhookRow> {
  const webhook = await findWebhook(ctx, id);
  if (webhook.disabled)
    throw new AppError('webhook_disabled', 'The endpoint is disabled, so nothing is sent to it. Enable it first.');
  return webhook;
}
