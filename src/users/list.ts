import { sql } from 'kysely';
import type { TeamCtx } from '../context.ts';
import { containing } from '../db/containing.ts';
import { USER_COLUMNS, type UserRow } from './find.ts';

/** Users in the order they were made; the ones scheduled for deletion are left out. */
export async function listUsers(
  ctx: TeamCtx,
  page: { offset: number; limit: number },
): Promise<{ users: UserRow[]; total: number }> {
  const ofTeam = ctx.db.selectFrom('users').where('team_id', '=', ctx.team.id).where('deleted_at', 'is', null);
  const users = await ofTeam.select(USER_COLUMNS).orderBy('id').offset(page.offset).limit(page.limit).execute();
  const { total } = await ofTeam.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  return { users, total };
}

const MOST_FOUND = 100;
const NEWEST = 50;

/** Users whose user_id is `text`, or whose client_user_id contains it; without a text the newest, newest first. */
export async function searchUsers(ctx: TeamCtx, text: string | null): Promise<UserRow[]> {
  if (text === null) {
    return ctx.db
      .selectFrom('users')
      .select(USER_COLUMNS)
      .where('team_id', '=', ctx.team.id)
      .where('deleted_at', 'is', null)
      .orderBy('id', 'desc')
      .limit(NEWEST)
      .execute();
  }
  return ctx.db
    .selectFrom('users')
    .select(USER_COLUMNS)
    .where('team_id', '=', ctx.team.id)
    .where('deleted_at', 'is', null)
    .where((eb) =>
      eb.or([eb('client_user_id', 'ilike', containing(text)), eb(sql<string>`id::text`, '=', text.toLowerCase())]),
    )
    .orderBy('id')
    .limit(MOST_FOUND)
    .execute();
}
