import type { TeamCtx } from '../context.ts';
import { byIndex } from '../db/session/by-index.ts';
import { prepared } from '../db/session/prepared.ts';
import { countUsers } from './count.ts';
import { USER_COLUMNS, type UserRow } from './find.ts';

/** Users in the order they were made; the ones scheduled for deletion are left out. */
export async function listUsers(
  ctx: TeamCtx,
  page: { offset: number; limit: number },
): Promise<{ users: UserRow[]; total: number }> {
  const ofTeam = ctx.db.selectFrom('users').where('team_id', '=', ctx.team.id).where('deleted_at', 'is', null);
  const ofPage = ofTeam.select(USER_COLUMNS).orderBy('id').offset(page.offset).limit(page.limit);
  const users = await byIndex(ofPage.$call(prepared('page of users'))).execute();
  return { users, total: await countUsers(ctx) };
}
