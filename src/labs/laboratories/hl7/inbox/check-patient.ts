// Checks that a message is about the patient of the order. A mistyped number may lead to the order of another person.
import { sql } from 'kysely';
import type { TxCtx } from '../../../../context.ts';
import { printableAscii } from '../../../../wire/printable.ts';
import type { LoadedOrder } from '../../../orders/load-order.ts';
import type { ReportedPatient } from '../../../results/lab-report.ts';
import type { Settings } from '../connections/connection-settings.ts';
import { ResultProblem } from '../messages/result-problem.ts';

/** The forms of the two ids that we issue for patients: the id of a user, and a short number. */
const USER_ID = /^[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}$/;
const PATIENT_NUMBER = /^U[0-9A-HJKMNP-TV-Z]{8,14}$/;

type ReportedUser = { user_id: string; patient: ReportedPatient | null; settings: Settings };

/**
 * Throws patient_mismatch if the message contains an id that we issued for another user of any team.
 * It also throws for an id of an erased user. Such an id has the form of ours and comes with the authority under which
 * we send ids, but we do not know it.
 */
export async function refuseOtherUser(tx: TxCtx, { user_id, patient, settings }: ReportedUser): Promise<void> {
  const authority = settings.orders.identifiers?.authority ?? 'PHIAL';
  const reported = (patient?.ids ?? [])
    .map(({ id, authority: by }) => ({ id: id.toUpperCase(), isOurs: by?.toUpperCase() === authority.toUpperCase() }))
    .filter(({ id }) => USER_ID.test(id) || PATIENT_NUMBER.test(id));
  if (reported.length === 0) return;
  const ids = reported.map(({ id }) => id);
  const { rows } = await sql<{ issued: string; user_id: string }>`
    select upper(id::text) as issued, id as user_id from users
     where id = any (${ids.filter((id) => USER_ID.test(id))}::uuid[])
     union all
    select number, user_id from patient_numbers
     where number = any (${ids.filter((id) => PATIENT_NUMBER.test(id))}::text[])`.execute(tx.db);
  const owners = new Map(rows.map((row) => [row.issued, row.user_id]));
  for (const { id, isOurs } of reported) {
    const owner = owners.get(id);
    if (owner === undefined ? isOurs : owner !== user_id) throw new ResultProblem('patient_mismatch');
  }
}

/**
 * Throws patient_mismatch if the date of birth is different, or if both the name and the sex are different. One of them
 * alone may differ: people marry and change their name, and laboratories make typing errors.
 */
export function refuseOtherPatient({ row }: LoadedOrder, reported: ReportedPatient | null): void {
  const ordered = row.patient_details;
  if (reported === null || ordered === null) return;
  const isOtherDay = reported.dob !== null && reported.dob !== ordered.dob;
  if (isOtherDay || (isOtherName(reported, ordered) && isOtherSex(reported.gender, ordered.gender)))
    throw new ResultProblem('patient_mismatch');
}

type Name = { first_name: string | null; last_name: string | null };

const isOtherName = (reported: Name, ordered: Name): boolean =>
  isOtherWord(reported.last_name, ordered.last_name) || isOtherWord(reported.first_name, ordered.first_name);

/**
 * Returns whether two names are different. Laboratories shorten names and add to them, so two names are the same if one
 * is the beginning of the other.
 */
function isOtherWord(reported: string | null, ordered: string | null): boolean {
  const [one, other] = [lettersOf(reported), lettersOf(ordered)];
  return one !== '' && other !== '' && !one.startsWith(other) && !other.startsWith(one);
}

const lettersOf = (name: string | null): string =>
  printableAscii(name ?? '')
    .toUpperCase()
    .replaceAll(/[^A-Z]/g, '');

const SEXES: ReadonlySet<string> = new Set(['female', 'male']);

const isOtherSex = (reported: string | null, ordered: string): boolean =>
  reported !== null && reported !== ordered && SEXES.has(reported) && SEXES.has(ordered);
