import type { TeamCtx } from '../context.ts';
import { byIndex } from '../db/session/by-index.ts';
import { prepared } from '../db/session/prepared.ts';
import { countUsers } from './count-users.ts';
import { USER_COLUMNS, type UserRow } from './find.ts';

/** Lists users in the order in which they were created, without users who are scheduled for deletion. */
export async function listUsers(
  ctx: TeamCtx,
  page: { offset: number; limit: number },
): Promise<{ users: UserRow[]; total: number }> {
  const ofTeam = ctx.db.selectFrom('users').where('team_id', '=', ctx.team.id).where('deleted_at', 'is', null);
  const ofPage = ofTeam.select(USER_COLUMNS).orderBy('id').offset(page.offset).limit(page.limit);
  const users = await byIndex(ofPage.$call(prepared('page of users'))).execute();
  return { users, total: await countUsers(ctx) };
}
