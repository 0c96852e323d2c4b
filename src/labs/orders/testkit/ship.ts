import { sql } from 'kysely';
import type { TeamCtx, TxCtx } from '../../../context.ts';
import { AppError } from '../../../errors.ts';
import { newId } from '../../../ids.ts';
import type { OrderRow } from '../load.ts';

/** What a laboratory tells of a parcel; keys that are left out stay as they are. */
export type ShipmentNews = {
  outbound_tracking_number?: string;
  outbound_tracking_url?: string;
  outbound_courier?: string;
  inbound_tracking_number?: string;
  inbound_tracking_url?: string;
  inbound_courier?: string;
};

/** Gives an order the sample id of the kit that was packed for it; one that was registered by its id keeps that. */
export async function assignSampleId(ctx: TxCtx<TeamCtx>, order: OrderRow, sampleId: string): Promise<void> {
  if (order.sample_id !== null) return;
  const sample = { sample_id: sampleId.toUpperCase(), team_id: ctx.team.id, order_id: order.id };
  const bound = await ctx.db
    .insertInto('sample_ids')
    .values(sample)
    .onConflict((oc) => oc.doNothing())
    .returning('sample_id')
    .executeTakeFirst();
  if (!bound)
    throw new AppError('sample_already_registered', 'The laboratory gave a sample id that another order has.');
  await ctx.db
    .updateTable('orders')
    .set({ sample_id: sample.sample_id })
    .where('user_id', '=', order.user_id)
    .where('id', '=', order.id)
    .execute();
}

export async function storeShipment(ctx: TxCtx<TeamCtx>, order: OrderRow, news: ShipmentNews): Promise<void> {
  await ctx.db
    .insertInto('shipments')
    .values({ user_id: order.user_id, order_id: order.id, id: newId(), team_id: ctx.team.id, ...news })
    .onConflict((oc) => oc.columns(['user_id', 'order_id']).doUpdateSet({ ...news, updated_at: sql`now()` }))
    .execute();
}
