import type { Static } from 'typebox';
import type { TeamCtx } from '../../context.ts';
import { findWaitingOfEvent } from '../../delivery/find-waiting.ts';
import { findEventRow } from './find-event.ts';
import { readAttempts, type AttemptFilters } from './read-attempts.ts';
import { renderAttempts } from './render.ts';
import type { EventAttempts } from './schemas.ts';

/**
 * Returns the waiting deliveries of an event, and a page of its attempts, the newest first. This includes attempts at
 * deleted endpoints. Throws not_found and invalid_cursor.
 */
export async function listAttemptsOfEvent(
  ctx: TeamCtx,
  eventId: string,
  filters: AttemptFilters,
): Promise<Static<typeof EventAttempts>> {
  const { id, event_type } = await findEventRow(ctx, eventId);
  const { rows, next_cursor } = await readAttempts(ctx, { event_id: id }, filters);
  return {
    event_id: id,
    event_type,
    waiting: await findWaitingOfEvent(ctx, id),
    data: await renderAttempts(ctx, rows),
    next_cursor,
  };
}
