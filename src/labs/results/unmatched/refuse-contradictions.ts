import { AppError } from '../../../errors.ts';
import type { LoadedOrder } from '../../orders/load-order.ts';
import { comparePatients } from '../compare-patients.ts';
import type { LabReport } from '../lab-report.ts';

/** An order is often written down some hours after the draw, and laboratories omit their zone. */
const DAY_MS = 86_400_000;

type Confirmed = { confirm_patient: boolean; note: string | null };

/**
 * Refuses to give a report to an order that is probably not of the same patient, unless a person has confirmed it and
 * has written down why. Throws report_of_other_patient and collected_before_order.
 */
export function refuseContradictions(
  report: LabReport,
  { row }: LoadedOrder,
  { confirm_patient, note }: Confirmed,
): void {
  if (confirm_patient && note !== null) return;
  const { patient, collected_at } = report;
  if (patient && row.patient_details && comparePatients(row.patient_details, patient) === 'other') {
    throw new AppError(
      'report_of_other_patient',
      'The report names another patient than the order. If it is of the same person, send confirm_patient=true, ' +
        'with the reason in note.',
    );
  }
  if (collected_at && Date.parse(collected_at.timestamp) < Date.parse(row.created_at) - DAY_MS) {
    throw new AppError(
      'collected_before_order',
      'The sample was collected more than a day before the order was made. If the report is of this order, send ' +
        'confirm_patient=true, with the reason in note.',
    );
  }
}
