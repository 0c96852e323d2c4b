import { sql } from 'kysely';
import { Type } from 'typebox';
import type { TeamCtx, TxCtx } from '../../../context.ts';
import { addJob, jobKind } from '../../../db/define-job.ts';
import { newId } from '../../../ids.ts';
import { Uuid } from '../../../wire/schema.ts';
import { connectorOrNull } from '../../providers/registry.ts';
import { configuredOrNull } from '../applications/configured.ts';
import { openExternalUser, openTokens, type Tokens } from './sealed-tokens.ts';

/** The job that notifies providers about tokens that Phial does not use any more. */
export const revocationKind = jobKind({
  name: 'revoke_provider_tokens',
  payload: Type.Object({ team_id: Uuid }),
  ownerOf: ({ team_id }) => team_id,
  key: ({ team_id }) => `revoke_provider_tokens ${team_id}`,
});

/** A placeholder in an address of a provider. We replace it by the provider's id of the user. */
export const USER = '{user}';

/**
 * Tokens to revoke, with the provider's id of their user (null if it is not known). Phial stores them until it has
 * notified the provider.
 */
export type RevocableTokens = Pick<Tokens, 'access_token' | 'refresh_token'> & { external_user_id: string | null };

/** The connection to which tokens belong. `credential_id` names its OAuth application. */
type TokenOwner = { user_id: string; provider: string; credential_id: string | null };
type EndedConnection = TokenOwner & { tokens: Buffer | null; external_user_id: Buffer | null };
type UnusedTokens = TokenOwner & { tokens: Omit<RevocableTokens, 'external_user_id'> } & Pick<
    RevocableTokens,
    'external_user_id'
  >;

/** Queues the revocation of the stored tokens of connections that have ended. */
export async function queueEndedRevocations(ctx: TxCtx<TeamCtx>, ended: EndedConnection[]): Promise<void> {
  const unused = ended.flatMap(({ tokens: sealed, external_user_id, ...of }) => {
    const rowKey = { team_id: ctx.team.id, id: `${of.user_id}/${of.provider}` };
    const tokens = openTokens(ctx, rowKey, { tokens: sealed, tokens_expire_at: null });
    if (tokens === null) return [];
    return [{ ...of, tokens, external_user_id: openExternalUser(ctx, rowKey, external_user_id) }];
  });
  await queueRevocations(ctx, unused);
}

/**
 * Queues a job that notifies providers that Phial does not use these tokens any more. Call it for every token that
 * Phial stops using, in the same transaction. A slow provider must not delay an erasure, so Phial stores the tokens
 * without their users and notifies the provider later.
 *
 * At some providers, the revocation of one token ends every connection to the account. So we do not notify the provider
 * while somebody is connected to the same account (`revoke.ts` checks this later), or while this user is connected to
 * an account whose id we do not know.
 */
export async function queueRevocations(ctx: TxCtx<TeamCtx>, unused: UnusedTokens[]): Promise<void> {
  const rows = [];
  for (const { tokens, external_user_id, ...of } of unused) {
    const { provider, credential_id } = of;
    const revoke = connectorOrNull(provider)?.oauth.revoke;
    if (credential_id === null && !configuredOrNull(ctx.config, provider)) continue;
    if (!revoke || (revoke.url.includes(USER) && external_user_id === null)) continue;
    if (await mayBeConnected(ctx, of, external_user_id)) continue;
    const row = { team_id: ctx.team.id, id: newId() };
    const revocable: RevocableTokens = {
      access_token: tokens.access_token,
      refresh_token: tokens.refresh_token,
      external_user_id,
    };
    const sealed = ctx.cipher.sealJson('token_revocations.tokens', row, revocable);
    rows.push({ ...row, provider, credential_id, tokens: sealed });
  }
  if (rows.length === 0) return;
  await ctx.db.insertInto('token_revocations').values(rows).execute();
  await addJob(ctx.db, revocationKind, { team_id: ctx.team.id });
}

/**
 * Whether the user is connected, by the same application, to an account that may be the same one. If we do not know the
 * id of one of the two accounts, they may be the same.
 */
async function mayBeConnected(
  { db, team }: TxCtx<TeamCtx>,
  { user_id, provider, credential_id }: TokenOwner,
  external_user_id: string | null,
): Promise<boolean> {
  const own = await db
    .selectFrom('connections')
    .select('external_user_hash')
    .where('user_id', '=', user_id)
    .where('provider', '=', provider)
    .where('team_id', '=', team.id)
    .where('tokens', 'is not', null)
    .where(sql<boolean>`credential_id is not distinct from ${credential_id}::uuid`)
    .executeTakeFirst();
  return own !== undefined && (external_user_id === null || own.external_user_hash === null);
}
