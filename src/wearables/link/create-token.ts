import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx } from '../../context.ts';
import { inTransaction } from '../../db/transaction.ts';
import { newId } from '../../ids.ts';
import { newToken } from '../../tenancy/keys/key-value.ts';
import { findUser } from '../../users/find.ts';
import { refuseUnconnectable } from './connectable.ts';
import { refuseUnlistedRedirect } from './redirect-url.ts';
import type { LinkToken, LinkTokenInput } from './schemas.ts';

const MINUTES = 60;

/**
 * Makes a link token. With the token, the user's browser can connect one provider within an hour, as long as the API
 * key that made the token is valid. Only this response has the token. Phial stores its hash.
 */
export function createLinkToken(ctx: TeamCtx, input: Static<typeof LinkTokenInput>): Promise<Static<typeof LinkToken>> {
  const { user_id, provider = null, redirect_url = null, filter_on_providers = null, on_error, on_close } = input;
  return inTransaction(ctx, async (ctx) => {
    const user = await findUser(ctx, user_id);
    if (redirect_url !== null) refuseUnlistedRedirect(ctx, redirect_url);
    if (provider !== null) await refuseUnconnectable(ctx, provider);
    const [id, token] = [newId(), newToken('link')];
    await ctx.db
      .insertInto('link_tokens')
      .values({
        user_id: user.id,
        id,
        team_id: ctx.team.id,
        token_hash: token.hash,
        made_by: ctx.keyId ?? null,
        provider,
        filter_on_providers,
        redirect_url,
        on_error: on_error ?? null,
        on_close: on_close ?? null,
        expires_at: sql<string>`now() + make_interval(mins => ${MINUTES})`,
      })
      .execute();
    ctx.line?.names(id);
    return { link_token: token.value, link_web_url: `${ctx.config.baseUrl}/link?token=${token.value}` };
  });
}
