import { Type, type Static } from 'typebox';
import type { Config } from '../../../config/options.ts';
import type { Ctx, TeamCtx, TxCtx } from '../../../context.ts';
import { addJob, defineJob } from '../../../db/define-job.ts';
import { newId } from '../../../ids.ts';
import { ask } from '../../../outbound/ask.ts';
import { findTeamScope, forTeam } from '../../../tenancy/teams/scope.ts';
import { Uuid } from '../../../wire/schema.ts';
import { addressAt, configuredOrNull, type Configured } from '../providers/configured.ts';
import type { Revocation } from '../providers/connector.ts';
import { hookAddress } from '../subscriptions/address.ts';
import { askInName, isTokenRefused } from '../subscriptions/ask-provider.ts';
import { ProviderRefused, renewTokens } from './request-tokens.ts';
import { openExternalUser, openTokens, type Tokens } from './sealed.ts';

const Payload = Type.Object({ team_id: Uuid });
const name = 'revoke_provider_tokens';
const AT_ONCE = 20;
/** Where an address has the provider's own id of the user. */
const USER = '{user}';
/** Of a connection that ended: what a provider does not take by then ends by itself. */
const MOST_TRIES = 5;
const NEXT_TRY_SECONDS = 300;

type Ended = { user_id: string; provider: string; tokens: Buffer | null; external_user_id: Buffer | null };
/** Tokens, and the provider's own id of their user; null: not known. */
type Kept = Pick<Tokens, 'access_token' | 'refresh_token'> & { external_user_id: string | null };
export type Given = { provider: string; tokens: Omit<Kept, 'external_user_id'>; external_user_id: string | null };

/**
 * In the transaction that ends connections: keeps their tokens, without their users, until the provider has been told.
 * It is told afterwards, since a provider that is slow must hold up no erasure.
 */
export async function revokeLater(ctx: TxCtx<TeamCtx>, ended: Ended[]): Promise<void> {
  const given = ended.flatMap(({ user_id, provider, tokens, external_user_id }) => {
    const place = { team_id: ctx.team.id, id: `${user_id}/${provider}` };
    const opened = openTokens(ctx, place, { tokens, tokens_expire_at: null });
    return opened === null
      ? []
      : [{ provider, tokens: opened, external_user_id: openExternalUser(ctx, place, external_user_id) }];
  });
  await giveBackLater(ctx, given);
}

/** Has providers told that these tokens are used no more. */
export async function giveBackLater(ctx: TxCtx<TeamCtx>, given: Given[]): Promise<void> {
  const rows = given.flatMap(({ provider, tokens: { access_token, refresh_token }, external_user_id }) => {
    const revoke = configuredOrNull(ctx.config, provider)?.connector.oauth.revoke;
    if (!revoke || (revoke.url.includes(USER) && external_user_id === null)) return [];
    const row = { team_id: ctx.team.id, id: newId() };
    const kept: Kept = { access_token, refresh_token, external_user_id };
    return [{ ...row, provider, tokens: ctx.cipher.sealJson('token_revocations.tokens', row, kept) }];
  });
  if (rows.length === 0) return;
  await ctx.db.insertInto('token_revocations').values(rows).execute();
  await addJob(ctx.db, { name, payload: Payload }, { team_id: ctx.team.id }, { key: `${name} ${ctx.team.id}` });
}

/** Tells providers of the connections that ended. */
export const tokenRevocation = defineJob({
  name,
  payload: Payload,
  run: async (ctx: Ctx, { team_id }: Static<typeof Payload>) => {
    const team = await findTeamScope(ctx, team_id);
    if (team === null) return;
    const scoped = forTeam(ctx, team);
    if (!(await revokePending(scoped))) return;
    await ctx.db
      .transaction()
      .execute((tx) =>
        addJob(
          tx,
          { name, payload: Payload },
          { team_id },
          { key: `${name} ${team_id}`, delaySeconds: NEXT_TRY_SECONDS },
        ),
      );
  },
});

