// Checks an order before we send it. A laboratory may take days until it rejects an order. So this check finds at once
// everything for which the laboratory would reject it. The rules of each laboratory are data in `labs.order_rules`.
import type { Static } from 'typebox';
import { AppError } from '../../errors.ts';
import { checkIcdCodes } from '../../insurance/diagnoses/check.ts';
import type { StoredInsurance } from '../../insurance/find-latest.ts';
import type { Address } from '../../wire/address.ts';
import { isUnitedStates } from '../../wire/country.ts';
import type { OrderRow } from './sealed.ts';

/**
 * The maximum lengths of fields in HL7 v2.5.1: of names (XPN, XCN), addresses (XAD), phone numbers (XTN) and insurances
 * (IN1). The keys are the names of our fields.
 */
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

/**
 * The requirements of one laboratory for orders, in addition to the requirements of all laboratories. An empty object
 * adds none.
 */
export type OrderRules = {
  /** The maximum lengths of those fields for which this laboratory differs from HL7 v2.5.1. */
  max_lengths?: Partial<Record<keyof typeof LENGTHS, number>>;
  /** True if the laboratory rejects an order without a lab account, because it bills accounts and reports to them. */
  account_required?: boolean;
  /** True if the laboratory accepts only orders that name a physician. */
  physician_required?: boolean;
};

/** The data of an order that the check needs. */
export type GoingOut = Pick<
  OrderRow,
  'patient_details' | 'patient_address' | 'physician' | 'clinical_notes' | 'billing_type' | 'icd_codes'
> & {
  /** The insurance record to which the order is billed, or null if it is not billed to insurance. */
  insurance: StoredInsurance | null;
  /** The number of the team's account at this laboratory. */
  account: string | null;
};

/**
 * One problem in the error, in the same form as a problem in a response with status 422. `loc` is the path of the
 * field. It begins with `body` or with `insurance`.
 */
export type PreFlightProblem = { type: string; loc: string[]; msg: string };

type Text = string | null | undefined;
type PlainAddress = Partial<Record<'first_line' | 'second_line' | 'city' | 'state' | 'zip' | 'country', Text>>;

/**
 * Lists everything for which the laboratory would reject the order. The list is empty if the laboratory would accept
 * it.
 */
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

/** Returns the problems that we can find before we know the patient. */
export const accountProblems = (account: string | null, { account_required }: OrderRules): PreFlightProblem[] =>
  account_required && account === null ? [missing(['body', 'lab_account_id'])] : [];

/** Throws pre_flight_failed with all problems, if there are any. */
export function refuseUnlessAccepted(problems: PreFlightProblem[]): void {
  if (problems.length === 0) return;
  throw new AppError('pre_flight_failed', 'The laboratory would not accept this order.', { detail: problems });
}

/**
 * Returns one problem for diagnosis codes that no payer accepts. It does not name the codes. The operation that checks
 * diagnosis codes reports the problem of each code.
 */
function diagnoses(codes: string[]): PreFlightProblem[] {
  const { errors, violations } = checkIcdCodes(codes);
  if (errors.length + violations.length === 0) return [];
  const msg =
    'No payer accepts all of these codes together. POST /v3/insurance/validate_icd_codes states which ones, and why';
  return [{ type: 'value_error', loc: ['body', 'icd_codes'], msg }];
}

/**
 * Checks the payer, the subscriber (the insured person) and the guarantor (who pays the rest). Each needs a name that
 * is not too long, and an address to which the laboratory can send the bill.
 */
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
  msg: 'The laboratory accepts no order without it',
});

const tooLong = (loc: string[], value: Text, most: number): PreFlightProblem[] =>
  value && [...value].length > most
    ? [{ type: 'string_too_long', loc, msg: `The laboratory accepts at most ${most} characters` }]
    : [];
