import type { Static } from 'typebox';
import type { TeamCtx, TxCtx } from '../../../context.ts';
import { AppError } from '../../../errors.ts';
import { canonicalCodes } from '../../../insurance/diagnoses/check.ts';
import { findLatestInsuranceOrNull, type StoredInsurance } from '../../../insurance/find-latest.ts';
import type { LabAccountRow } from '../../catalogue/lab-accounts/find.ts';
import type { CreateOrderInput } from './schemas.ts';
import { storeInsurance } from './stored-patient.ts';

type Input = Pick<
  Static<typeof CreateOrderInput>,
  'user_id' | 'billing_type' | 'icd_codes' | 'health_insurance' | 'patient_details' | 'patient_address'
>;
type Billing = { insurance: StoredInsurance | null; icd_codes: string[] | null };

/**
 * Finds the insurance record that pays for an order. If the request contains one, we store it for the user and use it.
 * Otherwise, if the order is billed to insurance, we use the user's newest primary record. Throws
 * primary_insurance_required, icd_codes_required (the diagnoses are missing), guarantor_required, and the errors of
 * `storeInsurance`.
 */
export async function resolveBilling(ctx: TxCtx<TeamCtx>, input: Input): Promise<Billing> {
  const { health_insurance: brought, billing_type } = input;
  const given = input.icd_codes ?? brought?.diagnosis_codes ?? null;
  const icd_codes = given && canonicalCodes(given);
  if (billing_type !== 'commercial_insurance') {
    return { icd_codes, insurance: brought ? await storeInsurance(ctx, input.user_id, brought, input) : null };
  }
  if (!icd_codes || icd_codes.length === 0) {
    throw new AppError('icd_codes_required', 'An order that is billed to insurance needs the diagnoses in icd_codes.');
  }
  const insurance = brought
    ? await storeInsurance(ctx, input.user_id, brought, input)
    : await findLatestInsuranceOrNull(ctx, input.user_id, true);
  if (!insurance) {
    throw new AppError(
      'primary_insurance_required',
      'The user has no primary insurance to which this order can be billed. POST ' +
        '/v2/user/{user_id}/insurance adds one.',
    );
  }
  if (insurance.relationship !== 'Self' && insurance.guarantor === null) {
    throw new AppError(
      'guarantor_required',
      'The insured is not the patient. Then the insurance record needs a guarantor.',
    );
  }
  return { insurance, icd_codes };
}

/**
 * Throws billing_type_not_allowed if the account does not allow this billing type in this state. An account lists, for
 * each billing type, the states in which it can be billed.
 */
export function refuseUnlessBilled(account: LabAccountRow | null, billingType: string, state: string): void {
  if (!account || account.allowed_billing[billingType]?.includes(state)) return;
  throw new AppError(
    'billing_type_not_allowed',
    `This lab account cannot be billed by ${billingType} for patients in ${state}. ` +
      'Its allowed_billing lists the states.',
  );
}
