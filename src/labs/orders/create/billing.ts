import type { Static } from 'typebox';
import type { TeamCtx, TxCtx } from '../../../context.ts';
import { AppError } from '../../../errors.ts';
import { canonicalCodes } from '../../../insurance/diagnoses/check.ts';
import { findLatestInsuranceOrNull, type StoredInsurance } from '../../../insurance/find-latest.ts';
import type { LabAccountRow } from '../../catalogue/lab-accounts/find.ts';
import type { CreateOrderInput } from './schemas.ts';
import { keepInsurance } from './patient.ts';

type Input = Pick<
  Static<typeof CreateOrderInput>,
  'user_id' | 'billing_type' | 'icd_codes' | 'health_insurance' | 'patient_details' | 'patient_address'
>;
type Billing = { insurance: StoredInsurance | null; icd_codes: string[] | null };

/**
 * Who pays, and by which record: the one that comes with the order is kept as the user's and used; else an order to
 * insurance uses the newest primary one. Throws primary_insurance_required, icd_codes_required and guarantor_required,
 * and what keeping a record throws.
 */
export async function settleBilling(ctx: TxCtx<TeamCtx>, input: Input): Promise<Billing> {
  const { health_insurance: brought, billing_type } = input;
  const given = input.icd_codes ?? brought?.diagnosis_codes ?? null;
  const icd_codes = given && canonicalCodes(given);
  if (billing_type !== 'commercial_insurance') {
    return { icd_codes, insurance: brought ? await keepInsurance(ctx, input.user_id, brought, input) : null };
  }
  if (!icd_codes || icd_codes.length === 0) {
    throw new AppError('icd_codes_required', 'An order that is billed to insurance needs the diagnoses, in icd_codes.');
  }
  const insurance = brought
    ? await keepInsurance(ctx, input.user_id, brought, input)
    : await findLatestInsuranceOrNull(ctx, input.user_id, true);
  if (!insurance) {
    throw new AppError(
      'primary_insurance_required',
      'The user has no primary insurance to bill this order to. POST /v2/user/{user_id}/insurance adds one.',
    );
  }
  if (insurance.relationship !== 'Self' && insurance.guarantor === null) {
    throw new AppError(
      'guarantor_required',
      'The insured is somebody else than the patient: the insurance record needs a guarantor.',
    );
  }
  return { insurance, icd_codes };
}

/** An account is billed in the states that it names for this way of billing, and in no other. Throws billing_type_not_allowed. */
export function refuseUnlessBilled(account: LabAccountRow | null, billingType: string, state: string): void {
  if (!account || account.allowed_billing[billingType]?.includes(state)) return;
  throw new AppError(
    'billing_type_not_allowed',
    `This lab account is not billed by ${billingType} for patients in ${state}. Its allowed_billing says where it is.`,
  );
}
