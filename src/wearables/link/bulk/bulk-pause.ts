import type { Static } from 'typebox';
import type { TeamCtx } from '../../../context.ts';
import { pauseConnections } from '../../connections/pause-connections.ts';
import type { BulkPause, BulkPauseInput } from '../schemas.ts';

/** Pauses the connections of many users. Returns the users who have no connection that can be paused. */
export async function bulkPause(
  ctx: TeamCtx,
  { provider, user_ids }: Static<typeof BulkPauseInput>,
): Promise<Static<typeof BulkPause>> {
  const asked = [...new Set(user_ids)];
  const paused = await pauseConnections(ctx, provider, asked);
  return { user_ids_paused: paused, user_ids_failed: asked.filter((id) => !paused.includes(id)) };
}
