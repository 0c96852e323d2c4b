import type { TeamCtx } from '../../../../context.ts';
import { normalName } from './match-loinc.ts';
import type { ReadHeader } from '../parse/record.ts';

/**
 * Whether a report may be the user's: nothing that it says of its patient differs from what is known of the user, and
 * where something is known it says something. Of a user of whom nothing is known it may be anybody's.
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
  const pairs: [known: string | null | undefined, told: string | null][] = [
    [dob, header.dob],
    [info?.last_name, header.patient_last_name],
    [firstWord(info?.first_name), firstWord(header.patient_first_name)],
  ];
  const known = pairs.filter(([mine]) => mine);
  const told = known.filter(([, other]) => other !== null);
  if (known.length > 0 && told.length === 0) return false;
  return told.every(([mine, other]) => normalName(mine as string) === normalName(other as string));
}

type Info = { first_name: string; last_name: string; dob: string };

/** Reports add second names, or their first letters. */
const firstWord = (name: string | null | undefined): string | null => name?.trim().split(/\s+/)[0] ?? null;
