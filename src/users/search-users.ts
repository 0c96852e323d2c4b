import { sql } from 'kysely';
import type { TeamCtx } from '../context.ts';
import { containing } from '../db/like-pattern.ts';
import { byIndex } from '../db/session/by-index.ts';
import { USER_COLUMNS, type UserRow } from './find.ts';

const MAX_FOUND = 100;
const NEWEST = 50;

/**
 * Finds users whose user_id is equal to `text`, or whose client_user_id contains it. If there is no text, returns the
 * newest users.
 */
export async function searchUsers(ctx: TeamCtx, text: string | undefined): Promise<UserRow[]> {
  const ofTeam = ctx.db
    .selectFrom('users')
    .select(USER_COLUMNS)
    .where('team_id', '=', ctx.team.id)
    .where('deleted_at', 'is', null);
  if (text === undefined) return byIndex(ofTeam.orderBy('id', 'desc').limit(NEWEST)).execute();
  return ofTeam
    .where((eb) =>
      eb.or([eb('client_user_id', 'ilike', containing(text)), eb(sql<string>`id::text`, '=', text.toLowerCase())]),
    )
    .orderBy('id')
    .limit(MAX_FOUND)
    .execute();
}
