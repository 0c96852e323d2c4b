import type { ManagementCtx } from '../context.ts';
import { notFound } from '../errors.ts';
import type { ManagedTeam } from './find.ts';

/** Removes an endpoint, its secrets and what was still queued for it; its attempts stay in the log. */
export async function deleteWebhook(ctx: ManagementCtx, team: ManagedTeam, id: string): Promise<void> {
  const deleted = await ctx.db
    .deleteFrom('webhooks')
    .where('team_id', '=', team.id)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst();
  if (!deleted) throw notFound('Webhook');
}
