import { sql } from 'kysely';
import type { TeamCtx } from '../context.ts';
import { inTransaction } from '../db/transaction.ts';
import { newId } from '../ids.ts';
import { newToken } from '../tenancy/keys/key-value.ts';
import { findUser } from './find.ts';

const MINUTES = 60;
/** The most tokens of one user. Beyond this number, a new token deletes the oldest one. */
const MAX_TOKENS = 20;

/**
 * Creates a token with which the user's phone may send data for this user. It is valid for one hour, or until the API
 * key that created it ends. Only this function returns the token, because we store only its hash. `linkCodeId` is the
 * link code for which the token was created, or null.
 */
export function createSignInToken(
  ctx: TeamCtx,
  userId: string,
  linkCodeId: string | null = null,
): Promise<{ user_id: string; sign_in_token: string }> {
  return inTransaction(ctx, async (ctx) => {
    const user = await findUser(ctx, userId);
    const [id, token] = [newId(), newToken('user')];
    await ctx.db
      .insertInto('user_tokens')
      .values({
        user_id: user.id,
        id,
        team_id: ctx.team.id,
        token_hash: token.hash,
        made_by: ctx.keyId ?? null,
        link_code_id: linkCodeId,
        expires_at: sql<string>`now() + make_interval(mins => ${MINUTES})`,
      })
      .execute();
    await sql`
      delete from user_tokens where user_id = ${user.id} and team_id = ${ctx.team.id} and id in (
        select id from user_tokens where user_id = ${user.id} order by id desc offset ${MAX_TOKENS})`.execute(ctx.db);
    ctx.line?.names(id);
    return { user_id: user.id, sign_in_token: token.value };
  });
}
