import type { TeamCtx, TxCtx } from '../../context.ts';
import { appendOrderEvents } from '../orders/status/append-events.ts';
import { findOrderRow, type LoadedOrder } from '../orders/load.ts';
import { assignSampleId, storeShipment } from '../orders/testkit/ship.ts';
import { storeReport } from '../results/store-report.ts';
import type { LabNews } from './news.ts';

/** Writes what a laboratory told of an order: first what came with the status, then the status and its event. */
export async function applyNews(ctx: TxCtx<TeamCtx>, orderId: string, news: LabNews): Promise<LoadedOrder> {
  const order = await findOrderRow(ctx, orderId, 'for update');
  if (news.sample_id) await assignSampleId(ctx, order, news.sample_id);
  if (news.shipment) await storeShipment(ctx, order, news.shipment);
  if (news.report)
    await storeReport(ctx, { ...order, sample_id: order.sample_id ?? news.sample_id ?? null }, news.report);
  return appendOrderEvents(ctx, order, [{ status: news.status, detail: news.status_detail ?? null }]);
}
