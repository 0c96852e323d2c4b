// The look at an order before it goes out: everything that its laboratory would reject days later, found at once. Pure;
// what a laboratory takes is data (`labs.order_rules`).
import type { Static } from 'typebox';
import { AppError } from '../../errors.ts';
import { checkIcdCodes } from '../../insurance/diagnoses/check.ts';
import type { StoredInsurance } from '../../insurance/find-latest.ts';
import type { Address } from '../../wire/address.ts';
import { isUnitedStates } from '../../wire/country.ts';
import type { OrderRow } from './sealed.ts';

/** Characters that the fields of HL7 v2.5.1 hold, by what they are called in orders (XPN, XAD, XTN, XCN, IN1). */
export const LENGTHS = {
  first_name: 30,
  last_name: 50,
  first_line: 120,
  second_line: 120,
  city: 50,
  state: 50,
  zip: 12,
  email: 199,
  member_id: 15,
  group_id: 12,
  company_name: 250,
  clinical_notes: 65_536,
};

/** What a laboratory asks of orders beyond what every one does; an empty object asks for nothing more. */
export type OrderRules = {
  /** Where its format holds less, or more, than HL7 v2.5.1. */
  max_lengths?: Partial<Record<keyof typeof LENGTHS, number>>;
  /** It bills and reports to accounts: an order without a lab account is not taken. */
  account_required?: boolean;
  /** It takes orders of a named physician only. */
  physician_required?: boolean;
};

/** An order as it is about to go out. */
export type GoingOut = Pick<
  OrderRow,
  'patient_details' | 'patient_address' | 'physician' | 'clinical_notes' | 'billing_type' | 'icd_codes'
> & {
  /** The record that it is billed to; null where nobody's insurance is. */
  insurance: StoredInsurance | null;
  /** The number of the team's account at the laboratory. */
  account: string | null;
};

/** One entry of the list that a refusal gives, in the form of a 422's: of the `body`, or of the `insurance` record. */
export type PreFlightProblem = { type: string; loc: string[]; msg: string };

type Text = string | null | undefined;
type PlainAddress = Partial<Record<'first_line' | 'second_line' | 'city' | 'state' | 'zip' | 'country', Text>>;

/** Everything that the laboratory would not take; empty where it would take all. */
export function preFlight(order: GoingOut, rules: OrderRules): PreFlightProblem[] {
  const lengths = { ...LENGTHS, ...rules.max_lengths };
  const { patient_details: patient, physician, insurance } = order;
  return [
    ...person(['body', 'patient_details'], patient, lengths),
    ...address(['body', 'patient_address'], order.patient_address, lengths),
    ...tooLong(['body', 'clinical_notes'], order.clinical_notes, lengths.clinical_notes),
    ...person(['body', 'physician'], physician, lengths),
    ...(rules.physician_required && !physician ? [missing(['body', 'physician'])] : []),
    ...accountProblems(order.account, rules),
    ...(order.billing_type === 'commercial_insurance' ? diagnoses(order.icd_codes ?? []) : []),
    ...(order.billing_type === 'commercial_insurance' && insurance ? coverage(insurance, lengths) : []),
  ];
}

/** What is known of an order before its patient is. */
export const accountProblems = (account: string | null, { account_required }: OrderRules): PreFlightProblem[] =>
  account_required && account === null ? [missing(['body', 'lab_account_id'])] : [];

/** Throws pre_flight_failed with everything that was found. */
export function refuseUnlessAccepted(problems: PreFlightProblem[]): void {
  if (problems.length === 0) return;
  throw new AppError('pre_flight_failed', 'The laboratory would not take this order.', { detail: problems });
}

/** The codes are not repeated: what is wrong with them is told by the operation that checks them. */
function diagnoses(codes: string[]): PreFlightProblem[] {
  const { errors, violations } = checkIcdCodes(codes);
  if (errors.length + violations.length === 0) return [];
  const msg =
    'No payer takes all of these codes together. POST /v3/insurance/validate_icd_codes says which not, and why';
  return [{ type: 'value_error', loc: ['body', 'icd_codes'], msg }];
}

/** The payer, the subscriber and whoever answers for the patient have a name that fits and an address to be billed at. */
function coverage(insurance: StoredInsurance, lengths: typeof LENGTHS): PreFlightProblem[] {
  const at = (...loc: string[]): string[] => ['insurance', ...loc];
  const { company, insured, guarantor } = insurance;
  return [
    ...tooLong(at('member_id'), insurance.member_id, lengths.member_id),
    ...tooLong(at('group_id'), insurance.group_id, lengths.group_id),
    ...tooLong(at('company', 'name'), company.name, lengths.company_name),
    ...address(at('company', 'address'), company.address, lengths),
    ...[['insured', insured] as const, ['guarantor', guarantor] as const].flatMap(([name, who]) =>
      who ? [...person(at(name), who, lengths), ...address(at(name, 'address'), who.address, lengths)] : [],
    ),
  ];
}

function person(
  loc: string[],
  named: Partial<Record<'first_name' | 'last_name' | 'email', Text>> | null,
  lengths: typeof LENGTHS,
): PreFlightProblem[] {
  if (!named) return [];
  return (['first_name', 'last_name', 'email'] as const).flatMap((name) =>
    tooLong([...loc, name], named[name], lengths[name]),
  );
}

function address(
  loc: string[],
  given: PlainAddress | Static<typeof Address> | null,
  lengths: typeof LENGTHS,
): PreFlightProblem[] {
  if (!given) return [missing(loc)];
  const needed = ['first_line', 'city', ...(isDomestic(given) ? (['state', 'zip'] as const) : [])] as const;
  return [
    ...needed.flatMap((name) => (given[name]?.trim() ? [] : [missing([...loc, name])])),
    ...(['first_line', 'second_line', 'city', 'state', 'zip'] as const).flatMap((name) =>
      tooLong([...loc, name], given[name], lengths[name]),
    ),
  ];
}

const isDomestic = ({ country }: PlainAddress): boolean => !country || isUnitedStates(country);

const missing = (loc: string[]): PreFlightProblem => ({
  type: 'missing',
  loc,
  msg: 'The laboratory takes no order without it',
});

const tooLong = (loc: string[], value: Text, most: number): PreFlightProblem[] =>
  value && [...value].length > most
    ? [{ type: 'string_too_long', loc, msg: `The laboratory takes at most ${most} characters` }]
    : [];
