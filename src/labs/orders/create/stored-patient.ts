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
import { refuseUnlessAccepted } from '../pre-flight.ts';
import type { OrderRow } from '../sealed.ts';

type Patient = {
  patient_details: Static<typeof PatientDetailsInput>;
  patient_address: Static<typeof PatientAddressInput>;
};
type FilledColumn<K extends keyof OrderRow> = NonNullable<OrderRow[K]>;

const isMinor = (dob: string): boolean => ageInYears(dob) < ADULT_AGE_YEARS;

/**
 * Throws minor_ordering_disabled if the patient is a minor and the team does not order for minors. This is a setting of
 * the team, because the laws on it differ between states.
 */
export function refuseMinorWithoutSetting(ctx: TeamCtx, dob: string): void {
  if (!isMinor(dob) || ctx.team.settings.minor_ordering_enabled) return;
  throw new AppError(
    'minor_ordering_disabled',
    'The patient is under 18, and this team does not order for minors. The team setting ' +
      'minor_ordering_enabled allows it.',
  );
}

/** Throws pre_flight_failed if the patient is a minor for whom no adult acts. */
export function refuseMinorWithoutProxy({ patient_details }: StoredPatient): void {
  if (!isMinor(patient_details.dob) || patient_details.medical_proxy) return;
  const loc = ['body', 'patient_details', 'medical_proxy'];
  refuseUnlessAccepted([{ type: 'missing', loc, msg: 'A patient under 18 needs a medical_proxy' }]);
}

/**
 * Throws if we may not order for this patient. For example, phlebotomists (who draw blood) visit only adults at home.
 */
export function refusePatient(
  ctx: TeamCtx,
  { patient_details }: { patient_details: { dob: string } },
  method: string,
): void {
  refuseMinorWithoutSetting(ctx, patient_details.dob);
  if (method === 'at_home_phlebotomy' && isMinor(patient_details.dob)) {
    throw new AppError(
      'minor_not_served',
      'We do not visit patients under 18 at home. Order with another collection method.',
    );
  }
}

export type StoredPatient = {
  patient_details: FilledColumn<'patient_details'>;
  patient_address: FilledColumn<'patient_address'>;
};

/** Returns a patient in the form in which we store it with an order. */
export const storedPatient = ({ patient_details, patient_address: address }: Patient): StoredPatient => ({
  patient_details: patient_details as FilledColumn<'patient_details'>,
  patient_address: storedAddress(address),
});

/** Returns the address of a patient in the form in which we store it with an order. */
export const storedAddress = (address: Partial<Patient['patient_address']>): FilledColumn<'patient_address'> =>
  ({
    ...address,
    receiver_name: address.receiver_name ?? '',
    second_line: address.second_line ?? '',
  }) as FilledColumn<'patient_address'>;

/** Returns the address to which we send a kit: the patient's address. */
export function shippingOf({
  patient_details: patient,
  patient_address: home,
}: StoredPatient): FilledColumn<'shipping_details'> {
  const { access_notes: _, receiver_name, second_line, phone_number, ...address } = home;
  return {
    ...address,
    receiver_name: receiver_name || `${patient.first_name} ${patient.last_name}`,
    second_line: second_line ?? '',
    phone_number: phone_number ?? patient.phone_number ?? '',
  };
}

/**
 * Returns the ordering physician in the form in which we store it with an order. It does not contain the signature,
 * which has a table of its own.
 */
export function storedPhysician(
  given: Static<typeof PhysicianWithSignature> | null | undefined,
): OrderRow['physician'] {
  const { signature_image: _, ...physician } = given ?? {};
  return given ? (physician as FilledColumn<'physician'>) : null;
}

/**
 * Returns consents in the form in which we store them with an order. A consent without a time gets the current time.
 */
export const storedConsents = (consents: Static<typeof ConsentInput>[] | null | undefined): FilledColumn<'consents'> =>
  (consents ?? []).map((consent) => ({ ...consent, timeOfConsent: consent.timeOfConsent ?? new Date().toISOString() }));

/** Stores the insurance from a request for an order as an insurance record of the user. */
export function storeInsurance(
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
