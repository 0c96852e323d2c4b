import type { TeamCtx, TxCtx } from '../../context.ts';
import type { LoadedOrder } from '../orders/load.ts';
import { appendOrderEvents } from '../orders/status/append-events.ts';
import { bindSample, canonicalSampleId } from '../orders/testkit/bind-sample.ts';
import { storeShipment } from '../orders/testkit/ship.ts';
import { makeRedraw } from '../orders/under-way/redraw.ts';
import type { LabNews } from './news.ts';

/**
 * The way of every laboratory's news but reports, which go by storeReport: writes what it told of an order that the caller
 * has locked, first what came with the status, then the status and its event. The simulated laboratory makes its news up, an
 * adapter of a real one reads them out of messages.
 */
export async function applyNews(ctx: TxCtx<TeamCtx>, locked: LoadedOrder, news: LabNews): Promise<LoadedOrder> {
  let order = locked;
  // A kit that was registered by its id keeps that.
  if (news.sample_id && order.row.sample_id === null) {
    order = await bindSample(ctx, order, canonicalSampleId(news.sample_id));
  }
  if (news.shipment) order = await storeShipment(ctx, order, news.shipment);
  const told = await appendOrderEvents(ctx, order, [{ status: news.status, detail: news.status_detail ?? null }]);
  return news.redraw ? makeRedraw(ctx, told) : told;
}
