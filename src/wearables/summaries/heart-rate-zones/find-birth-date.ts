import { sql } from 'kysely';
import type { TeamCtx, TxCtx } from '../../../context.ts';
import type { UserRow } from '../../../users/find.ts';

/** The most profiles that are read. Each source has one, and a person has few sources. */
const MAX_PROFILES = 20;

/**
 * Returns the user's date of birth, from the newest profile that has one; else the date that the team has set; else
 * null.
 */
export async function findBirthDateOrNull(ctx: TxCtx<TeamCtx>, user: UserRow): Promise<string | null> {
  const { db, team, cipher } = ctx;
  const { rows } = await sql<{ id: string; team_id: string; texts: Buffer }>`
    select id, team_id, texts from summaries
     where user_id = ${user.id} and team_id = ${team.id} and resource = 'profile' and texts is not null
     order by updated_at desc limit ${MAX_PROFILES}`.execute(db);
  for (const row of rows) {
    const { birth_date } = cipher.openJson<{ birth_date?: string }>('summaries.texts', row, row.texts);
    if (birth_date) return birth_date;
  }
  const { fallback_birth_date } = user;
  return fallback_birth_date && cipher.openText('users.fallback_birth_date', user, fallback_birth_date);
}
