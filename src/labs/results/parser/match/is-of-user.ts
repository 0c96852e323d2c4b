import type { TeamCtx } from '../../../../context.ts';
import { normalName } from './match-loinc.ts';
import type { ReadHeader } from '../parse/read-report.ts';

/**
 * Returns whether a report may belong to the user. We compare the patient in the report with what we know of the user,
 * such as the name and the date of birth. The report must contain at least one of these facts, and none may differ. If
 * we know nothing about the user, the function returns true.
 */
export async function isOfUser(ctx: TeamCtx, userId: string, header: ReadHeader): Promise<boolean> {
  const row = await ctx.db
    .selectFrom('users')
    .leftJoin('user_info', 'user_info.user_id', 'users.id')
    .select(['users.id', 'users.team_id', 'users.fallback_birth_date', 'user_info.info'])
    .where('users.id', '=', userId)
    .where('users.team_id', '=', ctx.team.id)
    .executeTakeFirst();
  if (!row) return false;
  const info = row.info && ctx.cipher.openJson<Info>('user_info.info', row, row.info);
  const dob =
    info?.dob ??
    (row.fallback_birth_date && ctx.cipher.openText('users.fallback_birth_date', row, row.fallback_birth_date));
  const pairs: [known: string | null | undefined, reported: string | null][] = [
    [dob, header.dob],
    [info?.last_name, header.patient_last_name],
    [firstWord(info?.first_name), firstWord(header.patient_first_name)],
  ];
  const known = pairs.filter(([mine]) => mine);
  const stated = known.filter(([, other]) => other !== null);
  if (known.length > 0 && stated.length === 0) return false;
  return stated.every(([mine, other]) => normalName(mine as string) === normalName(other as string));
}

type Info = { first_name: string; last_name: string; dob: string };

/** Returns the first word of a name. Reports may add a middle name or an initial, so we compare only this word. */
const firstWord = (name: string | null | undefined): string | null => name?.trim().split(/\s+/)[0] ?? null;
