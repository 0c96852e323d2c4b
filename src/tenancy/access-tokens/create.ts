import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { ManagementCtx, TeamCtx } from '../../context.ts';
import { AppError } from '../../errors.ts';
import { inTransaction } from '../../db/transaction.ts';
import { newId } from '../../ids.ts';
import { newToken } from '../keys/key-value.ts';
import type { AccessToken } from './schemas.ts';

const SECONDS = 3_600;
/** The most tokens of a team at the same time. If a team has more, a new token ends the oldest one. */
const MAX_TOKENS = 1_000;

/**
 * Creates a token that has the rights of a team API key for one hour. Only this response shows it, because we store
 * only its hash. Throws insufficient_scope for a session.
 */
export function createAccessToken(ctx: ManagementCtx & TeamCtx): Promise<Static<typeof AccessToken>> {
  // A token ends with the key that made it. A session has no key, and a person can make a team API key instead.
  if (ctx.person) throw new AppError('insufficient_scope', 'Access tokens are made with a management key only.');
  return inTransaction(ctx, async (ctx) => {
    const [id, token] = [newId(), newToken('access')];
    await ctx.db
      .insertInto('api_access_tokens')
      .values({
        team_id: ctx.team.id,
        id,
        created_by: ctx.key.id,
        token_hash: token.hash,
        expires_at: sql<string>`now() + make_interval(secs => ${SECONDS})`,
      })
      .execute();
    await sql`
      delete from api_access_tokens where team_id = ${ctx.team.id} and id in (
        select id from api_access_tokens where team_id = ${ctx.team.id}
         order by id desc offset ${MAX_TOKENS})`.execute(ctx.db);
    return { id, access_token: token.value, expires_in: SECONDS };
  });
}
