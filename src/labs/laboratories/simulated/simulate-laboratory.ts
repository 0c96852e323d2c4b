import { createHash } from 'node:crypto';
import type { Static } from 'typebox';
import type { TeamCtx, TxCtx } from '../../../context.ts';
import type { LoadedOrder } from '../../orders/load-order.ts';
import type { LowLevelStatus } from '../../orders/status/statuses.ts';
import type { ShipmentUpdate } from '../../orders/testkit/store-shipment.ts';
import type { LabReport } from '../../results/lab-report.ts';
import { storeReport } from '../../results/store-report.ts';
import { receiveReport } from '../../results/unmatched/receive-report.ts';
import { applyLabUpdate } from '../apply-lab-update.ts';
import type { LabUpdate } from '../lab-update.ts';
import { sampleIdOf } from './sample-id.ts';
import type { SimulationFlags } from './schemas.ts';
import { simulateReport } from './simulate-report.ts';

type Flags = Static<typeof SimulationFlags>;

/** The statuses that an order gets only from a report, with the status of that report. */
const REPORTS: Partial<Record<LowLevelStatus, LabReport['status']>> = {
  partial_results: 'partial',
  completed: 'final',
  corrected: 'corrected',
};

/**
 * Moves an order to a status, as a laboratory and a carrier would do by their updates. The invented updates depend only
 * on the order, so they are always the same for the same order.
 */
export async function simulateLaboratory(
  ctx: TxCtx<TeamCtx>,
  locked: LoadedOrder,
  status: LowLevelStatus,
  flags: Flags,
): Promise<LoadedOrder> {
  const report = REPORTS[status];
  if (report === undefined) return applyLabUpdate(ctx, locked, updateOf(locked.row.id, status));
  return submitReport(ctx, locked, await simulateReport(ctx, locked, flags, report));
}

function updateOf(id: string, status: LowLevelStatus): LabUpdate {
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

/**
 * A client that tests how it handles unmatched results gives a patient this last name. The simulated laboratory then
 * loses the order number of that patient.
 */
const LOST = 'unmatched';

async function submitReport(ctx: TxCtx<TeamCtx>, locked: LoadedOrder, report: LabReport): Promise<LoadedOrder> {
  const { row, lab } = locked;
  if (row.patient_details?.last_name?.toLowerCase() !== LOST) return (await storeReport(ctx, locked, report)).order;
  const lost = { ...report, accession_number: null, samples: [] };
  await receiveReport(ctx, { lab_id: lab.id, lab_account_id: null, report: lost });
  return locked;
}

function parcel(way: 'outbound' | 'inbound', orderId: string): ShipmentUpdate {
  const number = `SIM${createHash('sha256').update(`${way} ${orderId}`).digest('hex').slice(0, 17).toUpperCase()}`;
  return {
    [`${way}_tracking_number`]: number,
    [`${way}_tracking_url`]: `https://tracking.example.com/${number}`,
    [`${way}_courier`]: 'usps',
  };
}
