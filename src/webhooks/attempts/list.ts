import type { Static } from 'typebox';
import type { TeamCtx } from '../../context.ts';
import { findWebhook } from '../receivers/find.ts';
import { lookAtAttempts, type AttemptFilters } from './look-at.ts';
import { renderAttempts } from './render.ts';
import type { AttemptPage } from './schemas.ts';

/** Attempts to deliver to a receiver, the newest first. */
export async function listAttempts(
  ctx: TeamCtx,
  webhookId: string,
  filters: AttemptFilters,
): Promise<Static<typeof AttemptPage>> {
  await findWebhook(ctx, webhookId);
  const { rows, next_cursor } = await lookAtAttempts(ctx, { webhook_id: webhookId }, filters);
  return { data: await renderAttempts(ctx, rows), next_cursor };
}
