import type { Static } from 'typebox';
import type { TeamCtx } from '../../context.ts';
import { findWaiting } from '../../delivery/find-waiting.ts';
import { madeAt } from '../../ids.ts';
import type { AttemptRow } from './read-attempts.ts';
import type { AttemptSummary } from './schemas.ts';

/**
 * Renders attempts for a response. The time of the next attempt comes from the queue, because it may have changed after
 * the attempt was logged. The time of the attempt itself comes from its id, as in the order and the filters of lists.
 */
export async function renderAttempts(ctx: TeamCtx, rows: AttemptRow[]): Promise<Static<typeof AttemptSummary>[]> {
  const waiting = new Map(
    (await findWaiting(ctx, rows)).map((one) => [`${one.webhook_id} ${one.event_id}`, one] as const),
  );
  return rows.map(({ outcome, trigger, error, ...row }) => {
    const next = waiting.get(`${row.webhook_id} ${row.event_id}`);
    return {
      ...row,
      trigger: trigger ?? 'schedule',
      status: outcome,
      error: error && ctx.cipher.openText('attempts.error', { team_id: ctx.team.id, id: row.id }, error),
      next_attempt_at: next?.attempts === row.attempt ? next.next_attempt_at : null,
      created_at: new Date(madeAt(row.id)).toISOString(),
    };
  });
}
