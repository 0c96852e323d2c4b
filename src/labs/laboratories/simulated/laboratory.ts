import { createHash } from 'node:crypto';
import type { Static } from 'typebox';
import type { TeamCtx, TxCtx } from '../../../context.ts';
import type { LoadedOrder } from '../../orders/load.ts';
import type { LowLevelStatus } from '../../orders/status/table.ts';
import type { ShipmentNews } from '../../orders/testkit/ship.ts';
import type { LabReport } from '../../results/report.ts';
import type { LabNews } from '../news.ts';
import { sampleIdOf } from './sample-id.ts';
import type { SimulationFlags } from './schemas.ts';
import { simulateReport } from './report.ts';

type Flags = Static<typeof SimulationFlags>;

/**
 * What the sandbox's laboratory, with its carrier, tells when an order gets to a status: derived from the order, so
 * that a test can expect it.
 */
export async function simulateNews(
  ctx: TxCtx<TeamCtx>,
  order: LoadedOrder,
  status: LowLevelStatus,
  flags: Flags,
): Promise<LabNews> {
  const { id } = order.row;
  switch (status) {
    case 'transit_customer':
      return { status, sample_id: sampleIdOf(id), shipment: parcel('outbound', id) };
    case 'transit_lab':
      return { status, shipment: parcel('inbound', id) };
    case 'lab_processing_blocked':
      return { status, status_detail: 'date_of_collection_unspecified' };
    case 'sample_error':
      return { status, status_detail: 'sample_quantity_not_sufficient', redraw: true };
    case 'redraw_available':
      return { status, redraw: true };
    case 'partial_results':
      return reportOf(order, await simulateReport(ctx, order, flags, 'partial'));
    case 'completed':
      return reportOf(order, await simulateReport(ctx, order, flags, 'final'));
    case 'corrected':
      return reportOf(order, await simulateReport(ctx, order, flags, 'corrected'));
    default:
      return { status };
  }
}

/** Of patients with this last name the simulated laboratory loses the numbers: for whoever tries what is to be done then. */
const LOST = 'unmatched';

function reportOf({ row }: LoadedOrder, report: LabReport): LabNews {
  if (row.patient_details?.last_name?.toLowerCase() !== LOST) return { report };
  return { report: { ...report, accession_number: null, samples: [] }, lost: true };
}

function parcel(way: 'outbound' | 'inbound', orderId: string): ShipmentNews {
  const number = `SIM${createHash('sha256').update(`${way} ${orderId}`).digest('hex').slice(0, 17).toUpperCase()}`;
  return {
    [`${way}_tracking_number`]: number,
    [`${way}_tracking_url`]: `https://tracking.example.com/${number}`,
    [`${way}_courier`]: 'usps',
  };
}
