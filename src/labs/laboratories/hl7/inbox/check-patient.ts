// Numbers are mistyped, and then lead to somebody else's order (record 360).
import { sql } from 'kysely';
import type { TxCtx } from '../../../../context.ts';
import { printableAscii } from '../../../../wire/printable.ts';
import type { LoadedOrder } from '../../../orders/load.ts';
import type { ReportedPatient } from '../../../results/report.ts';
import type { Settings } from '../connections/settings.ts';
import { ResultProblem } from '../messages/result-problem.ts';

/** What is issued here for patients: the id of a user, and a short number. */
const USER_ID = /^[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}$/;
const PATIENT_NUMBER = /^U[0-9A-HJKMNP-TV-Z]{8,14}$/;

type Told = { user_id: string; patient: ReportedPatient | null; settings: Settings };

/**
 * Throws patient_mismatch where the message bears an id that was issued here for another user than the order's, of whichever team.
 * What has our form under the authority by which the laboratory gets our ids, and is nobody's, was issued for somebody who is gone.
 */
export async function refuseOtherUser(tx: TxCtx, { user_id, patient, settings }: Told): Promise<void> {
  const authority = settings.orders.identifiers?.authority ?? 'PHIAL';
  const told = (patient?.ids ?? [])
    .map(({ id, authority: by }) => ({ id: id.toUpperCase(), isOurs: by?.toUpperCase() === authority.toUpperCase() }))
    .filter(({ id }) => USER_ID.test(id) || PATIENT_NUMBER.test(id));
  if (told.length === 0) return;
  const ids = told.map(({ id }) => id);
  const { rows } = await sql<{ issued: string; user_id: string }>`
    select upper(id::text) as issued, id as user_id from users
     where id = any (${ids.filter((id) => USER_ID.test(id))}::uuid[])
     union all
    select number, user_id from patient_numbers
     where number = any (${ids.filter((id) => PATIENT_NUMBER.test(id))}::text[])`.execute(tx.db);
  const owners = new Map(rows.map((row) => [row.issued, row.user_id]));
  for (const { id, isOurs } of told) {
    const owner = owners.get(id);
    if (owner === undefined ? isOurs : owner !== user_id) throw new ResultProblem('patient_mismatch');
  }
}

/**
 * Throws patient_mismatch where the patient was born on another day, or has another name and another sex. One of these two alone
 * is no other patient: people marry, and laboratories mistype.
 */
export function refuseOtherPatient({ row }: LoadedOrder, told: ReportedPatient | null): void {
  const ordered = row.patient_details;
  if (told === null || ordered === null) return;
  const isOtherDay = told.dob !== null && told.dob !== ordered.dob;
  if (isOtherDay || (isOtherName(told, ordered) && isOtherSex(told.gender, ordered.gender)))
    throw new ResultProblem('patient_mismatch');
}

type Name = { first_name: string | null; last_name: string | null };

const isOtherName = (told: Name, ordered: Name): boolean =>
  isOtherWord(told.last_name, ordered.last_name) || isOtherWord(told.first_name, ordered.first_name);

/** Laboratories cut names and add to them: the beginning of one is the same name. */
function isOtherWord(told: string | null, ordered: string | null): boolean {
  const [one, other] = [lettersOf(told), lettersOf(ordered)];
  return one !== '' && other !== '' && !one.startsWith(other) && !other.startsWith(one);
}

const lettersOf = (name: string | null): string =>
  printableAscii(name ?? '')
    .toUpperCase()
    .replaceAll(/[^A-Z]/g, '');

const SEXES: ReadonlySet<string> = new Set(['female', 'male']);

const isOtherSex = (told: string | null, ordered: string): boolean =>
  told !== null && told !== ordered && SEXES.has(told) && SEXES.has(ordered);
