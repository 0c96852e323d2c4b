import { sql } from 'kysely';
import type { TeamCtx, TxCtx } from '../../../context.ts';
import { newId } from '../../../ids.ts';
import type { LoadedOrder } from '../load-order.ts';
import { sealShipment } from '../sealed.ts';
import { trackingUrl } from './couriers.ts';
import { storeTrackingNumbers } from './tracking-numbers.ts';

/**
 * Facts about the parcels of a kit, as a laboratory or the sender of the kit reports them. If a key is missing, the
 * stored value stays. A courier of null means that the courier is unknown.
 */
export type ShipmentUpdate = {
  outbound_tracking_number?: string;
  outbound_tracking_url?: string | null;
  outbound_courier?: string | null;
  inbound_tracking_number?: string;
  inbound_tracking_url?: string | null;
  inbound_courier?: string | null;
};

const LEGS = ['outbound', 'inbound'] as const;

/**
 * Stores the reported facts about the parcels, with the URL at which the courier shows each parcel. It also stores the
 * tracking numbers, so that scans of a carrier lead to this order.
 */
export async function storeShipment(
  ctx: TxCtx<TeamCtx>,
  order: LoadedOrder,
  update: ShipmentUpdate,
): Promise<LoadedOrder> {
  const { happenedAt } = ctx;
  const completed = withUrls(order, update);
  const row = { team_id: ctx.team.id, id: order.shipment?.id ?? newId() };
  const sealed = sealShipment(ctx, row, completed);
  const { created_at, updated_at } = await ctx.db
    .insertInto('shipments')
    .values({
      ...row,
      user_id: order.row.user_id,
      order_id: order.row.id,
      ...sealed,
      ...(happenedAt !== undefined && { created_at: happenedAt, updated_at: happenedAt }),
    })
    .onConflict((oc) =>
      oc.columns(['user_id', 'order_id']).doUpdateSet({ ...sealed, updated_at: happenedAt ?? sql`now()` }),
    )
    .returning(['created_at', 'updated_at'])
    .executeTakeFirstOrThrow();
  const shipment = { ...NOTHING_KNOWN, ...order.shipment, id: row.id, ...completed, created_at, updated_at };
  const parcels = LEGS.flatMap((leg) => {
    const number = shipment[`${leg}_tracking_number`];
    return number !== null && hasLeg(update, leg) ? [{ leg, number, courier: shipment[`${leg}_courier`] }] : [];
  });
  await storeTrackingNumbers(ctx, order.row, parcels);
  return { ...order, shipment };
}

const hasLeg = (update: ShipmentUpdate, leg: (typeof LEGS)[number]): boolean =>
  update[`${leg}_tracking_number`] !== undefined || update[`${leg}_courier`] !== undefined;

/**
 * Adds the courier's URL of a parcel if the report contains no URL. If we know no URL for a new parcel, the function
 * removes the stored URL, because that URL belongs to an earlier parcel.
 */
function withUrls({ shipment }: LoadedOrder, update: ShipmentUpdate): ShipmentUpdate {
  const completed = { ...update };
  for (const leg of LEGS) {
    if (!hasLeg(update, leg) || update[`${leg}_tracking_url`] !== undefined) continue;
    const before = {
      number: shipment?.[`${leg}_tracking_number`] ?? null,
      courier: shipment?.[`${leg}_courier`] ?? null,
    };
    const number = update[`${leg}_tracking_number`] ?? before.number;
    const reportedCourier = update[`${leg}_courier`];
    const courier = reportedCourier === undefined ? before.courier : reportedCourier;
    const url = number === null || courier === null ? null : trackingUrl(courier, number);
    if (url !== null || number !== before.number || courier !== before.courier) completed[`${leg}_tracking_url`] = url;
  }
  return completed;
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
