import { createHash } from 'node:crypto';
import type { Static } from 'typebox';
import type { TeamCtx, TxCtx } from '../../../context.ts';
import type { LoadedOrder } from '../../orders/load.ts';
import type { LowLevelStatus } from '../../orders/status/table.ts';
import type { ShipmentNews } from '../../orders/testkit/ship.ts';
import type { LabReport } from '../../results/report.ts';
import { storeReport } from '../../results/store-report.ts';
import { receiveReport } from '../../results/unmatched/receive-report.ts';
import { applyNews } from '../apply-news.ts';
import type { LabNews } from '../news.ts';
import { sampleIdOf } from './sample-id.ts';
import type { SimulationFlags } from './schemas.ts';
import { simulateReport } from './report.ts';

type Flags = Static<typeof SimulationFlags>;

/** The statuses that follow from a report. */
const REPORTS: Partial<Record<LowLevelStatus, LabReport['status']>> = {
  partial_results: 'partial',
  completed: 'final',
  corrected: 'corrected',
};

/**
 * Brings an order to a status by what the sandbox's laboratory, with its carrier, tells: derived from the order, so that a
 * test can expect it.
 */
export async function simulateLaboratory(
  ctx: TxCtx<TeamCtx>,
  locked: LoadedOrder,
  status: LowLevelStatus,
  flags: Flags,
): Promise<LoadedOrder> {
  const report = REPORTS[status];
  if (report === undefined) return applyNews(ctx, locked, newsOf(locked.row.id, status));
  return tellReport(ctx, locked, await simulateReport(ctx, locked, flags, report));
}

function newsOf(id: string, status: LowLevelStatus): LabNews {
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
    default:
      return { status };
  }
}

/** Of patients with this last name the simulated laboratory loses the numbers: for whoever tries what is to be done then. */
const LOST = 'unmatched';

async function tellReport(ctx: TxCtx<TeamCtx>, locked: LoadedOrder, report: LabReport): Promise<LoadedOrder> {
  const { row, lab } = locked;
  if (row.patient_details?.last_name?.toLowerCase() !== LOST) return (await storeReport(ctx, locked, report)).order;
  const lost = { ...report, accession_number: null, samples: [] };
  await receiveReport(ctx, { lab_id: lab.id, lab_account_id: null, report: lost });
  return locked;
}

function parcel(way: 'outbound' | 'inbound', orderId: string): ShipmentNews {
  const number = `SIM${createHash('sha256').update(`${way} ${orderId}`).digest('hex').slice(0, 17).toUpperCase()}`;
  return {
    [`${way}_tracking_number`]: number,
    [`${way}_tracking_url`]: `https://tracking.example.com/${number}`,
    [`${way}_courier`]: 'usps',
  };
}
