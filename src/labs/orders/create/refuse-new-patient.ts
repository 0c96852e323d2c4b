import type { TeamCtx } from '../../../context.ts';
import type { StoredInsurance } from '../../../insurance/find-latest.ts';
import { listLabAccounts } from '../../catalogue/lab-accounts/find.ts';
import type { LoadedOrder } from '../load-order.ts';
import { preFlight, refuseUnlessAccepted } from '../pre-flight.ts';
import type { OrderRow } from '../sealed.ts';
import { refuseUnlessServed } from './find-order-lab.ts';
import { refuseUnlessBilled } from './resolve-billing.ts';

type NewPatient = {
  patient_details: NonNullable<OrderRow['patient_details']>;
  patient_address: NonNullable<OrderRow['patient_address']>;
  physician: OrderRow['physician'];
  /** The insurance that came with the patient, or null. */
  insurance: StoredInsurance | null;
};

/**
 * Throws if the laboratory or the lab account of an existing order does not accept these data of its patient. Throws
 * state_not_served, billing_type_not_allowed and pre_flight_failed.
 */
export async function refuseNewPatient(ctx: TeamCtx, { row, lab }: LoadedOrder, patient: NewPatient): Promise<void> {
  const { clinical_notes, billing_type, lab_account_id } = row;
  const { state } = patient.patient_address;
  if (state !== row.patient_address?.state) {
    refuseUnlessServed(lab, state);
    if (lab_account_id) {
      const [account = null] = await listLabAccounts(ctx, { lab_account_id });
      refuseUnlessBilled(account, billing_type, state);
    }
  }
  refuseUnlessAccepted(
    preFlight({ ...patient, clinical_notes, billing_type, icd_codes: null, account: lab_account_id }, lab.order_rules),
  );
}
