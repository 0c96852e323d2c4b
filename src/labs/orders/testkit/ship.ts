import { sql } from 'kysely';
import type { TeamCtx, TxCtx } from '../../../context.ts';
import { newId } from '../../../ids.ts';
import type { LoadedOrder } from '../load.ts';
import { sealShipment } from '../sealed.ts';
import { trackingUrl } from './couriers.ts';
import { storeTrackingNumbers } from './tracking-numbers.ts';

/** What a laboratory tells of a parcel, or whoever sends it; keys that are left out stay as they are. A courier of null is any. */
export type ShipmentNews = {
  outbound_tracking_number?: string;
  outbound_tracking_url?: string | null;
  outbound_courier?: string | null;
  inbound_tracking_number?: string;
  inbound_tracking_url?: string | null;
  inbound_courier?: string | null;
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

/** Where only number and courier are known, the address of the courier; that of a parcel before it is nobody's any more. */
function withUrls({ shipment }: LoadedOrder, told: ShipmentNews): ShipmentNews {
  const news = { ...told };
  for (const leg of LEGS) {
    if (!isToldOf(told, leg) || told[`${leg}_tracking_url`] !== undefined) continue;
    const before = {
      number: shipment?.[`${leg}_tracking_number`] ?? null,
      courier: shipment?.[`${leg}_courier`] ?? null,
    };
    const number = told[`${leg}_tracking_number`] ?? before.number;
    const toldCourier = told[`${leg}_courier`];
    const courier = toldCourier === undefined ? before.courier : toldCourier;
    const url = number === null || courier === null ? null : trackingUrl(courier, number);
    if (url !== null || number !== before.number || courier !== before.courier) news[`${leg}_tracking_url`] = url;
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
