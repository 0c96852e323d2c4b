import type { TeamCtx, TxCtx } from '../../../../context.ts';
import { comparePatients } from '../../compare-patients.ts';
import type { ReadHeader } from '../parse/read-report.ts';

type Patient = Pick<ReadHeader, 'dob' | 'patient_first_name' | 'patient_last_name'>;

/**
 * Returns whose a report is. We compare the patient in the report with what we know of the user, such as the name and
 * the date of birth: `other` if one of these facts differs, `nobody` if the report contains none of them. If we know
 * nothing about the user, the report is of the `user`.
 */
export async function patientOf(
  ctx: TeamCtx | TxCtx<TeamCtx>,
  userId: string,
  header: Patient,
): Promise<'user' | 'nobody' | 'other'> {
  const row = await ctx.db
    .selectFrom('users')
    .leftJoin('user_info', 'user_info.user_id', 'users.id')
    .select(['users.id', 'users.team_id', 'users.fallback_birth_date', 'user_info.info'])
    .where('users.id', '=', userId)
    .where('users.team_id', '=', ctx.team.id)
    .executeTakeFirst();
  if (!row) return 'other';
  const info = row.info && ctx.cipher.openJson<Info>('user_info.info', row, row.info);
  const dob =
    info?.dob ??
    (row.fallback_birth_date && ctx.cipher.openText('users.fallback_birth_date', row, row.fallback_birth_date));
  const { patient_first_name: first_name, patient_last_name: last_name } = header;
  const found = comparePatients({ ...info, dob }, { first_name, last_name, dob: header.dob });
  return found === 'same' ? 'user' : found;
}

type Info = { first_name: string; last_name: string; dob: string };
