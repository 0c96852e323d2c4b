import type { Static } from 'typebox';
import type { TeamCtx, TxCtx } from '../../../context.ts';
import { AppError } from '../../../errors.ts';
import { createInsuranceWithOrder } from '../../../insurance/create-with-order.ts';
import type { StoredInsurance } from '../../../insurance/find-latest.ts';
import type { HealthInsuranceInput } from '../../../insurance/schemas.ts';
import type { PatientAddressInput } from '../../../wire/address.ts';
import { ADULT_AGE_YEARS, ageInYears } from '../../../wire/birth-date.ts';
import type { ConsentInput, PatientDetailsInput } from '../schemas.ts';
import type { PhysicianWithSignature } from './schemas.ts';
import type { OrderRow } from '../sealed.ts';

type Patient = {
  patient_details: Static<typeof PatientDetailsInput>;
  patient_address: Static<typeof PatientAddressInput>;
};
type Known<K extends keyof OrderRow> = NonNullable<OrderRow[K]>;

const isMinor = (dob: string): boolean => ageInYears(dob) < ADULT_AGE_YEARS;

/** Orders for minors are a setting of the team, since laws on them differ from state to state. */
export function refuseMinorWithoutSetting(ctx: TeamCtx, dob: string): void {
  if (!isMinor(dob) || ctx.team.settings.minor_ordering_enabled) return;
  throw new AppError(
    'minor_ordering_disabled',
    'The patient is under 18, and this team does not order for minors. The team setting minor_ordering_enabled allows it.',
  );
}

/** Who draws blood at home visits adults only. */
export function refusePatient(
  ctx: TeamCtx,
  { patient_details }: Pick<Patient, 'patient_details'>,
  method: string,
): void {
  refuseMinorWithoutSetting(ctx, patient_details.dob);
  if (method === 'at_home_phlebotomy' && isMinor(patient_details.dob)) {
    throw new AppError(
      'minor_not_served',
      'Patients under 18 are not visited at home: order another way of collecting.',
    );
  }
}

/** A patient as an order keeps them. */
export const keptPatient = ({
  patient_details,
  patient_address: address,
}: Patient): { patient_details: Known<'patient_details'>; patient_address: Known<'patient_address'> } => ({
  patient_details: patient_details as Known<'patient_details'>,
  patient_address: {
    ...address,
    receiver_name: address.receiver_name ?? '',
    second_line: address.second_line ?? '',
  } as Known<'patient_address'>,
});

/** The ordering physician as an order keeps them: without the signature, which is kept beside it. */
export function keptPhysician(given: Static<typeof PhysicianWithSignature> | null | undefined): OrderRow['physician'] {
  const { signature_image: _, ...physician } = given ?? {};
  return given ? (physician as Known<'physician'>) : null;
}

/** Consents as an order keeps them: unchanged, given now where no time is said. */
export const keptConsents = (consents: Static<typeof ConsentInput>[] | null | undefined): Known<'consents'> =>
  (consents ?? []).map((consent) => ({ ...consent, timeOfConsent: consent.timeOfConsent ?? new Date().toISOString() }));

/** Keeps the insurance that came with an order as a record of its user. */
export function keepInsurance(
  ctx: TxCtx<TeamCtx>,
  userId: string,
  insurance: Static<typeof HealthInsuranceInput>,
  { patient_details: patient, patient_address }: Patient,
): Promise<StoredInsurance> {
  const { receiver_name: _, phone_number: __, ...address } = patient_address;
  const { first_name, last_name, gender, dob, email, phone_number } = patient;
  return createInsuranceWithOrder(ctx, userId, insurance, {
    first_name,
    last_name,
    gender,
    dob,
    email,
    phone_number,
    address,
  });
}
