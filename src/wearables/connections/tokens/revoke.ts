import { sql } from 'kysely';
import type { Config } from '../../../config/options.ts';
import type { TeamCtx } from '../../../context.ts';
import { addJob } from '../../../db/define-job.ts';
import { acrossTeams } from '../../../db/session/bind.ts';
import { ask } from '../../../outbound/ask.ts';
import { defineTeamJob } from '../../../tenancy/teams/define-team-job.ts';
import { applicationOf } from '../applications/find-application.ts';
import { addressAt, configuredOrNull, type Configured } from '../applications/configured.ts';
import type { Revocation } from '../../providers/connector.ts';
import { hookAddress } from '../applications/hook-address.ts';
import { askInName, isTokenRefused } from '../applications/ask-provider.ts';
import { revocationKind, USER, type RevocableTokens } from './queue-revocations.ts';
import { renewTokens } from './request-tokens.ts';
import { ProviderRefused } from '../../providers/provider-errors.ts';

const AT_ONCE = 20;
/** How many times we try to revoke a token. After that we leave the token to expire. */
const MAX_TRIES = 5;
const NEXT_TRY_SECONDS = 300;

/** The job that notifies providers about connections that have ended. */
export const tokenRevocation = defineTeamJob({
  ...revocationKind,
  run: async (ctx, { team_id }) => {
    if (!(await revokePending(ctx))) return;
    await ctx.db
      .transaction()
      .execute((tx) => addJob(tx, revocationKind, { team_id }, { delaySeconds: NEXT_TRY_SECONDS }));
  },
});

/**
 * Notifies providers about the team's ended connections, several at the same time. Returns whether some of them need
 * another try.
 */
export async function revokePending(ctx: TeamCtx): Promise<boolean> {
  for (;;) {
    // We count the try before we make it. If we counted afterwards, a try that crashes the process would not count and
    // would be repeated forever.
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
      .returning(['id', 'team_id', 'provider', 'credential_id', 'tokens', 'tries'])
      .execute();
    const revoked = await Promise.all(rows.map((row) => revokeAtProvider(ctx, row)));
    const done = rows.filter((row, n) => revoked[n] || row.tries >= MAX_TRIES).map(({ id }) => id);
    if (done.length > 0) {
      await ctx.db.deleteFrom('token_revocations').where('team_id', '=', ctx.team.id).where('id', 'in', done).execute();
    }
    if (done.length < rows.length) return true;
    if (rows.length < AT_ONCE) return false;
  }
}

type Row = { id: string; team_id: string; provider: string; credential_id: string | null; tokens: Buffer };

/**
 * Revokes the tokens of a row at the provider. Returns true if no other try is needed: the provider has responded, even
 * if it does not know the token, or Phial must not notify it. Returns false if the provider could not be reached.
 */
async function revokeAtProvider(ctx: TeamCtx, row: Row): Promise<boolean> {
  const configured = await applicationOf(ctx, row);
  const revoke = configured?.connector.oauth.revoke;
  if (!configured || !revoke) return true;
  const revocable = ctx.cipher.openJson<RevocableTokens>('token_revocations.tokens', row, row.tokens);
  if (await isConnectedTo(ctx, configured, revocable.external_user_id)) return true;
  try {
    let status = await askToRevoke(ctx.config, configured, revoke, revocable);
    // The access token has expired, so it cannot revoke anything. We renew it first, or the agreement would continue.
    if (status === 401 && revoke.token === 'access' && revocable.refresh_token !== null) {
      const { tokens } = await renewTokens(ctx.config, configured, revocable.refresh_token);
      const { access_token, refresh_token } = tokens;
      const renewed = { ...revocable, access_token, refresh_token: refresh_token ?? revocable.refresh_token };
      await storeRenewed(ctx, row, renewed);
      status = await askToRevoke(ctx.config, configured, revoke, renewed);
    }
    return status < 500 && status !== 429;
  } catch (error) {
    return error instanceof ProviderRefused;
  }
}

/**
 * Whether anybody is connected to the account by the same application. Several teams may use one application, and the
 * provider does not know our teams. If a team has stated the account's id and the provider has not confirmed it, this
 * connection does not count. Otherwise a team could prevent revocations by inventing ids.
 */
async function isConnectedTo(
  ctx: TeamCtx,
  { connector: { slug: provider }, client }: Configured,
  external_user_id: string | null,
): Promise<boolean> {
  if (external_user_id === null) return false;
  const ofDeployment = configuredOrNull(ctx.config, provider)?.client.id ?? null;
  const connection = await acrossTeams(ctx)
    .db.selectFrom('connections')
    .leftJoin('team_credentials', (join) =>
      join
        .onRef('team_credentials.team_id', '=', 'connections.team_id')
        .onRef('team_credentials.id', '=', 'connections.credential_id'),
    )
    .select('status')
    .where('connections.provider', '=', provider)
    .where(sql<boolean>`coalesce(team_credentials.client_id, ${ofDeployment}) = ${client.id}`)
    .where('external_user_hash', '=', ctx.cipher.lookupHash('external_user', provider, external_user_id))
    .where((eb) => eb.or([eb('connections.team_id', '=', ctx.team.id), eb('account_proven', '=', true)]))
    .where('tokens', 'is not', null)
    .where('status', '!=', 'error')
    .limit(1)
    .executeTakeFirst();
  return connection !== undefined;
}

/** Stores the renewed tokens for the next try, because the refresh token that we used works only once. */
async function storeRenewed(ctx: TeamCtx, row: Row, renewed: RevocableTokens): Promise<void> {
  const tokens = ctx.cipher.sealJson('token_revocations.tokens', row, renewed);
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
  { access_token, refresh_token, external_user_id }: RevocableTokens,
): Promise<number> {
  const url = addressAt(config, configured, revoke.url.replace(USER, encodeURIComponent(external_user_id ?? '')));
  if (revoke.token_in === 'header') {
    if (revoke.forms) return endSubscriptions(config, configured, revoke, access_token);
    const headers = { authorization: `Bearer ${access_token}` };
    return (await ask(config, { method: 'DELETE', url, headers }, { onlyStatus: true })).status;
  }
  const token = revoke.token === 'refresh' ? (refresh_token ?? access_token) : access_token;
  const parameters = new URLSearchParams({ [revoke.parameter]: token }).toString();
  const question = {
    method: 'POST',
    url: revoke.token_in === 'query' ? `${url}?${parameters}` : url,
    ...(revoke.token_in === 'body'
      ? { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: parameters }
      : {}),
  } as const;
  return (await ask(config, question, { onlyStatus: true })).status;
}

/**
 * Ends the subscriptions to notifications about the user. If no provider can reach this deployment, there are none. If
 * the provider responds that it does not know a subscription, the subscription has ended.
 */
async function endSubscriptions(
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
