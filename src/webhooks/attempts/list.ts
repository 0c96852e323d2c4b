import type { Static } from 'typebox';
import type { TeamCtx } from '../../context.ts';
import { findWebhook } from '../endpoints/find.ts';
import { readAttempts, type AttemptFilters } from './read-attempts.ts';
import { renderAttempts } from './render.ts';
import type { AttemptPage } from './schemas.ts';

/** Returns the attempts at an endpoint, the newest first. */
export async function listAttempts(
  ctx: TeamCtx,
  webhookId: string,
  filters: AttemptFilters,
): Promise<Static<typeof AttemptPage>> {
  await findWebhook(ctx, webhookId);
  const { rows, next_cursor } = await readAttempts(ctx, { webhook_id: webhookId }, filters);
  return { data: await renderAttempts(ctx, rows), next_cursor };
}
