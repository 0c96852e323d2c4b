import { sql } from 'kysely';
import { Type } from 'typebox';
import type { TeamCtx, TxCtx } from '../../../context.ts';
import { addJob, jobKind } from '../../../db/define-job.ts';
import { newId } from '../../../ids.ts';
import { Uuid } from '../../../wire/schema.ts';
import { connectorOrNull } from '../../providers/registry.ts';
import { configuredOrNull } from '../applications/configured.ts';
import { openExternalUser, openTokens, type Tokens } from './sealed.ts';

/** The job that tells providers of what a team has given back. */
export const revocationKind = jobKind({
  name: 'revoke_provider_tokens',
  payload: Type.Object({ team_id: Uuid }),
  placeOf: ({ team_id }) => team_id,
  key: ({ team_id }) => `revoke_provider_tokens ${team_id}`,
});

/** Where an address has the provider's own id of the user. */
export const USER = '{user}';

/** Tokens, and the provider's own id of their user; null: not known. What is kept of them until the provider was told. */
export type Kept = Pick<Tokens, 'access_token' | 'refresh_token'> & { external_user_id: string | null };

/** `credential_id` tells by which application they were given. */
type Of = { user_id: string; provider: string; credential_id: string | null };
type Ended = Of & { tokens: Buffer | null; external_user_id: Buffer | null };
type Unused = Of & { tokens: Omit<Kept, 'external_user_id'> } & Pick<Kept, 'external_user_id'>;

/** giveBack of the tokens of connections that have ended, as they were stored. */
export async function giveBackEnded(ctx: TxCtx<TeamCtx>, ended: Ended[]): Promise<void> {
  const unused = ended.flatMap(({ tokens: sealed, external_user_id, ...of }) => {
    const place = { team_id: ctx.team.id, id: `${of.user_id}/${of.provider}` };
    const tokens = openTokens(ctx, place, { tokens: sealed, tokens_expire_at: null });
    if (tokens === null) return [];
    return [{ ...of, tokens, external_user_id: openExternalUser(ctx, place, external_user_id) }];
  });
  await giveBack(ctx, unused);
}

/**
 * Has providers told that these tokens are used no more: the one way by which a token ends. In the transaction that leaves
 * them unused, after its change. They are kept without their users, and told of afterwards: a provider that is slow must hold
 * up no erasure. Some providers end everybody's connection to an account with any of its tokens, so nothing is told while
 * somebody is connected to the same account (`revoke.ts` looks when it tells), or this user to one that is not known.
 */
export async function giveBack(ctx: TxCtx<TeamCtx>, unused: Unused[]): Promise<void> {
  const rows = [];
  for (const { tokens, external_user_id, ...of } of unused) {
    const { provider, credential_id } = of;
    const revoke = connectorOrNull(provider)?.oauth.revoke;
    if (credential_id === null && !configuredOrNull(ctx.config, provider)) continue;
    if (!revoke || (revoke.url.includes(USER) && external_user_id === null)) continue;
    if (await mayBeConnected(ctx, of, external_user_id)) continue;
    const row = { team_id: ctx.team.id, id: newId() };
    const kept: Kept = {
      access_token: tokens.access_token,
      refresh_token: tokens.refresh_token,
      external_user_id,
    };
    const sealed = ctx.cipher.sealJson('token_revocations.tokens', row, kept);
    rows.push({ ...row, provider, credential_id, tokens: sealed });
  }
  if (rows.length === 0) return;
  await ctx.db.insertInto('token_revocations').values(rows).execute();
  await addJob(ctx.db, revocationKind, { team_id: ctx.team.id });
}

/** Whether the user is connected, by the same application, to what may be the same account, one of the two not being known. */
async function mayBeConnected(
  { db, team }: TxCtx<TeamCtx>,
  { user_id, provider, credential_id }: Of,
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