/** Tells providers of the team's ended connections, a few at once; whether some are left for another try. */
export async function revokePending(ctx: TeamCtx): Promise<boolean> {
  for (;;) {
    // The try is counted before it is made: one that ends the process is not made for ever.
    const rows = await ctx.db
      .updateTable('token_revocations')
      .set((eb) => ({ tries: eb('tries', '+', 1) }))
      .where('team_id', '=', ctx.team.id)
      .where('id', 'in', (query) =>
        query
          .selectFrom('token_revocations')
          .select('id')
          .where('team_id', '=', ctx.team.id)
          .orderBy('tries')
          .orderBy('id')
          .limit(AT_ONCE),
      )
      .returning(['id', 'team_id', 'provider', 'tokens', 'tries'])
      .execute();
    const told = await Promise.all(rows.map((row) => tell(ctx, row)));
    const done = rows.filter((row, n) => told[n] || row.tries >= MOST_TRIES).map(({ id }) => id);
    if (done.length > 0) {
      await ctx.db.deleteFrom('token_revocations').where('team_id', '=', ctx.team.id).where('id', 'in', done).execute();
    }
    if (done.length < rows.length) return true;
    if (rows.length < AT_ONCE) return false;
  }
}

type Row = { id: string; team_id: string; provider: string; tokens: Buffer };

/** Whether the provider has heard of it: also where it says that the token is none, or any more. */
async function tell(ctx: TeamCtx, row: Row): Promise<boolean> {
  const configured = configuredOrNull(ctx.config, row.provider);
  const revoke = configured?.connector.oauth.revoke;
  if (!configured || !revoke) return true;
  const kept = ctx.cipher.openJson<Kept>('token_revocations.tokens', row, row.tokens);
  try {
    let status = await askToRevoke(ctx.config, configured, revoke, kept);
    // An access token that has ended revokes nothing: the agreement would go on.
    if (status === 401 && revoke.token === 'access' && kept.refresh_token !== null) {
      const { tokens } = await renewTokens(ctx.config, configured, kept.refresh_token);
      const { access_token, refresh_token } = tokens;
      const renewed = { ...kept, access_token, refresh_token: refresh_token ?? kept.refresh_token };
      await keep(ctx, row, renewed);
      status = await askToRevoke(ctx.config, configured, revoke, renewed);
    }
    return status < 500 && status !== 429;
  } catch (error) {
    return error instanceof ProviderRefused;
  }
}

/** For the next try: a refresh token is good for one use. */
async function keep(ctx: TeamCtx, row: Row, kept: Kept): Promise<void> {
  const tokens = ctx.cipher.sealJson('token_revocations.tokens', row, kept);
  await ctx.db
    .updateTable('token_revocations')
    .set({ tokens })
    .where('team_id', '=', ctx.team.id)
    .where('id', '=', row.id)
    .execute();
}

async function askToRevoke(
  config: Config,
  configured: Configured,
  revoke: Revocation,
  { access_token, refresh_token, external_user_id }: Kept,
): Promise<number> {
  const url = addressAt(config, configured, revoke.url.replace(USER, encodeURIComponent(external_user_id ?? '')));
  if (revoke.token_in === 'header') {
    if (revoke.forms) return endTelling(config, configured, revoke, access_token);
    const headers = { authorization: `Bearer ${access_token}` };
    return (await ask(config, { method: 'DELETE', url, headers })).status;
  }
  const token = revoke.token === 'refresh' ? (refresh_token ?? access_token) : access_token;
  const parameters = new URLSearchParams({ [revoke.parameter]: token }).toString();
  const { status } = await ask(config, {
    method: 'POST',
    url: revoke.token_in === 'query' ? `${url}?${parameters}` : url,
    ...(revoke.token_in === 'body'
      ? { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: parameters }
      : {}),
  });
  return status;
}

/** Nothing was told to an address that nobody can reach, and what is told no more need not be ended. */
async function endTelling(
  config: Config,
  configured: Configured,
  { url, forms = () => [] }: Extract<Revocation, { token_in: 'header' }>,
  token: string,
): Promise<number> {
  const hook = hookAddress(config, configured, false);
  for (const form of hook === null ? [] : forms(hook)) {
    try {
      await askInName(config, configured, token, { method: 'POST', url, form });
    } catch (error) {
      if (isTokenRefused(error)) return 401;
      if (!(error instanceof ProviderRefused)) throw error;
    }
  }
  return 200;
}
