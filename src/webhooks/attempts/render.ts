import type { Static } from 'typebox';
import type { TeamCtx } from '../../context.ts';
import { findWaiting } from '../../delivery/waiting.ts';
import { madeAt } from '../../ids.ts';
import type { AttemptRow } from './look-at.ts';
import type { AttemptSummary } from './schemas.ts';

/**
 * As attempts are shown. When the next one comes is read from the queue: it may have been moved, held or overtaken since.
 * The time is that of the id, by which lists are ordered and filtered.
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
