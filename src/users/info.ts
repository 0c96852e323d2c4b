import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx } from '../context.ts';
import { inTransaction } from '../db/transaction.ts';
import { notFound } from '../errors.ts';
import { findUser, lockUser } from './find.ts';
import { storeSearchHashes } from './search/hashes.ts';
import type { UserInfo, UserInfoInput } from './schemas.ts';

/** Stores the demographics of a user. They replace all demographics that were stored before. */
export function putUserInfo(
  ctx: TeamCtx,
  userId: string,
  info: Static<typeof UserInfoInput>,
): Promise<Static<typeof UserInfo>> {
  return inTransaction(ctx, async (ctx) => {
    await lockUser(ctx, userId);
    const user = await findUser(ctx, userId);
    const sealed = ctx.cipher.sealJson('user_info.info', user, info);
    await ctx.db
      .insertInto('user_info')
      .values({ user_id: user.id, team_id: ctx.team.id, info: sealed })
      .onConflict((oc) => oc.column('user_id').doUpdateSet({ info: sealed, updated_at: sql`now()` }))
      .execute();
    await storeSearchHashes(ctx, [user.id]);
    return ctx.cipher.openJson('user_info.info', user, sealed);
  });
}

export async function findUserInfo(ctx: TeamCtx, userId: string): Promise<Static<typeof UserInfo>> {
  const user = await findUser(ctx, userId);
  const row = await ctx.db
    .selectFrom('user_info')
    .select('info')
    .where('user_id', '=', userId)
    .where('team_id', '=', ctx.team.id)
    .executeTakeFirst();
  if (!row) throw notFound('Demographics of this user');
  return ctx.cipher.openJson('user_info.info', user, row.info);
}
