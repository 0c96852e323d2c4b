import type { ManagementCtx, TxCtx } from '../context.ts';
import { notFound } from '../errors.ts';

export const WEBHOOK_COLUMNS = [
  'id',
  'description',
  'rate_limit',
  'url',
  'disabled',
  'filter_types',
  'created_at',
  'updated_at',
] as const;

export type WebhookRow = {
  id: string;
  description: string;
  rate_limit: number | null;
  url: string;
  disabled: boolean;
  filter_types: string[] | null;
  created_at: string;
  updated_at: string;
};

/** The team whose receivers are managed, as `findManagedTeam` gives it. */
export type ManagedTeam = { id: string };

/** A receiver of the team. */
export async function findWebhook(
  ctx: Pick<ManagementCtx | TxCtx<ManagementCtx>, 'db'>,
  team: ManagedTeam,
  id: string,
): Promise<WebhookRow> {
  const webhook = await ctx.db
    .selectFrom('webhooks')
    .select(WEBHOOK_COLUMNS)
    .where('team_id', '=', team.id)
    .where('id', '=', id)
    .executeTakeFirst();
  if (!webhook) throw notFound('Webhook');
  return webhook;
}
