import type { FollowedOrder, ResendWindow, TeamCtx, TxCtx } from '../../context.ts';
import { publishEvent } from '../../events/publish.ts';
import { newIdOf } from '../../ids.ts';
import type { LoadedOrder } from '../orders/load-order.ts';
import { isInWindow } from '../orders/messages/resend-window.ts';
import type { CriticalMarker } from './critical/markers.ts';
import { resultCritical } from './events.ts';

type CriticalReport = {
  result_status: 'partial' | 'final';
  /** The version of the order's report. Null if the report belongs to an order that had ended. */
  version: number | null;
  markers: CriticalMarker[];
  created_at: string;
};

/**
 * Adds an entry to the team's list of critical results, and publishes an event about it. The event contains ids but not
 * the values.
 */
export async function publishCritical(
  ctx: TxCtx<TeamCtx>,
  order: LoadedOrder,
  { result_status, version, markers, created_at }: CriticalReport,
): Promise<void> {
  const rowKey = { team_id: ctx.team.id, id: newIdOf(ctx) };
  await ctx.db
    .insertInto('critical_results')
    .values({
      ...rowKey,
      user_id: order.row.user_id,
      order_id: order.row.id,
      version,
      result_status,
      created_at,
      markers: ctx.cipher.sealJson('critical_results.markers', rowKey, markers),
    })
    .execute();
  await publishOne(ctx, order, { result_status, created_at });
}

/** Publishes the events about the order's critical results again that were first published in the window. */
export async function resendCritical(ctx: TxCtx<TeamCtx>, order: FollowedOrder, window: ResendWindow): Promise<void> {
  const results = await ctx.db
    .selectFrom('critical_results')
    .select(['result_status', 'created_at'])
    .where('team_id', '=', ctx.team.id)
    .where('user_id', '=', order.row.user_id)
    .where('order_id', '=', order.row.id)
    .orderBy('id')
    .execute();
  for (const result of results.filter(({ created_at }) => isInWindow(created_at, window)))
    await publishOne(ctx, order, result);
}

async function publishOne(
  ctx: TxCtx<TeamCtx>,
  { row, user }: FollowedOrder,
  { result_status, created_at }: { result_status: string; created_at: string },
): Promise<void> {
  await publishEvent(ctx, resultCritical, {
    user,
    data: {
      order_id: row.id,
      sample_id: row.sample_id ?? '',
      status: result_status as CriticalReport['result_status'],
      interpretation: 'critical',
      team_id: ctx.team.id,
      user_id: row.user_id,
      created_at,
      updated_at: created_at,
    },
  });
}
