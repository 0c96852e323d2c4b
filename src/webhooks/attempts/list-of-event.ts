import type { Static } from 'typebox';
import type { TeamCtx } from '../../context.ts';
import { findWaitingOfEvent } from '../../delivery/waiting.ts';
import { findEventRow } from './find-event.ts';
import { lookAtAttempts, type AttemptFilters } from './look-at.ts';
import { renderAttempts } from './render.ts';
import type { EventAttempts } from './schemas.ts';

/** Attempts to deliver an event, the newest first, also to receivers that were deleted since, and what of it still waits. */
export async function listAttemptsOfEvent(
  ctx: TeamCtx,
  eventId: string,
  filters: AttemptFilters,
): Promise<Static<typeof EventAttempts>> {
  const { id, event_type } = await findEventRow(ctx, eventId);
  const { rows, next_cursor } = await lookAtAttempts(ctx, { event_id: id }, filters);
  return {
    event_id: id,
    event_type,
    waiting: await findWaitingOfEvent(ctx, id),
    data: await renderAttempts(ctx, rows),
    next_cursor,
  };
}
