import { sql } from 'kysely';
import type { TeamCtx, TxCtx } from '../../../context.ts';
import { newId } from '../../../ids.ts';
import type { LoadedOrder } from '../load.ts';
import { sealShipment } from '../sealed.ts';

/** What a laboratory tells of a parcel; keys that are left out stay as they are. */
export type ShipmentNews = {
  outbound_tracking_number?: string;
  outbound_tracking_url?: string;
  outbound_courier?: string;
  inbound_tracking_number?: string;
  inbound_tracking_url?: string;
  inbound_courier?: string;
};

export async function storeShipment(ctx: TxCtx<TeamCtx>, order: LoadedOrder, news: ShipmentNews): Promise<LoadedOrder> {
  const row = { team_id: ctx.team.id, id: order.shipment?.id ?? newId() };
  const sealed = sealShipment(ctx, row, news);
  const { created_at, updated_at } = await ctx.db
    .insertInto('shipments')
    .values({ ...row, user_id: order.row.user_id, order_id: order.row.id, ...sealed })
    .onConflict((oc) => oc.columns(['user_id', 'order_id']).doUpdateSet({ ...sealed, updated_at: sql`now()` }))
    .returning(['created_at', 'updated_at'])
    .executeTakeFirstOrThrow();
  return { ...order, shipment: { ...NOTHING_KNOWN, ...order.shipment, id: row.id, ...news, created_at, updated_at } };
}

const NOTHING_KNOWN = {
  outbound_tracking_number: null,
  outbound_tracking_url: null,
  outbound_courier: null,
  inbound_tracking_number: null,
  inbound_tracking_url: null,
  inbound_courier: null,
  notes: null,
};
