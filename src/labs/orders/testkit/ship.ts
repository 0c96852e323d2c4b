import { sql } from 'kysely';
import type { TeamCtx, TxCtx } from '../../../context.ts';
import { newId } from '../../../ids.ts';
import type { LoadedOrder } from '../load.ts';
import { sealShipment } from '../sealed.ts';
import { trackingUrl } from './couriers.ts';
import { storeTrackingNumbers } from './tracking-numbers.ts';

/** What a laboratory tells of a parcel; keys that are left out stay as they are. */
export type ShipmentNews = {
  outbound_tracking_number?: string;
  outbound_tracking_url?: string;
  outbound_courier?: string;
  inbound_tracking_number?: string;
  inbound_tracking_url?: string;
  inbound_courier?: string;
};

const LEGS = ['outbound', 'inbound'] as const;

/** Stores what was told, and with it where the courier shows the parcel; scans of a carrier find the order by it. */
export async function storeShipment(ctx: TxCtx<TeamCtx>, order: LoadedOrder, told: ShipmentNews): Promise<LoadedOrder> {
  const news = withUrls(order, told);
  const row = { team_id: ctx.team.id, id: order.shipment?.id ?? newId() };
  const sealed = sealShipment(ctx, row, news);
  const { created_at, updated_at } = await ctx.db
    .insertInto('shipments')
    .values({ ...row, user_id: order.row.user_id, order_id: order.row.id, ...sealed })
    .onConflict((oc) => oc.columns(['user_id', 'order_id']).doUpdateSet({ ...sealed, updated_at: sql`now()` }))
    .returning(['created_at', 'updated_at'])
    .executeTakeFirstOrThrow();
  const shipment = { ...NOTHING_KNOWN, ...order.shipment, id: row.id, ...news, created_at, updated_at };
  const parcels = LEGS.flatMap((leg) => {
    const number = shipment[`${leg}_tracking_number`];
    return number !== null && isToldOf(told, leg) ? [{ leg, number, courier: shipment[`${leg}_courier`] }] : [];
  });
  await storeTrackingNumbers(ctx, order.row, parcels);
  return { ...order, shipment };
}

const isToldOf = (news: ShipmentNews, leg: (typeof LEGS)[number]): boolean =>
  news[`${leg}_tracking_number`] !== undefined || news[`${leg}_courier`] !== undefined;

/** Where only number and courier are known, the address of the courier. */
function withUrls({ shipment }: LoadedOrder, told: ShipmentNews): ShipmentNews {
  const news = { ...told };
  for (const leg of LEGS) {
    const number = news[`${leg}_tracking_number`] ?? shipment?.[`${leg}_tracking_number`] ?? null;
    const courier = news[`${leg}_courier`] ?? shipment?.[`${leg}_courier`] ?? null;
    if (!isToldOf(news, leg) || news[`${leg}_tracking_url`] !== undefined || number === null || courier === null)
      continue;
    const url = trackingUrl(courier, number);
    if (url !== null) news[`${leg}_tracking_url`] = url;
  }
  return news;
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
