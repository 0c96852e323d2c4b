// Writes the segments of an order about the patient and the payer: PID (patient), NK1 (next of kin), IN1 (insurance)
// and GT1 (guarantor, who pays).
import { repeat, segment, type Segment, type Value } from '@phial/hl7/message';
import { writeDate } from '@phial/hl7/times';
import { ADULT_AGE_YEARS, ageInYears } from '../../../../wire/birth-date.ts';
import { countryAlpha3 } from '../../../../wire/country-alpha3.ts';
import type { Settings } from '../connections/connection-settings.ts';
import { accountFieldOf, OrderNotSendable, type OrderToSend, type Writer } from './order-writer.ts';
import { ownProperty } from '../../../../wire/own-property.ts';

const SEX: Readonly<Record<string, string>> = { female: 'F', male: 'M', other: 'O', unknown: 'U' };
const RELATIONSHIP: Readonly<Record<string, string>> = { Self: 'SEL', Spouse: 'SPO', Other: 'OTH' };
/** The code in IN1-2 (the insurance plan) for an order that the patient pays. The keys are our billing types. */
const BILLED: Readonly<Record<string, string>> = {
  patient_bill: 'P',
  patient_bill_passthrough: 'P',
};

export function patient(settings: Settings, { order: { row, user }, ...sent }: OrderToSend, write: Writer): Segment {
  const { limited, text } = write;
  const { authority = 'PHIAL', patient: type = 'PI', account = 'AN' } = settings.orders.identifiers ?? {};
  const person = row.patient_details as NonNullable<typeof row.patient_details>;
  const address = row.patient_address;
  const phone = phoneOf(person.phone_number);
  return segment('PID', {
    1: '1',
    3: repeat([user.id, sent.patientNumber].map((id) => [id, '', '', text(authority), type])),
    5: [limited('last_name', person.last_name), limited('first_name', person.first_name), '', '', '', '', 'L'],
    7: writeDate(person.dob),
    8: ownProperty(SEX, person.gender) ?? 'U',
    10: RACE.get(person.race ?? '') ?? '',
    ...(address && { 11: addressOf(address, write) }),
    13: repeat([
      ...(phone ? [phone] : []),
      ...(person.email ? [['', 'NET', 'X.400', limited('email', person.email)] as Value] : []),
    ]),
    ...(accountFieldOf(settings) === 'PID-18' && { 18: [text(sent.accountNumber), '', '', '', account] }),
    22: ETHNICITY.get(person.ethnicity ?? '') ?? '',
  });
}

/** Codes for races and ethnic groups (HL7 tables 0005 and 0189). We send a value without a code as text. */
const RACE: ReadonlyMap<string, string[]> = new Map([
  ['african_american_or_black', ['2054-5', 'Black or African American', 'HL70005']],
  ['asian', ['2028-9', 'Asian', 'HL70005']],
  ['indigenous_native_american_alaska_native', ['1002-5', 'American Indian or Alaska Native', 'HL70005']],
  ['other', ['2131-1', 'Other Race', 'HL70005']],
  ['pacific_islander_or_hawaiian', ['2076-8', 'Native Hawaiian or Other Pacific Islander', 'HL70005']],
  ['white_caucasian', ['2106-3', 'White', 'HL70005']],
]);
const ETHNICITY: ReadonlyMap<string, string[]> = new Map([
  ['hispanic', ['H', 'Hispanic or Latino', 'HL70189']],
  ['non_hispanic', ['N', 'Not Hispanic or Latino', 'HL70189']],
  ['ashkenazi_jewish', ['', 'Ashkenazi Jewish']],
  ['other', ['', 'Other']],
]);

/**
 * Writes the adult who decides for a minor as next of kin (NK1). If the insurance names no guarantor, this adult is
 * also the guarantor. The older ORM^O01 has no NK1, so there the adult is only a guarantor.
 */
export function guardian({ order: { row }, insurance }: OrderToSend, write: Writer, isLegacy: boolean): Segment[] {
  const person = row.patient_details as NonNullable<typeof row.patient_details>;
  const proxy = person.medical_proxy;
  if (!proxy || ageInYears(person.dob) >= ADULT_AGE_YEARS) return [];
  const name = [write.limited('last_name', proxy.last_name), write.limited('first_name', proxy.first_name)];
  const [address, phone] = [addressOf(proxy.address, write), phoneOf(proxy.phone_number) ?? ''];
  const kin = segment('NK1', { 1: '1', 2: name, 3: ['GRD', 'Guardian', 'HL70063'], 4: address, 5: phone });
  const payer = segment('GT1', { 1: '1', 3: name, 5: address, 6: phone, 11: 'GRD' });
  return [...(isLegacy ? [] : [kin]), ...(insurance?.guarantor ? [] : [payer])];
}

/**
 * Writes a North American phone number. The field has a component for the area code and one for the local number. It
 * cannot contain numbers of other countries, so the function returns null for them.
 */
function phoneOf(number: string | null): Value | null {
  const [, area, local] = /^\+1(\d{3})(\d{7})$/.exec(number ?? '') ?? [];
  return area && local ? ['', 'PRN', 'PH', '', '', area, local] : null;
}

type AddressLike = {
  first_line: string;
  second_line?: string | null;
  city: string;
  state: string;
  zip: string;
  country?: string | null;
};

const addressOf = (address: AddressLike, { limited }: Writer): string[] => [
  limited('first_line', address.first_line),
  limited('second_line', address.second_line),
  limited('city', address.city),
  limited('state', address.state),
  limited('zip', address.zip),
  address.country ? (countryAlpha3(address.country) ?? '') : 'USA',
  'H',
];

export function coverage({ order, insurance }: OrderToSend, write: Writer): Segment[] {
  const billed = ownProperty(BILLED, order.row.billing_type);
  if (billed !== undefined) return [segment('IN1', { 1: '1', 2: billed, 3: billed, 47: billed })];
  if (order.row.billing_type !== 'commercial_insurance') return [];
  if (!insurance) throw new OrderNotSendable('insurance_missing');
  const { insured, company, guarantor } = insurance;
  const name = (person: { first_name: string; last_name: string }): string[] => [
    write.limited('last_name', person.last_name),
    write.limited('first_name', person.first_name),
  ];
  const insurer = segment('IN1', {
    1: '1',
    2: write.text(insurance.payor_code),
    3: write.text(insurance.payor_code),
    4: write.limited('company_name', company.name),
    5: addressOf(company.address, write),
    8: write.limited('group_id', insurance.group_id),
    16: name(insured),
    17: ownProperty(RELATIONSHIP, insurance.relationship) ?? 'OTH',
    18: writeDate(insured.dob),
    19: addressOf(insured.address, write),
    36: write.limited('member_id', insurance.member_id),
    43: ownProperty(SEX, insured.gender) ?? 'U',
    47: 'T',
  });
  if (!guarantor) return [insurer];
  return [
    insurer,
    segment('GT1', {
      1: '1',
      3: name(guarantor),
      5: addressOf(guarantor.address, write),
      6: phoneOf(guarantor.phone_number) ?? '',
      11: 'GRD',
    }),
  ];
}
