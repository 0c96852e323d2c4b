import type { TeamCtx, TxCtx } from '../../context.ts';
import type { LoadedOrder } from '../orders/load-order.ts';
import { appendOrderEvents } from '../orders/status/append-events.ts';
import { bindSample, canonicalSampleId } from '../orders/bind-sample.ts';
import { storeShipment } from '../orders/testkit/store-shipment.ts';
import { makeRedraw } from '../orders/under-way/make-redraw.ts';
import type { LabUpdate } from './lab-update.ts';

/**
 * Writes a laboratory's update to an order that the caller has locked: first the data in the update, then the status
 * and its event. Every update goes through this function, except reports, which go through storeReport. The simulated
 * laboratory invents its updates. For a real laboratory, the HL7 code reads them from messages.
 */
export async function applyLabUpdate(
  ctx: TxCtx<TeamCtx>,
  locked: LoadedOrder,
  update: LabUpdate,
): Promise<LoadedOrder> {
  let order = locked;
  // If the user registered the kit by a sample id, the order keeps that id.
  if (update.sample_id && order.row.sample_id === null) {
    order = await bindSample(ctx, order, canonicalSampleId(update.sample_id));
  }
  if (update.shipment) order = await storeShipment(ctx, order, update.shipment);
  const appended = await appendOrderEvents(ctx, order, [
    { status: update.status, detail: update.status_detail ?? null },
  ]);
  return update.redraw ? makeRedraw(ctx, appended) : appended;
}
