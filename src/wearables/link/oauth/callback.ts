import { recordAudit } from '../../../audit/record-audit.ts';
import type { Ctx, FoundLinkSession, LinkCtx, TxCtx } from '../../../context.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { lockName } from '../../../db/session/named-lock.ts';
import { AppError } from '../../../errors.ts';
import type { BrowserResponse } from '../../../operation/media.ts';
import { findUser } from '../../../users/find.ts';
import { bringsAnything } from '../../connections/resource-availability.ts';
import { connect } from '../../connections/connect.ts';
import { applicationOf } from '../../connections/applications/find-application.ts';
import type { Configured } from '../../connections/applications/configured.ts';
import {
  askIdentity,
  registerUser,
  requestTokens,
  scopesOf,
  type GrantedTokens,
} from '../../connections/tokens/request-tokens.ts';
import { queueRevocations } from '../../connections/tokens/queue-revocations.ts';
import { schedulePulls } from '../../pulls/schedule-pulls.ts';
import type { LinkError, LinkOutcome } from '../link-outcome.ts';
import { redirectWithOutcome } from '../redirect-with-outcome.ts';
import { outcomePage } from '../page/outcome-page.ts';
import { findAskedScopes } from '../requirements/asked-scopes.ts';
import { consumeLinkSession, findLinkSessionByIdOrNull, findLinkSessionOrNull, nameActor } from '../session.ts';
import { callbackUrl } from './start-oauth.ts';
import { consumeState, tokenOf, type ReturnedState } from './state.ts';
import { ProviderRefused, ProviderUnavailable } from '../../providers/provider-errors.ts';

/** The query parameters with which a provider sends the user back. */
export type Callback = { provider: string; cookie: string | null } & Record<
  'state' | 'code' | 'scope' | 'error',
  string | undefined
>;

/**
 * Handles the return of a user from a provider's page. Connects the user, and redirects the browser with the outcome.
 */
export async function finishOauth(ctx: Ctx, callback: Callback): Promise<BrowserResponse> {
  const { provider, cookie, state = '' } = callback;
  const back = await consumeState(ctx, { state, provider, cookie });
  // The state leads to the link token. Without it we know no address to which we could redirect.
  if (!back) return outcomePage('invalid_token');
  const session = await findSessionOrNull(ctx, back, tokenOf(cookie));
  nameActor(ctx, session);
  if (!session?.ctx) return outcomePage(session?.ended ?? 'invalid_token');
  const outcome = await outcomeOf(session.ctx, callback, back);
  return redirectWithOutcome(session.ctx, outcome, back);
}

/**
 * Finds the session by the link token in the cookie. The last page needs this token for its link back to the choice of
 * providers. If the browser has meanwhile started with another link token, finds the session by the stored id.
 */
async function findSessionOrNull(
  ctx: Ctx,
  { link_token_id, user_id }: ReturnedState,
  token: string | null,
): Promise<FoundLinkSession | null> {
  const last = token === null ? null : await findLinkSessionOrNull(ctx, token);
  return last?.id === link_token_id ? last : findLinkSessionByIdOrNull(ctx, { id: link_token_id, user_id });
}

async function outcomeOf(ctx: LinkCtx, callback: Callback, back: ReturnedState): Promise<LinkOutcome> {
  const configured = await applicationOf(ctx, { provider: callback.provider, credential_id: back.credential_id });
  if (!configured) return 'provider_api_error';
  if (callback.error !== undefined) return callback.error === 'access_denied' ? 'user_cancelled' : 'provider_api_error';
  if (!callback.code) return 'provider_api_error';
  try {
    return await connectBy(ctx, configured, await grantedTokens(ctx, configured, callback, back));
  } catch (error) {
    if (!(error instanceof ProviderRefused || error instanceof ProviderUnavailable)) throw error;
    ctx.log.warn({ provider: callback.provider, code: error.code }, 'a provider gave no tokens for a connection');
    return 'provider_api_error';
  }
}

async function grantedTokens(
  ctx: LinkCtx,
  configured: Configured,
  { provider, code = '', scope }: Callback,
  { code_verifier, redirect_uri }: ReturnedState,
): Promise<GrantedTokens> {
  const { config } = ctx;
  const granted = await requestTokens(config, configured, {
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirect_uri ?? callbackUrl(config, provider),
    ...(code_verifier === null ? {} : { code_verifier }),
  });
  // RFC 6749 section 5.1: a provider may omit the granted scopes if they are those that we requested.
  const scopes =
    granted.granted_scopes ?? scopesOf(configured, scope) ?? (await findAskedScopes(ctx, configured.connector)).asked;
  return { ...granted, granted_scopes: scopes };
}

/** Connects the user with the granted tokens. Revokes the tokens if this makes no connection, whatever the reason. */
async function connectBy(ctx: LinkCtx, configured: Configured, granted: GrantedTokens): Promise<LinkOutcome> {
  const { config, link } = ctx;
  const { slug } = configured.connector;
  const { access_token } = granted.tokens;
  let { external_user_id } = granted;
  let outcome: LinkOutcome | null = null;
  try {
    await registerUser(config, configured, access_token);
    external_user_id ??= await askIdentity(config, configured, access_token);
    outcome = (await isGranted(ctx, configured, granted.granted_scopes))
      ? await connectOnce(ctx, configured, { ...granted, external_user_id })
      : 'required_scopes_not_granted';
    return outcome;
  } finally {
    const credential_id = configured.own?.credential_id ?? null;
    const unused = { user_id: link.user.id, provider: slug, credential_id, tokens: granted.tokens, external_user_id };
    if (outcome !== 'success') await inTransaction(ctx, (ctx) => queueRevocations(ctx, [unused]));
  }
}

/** Whether the granted scopes allow at least one resource and include all scopes that the team requires. */
async function isGranted(ctx: LinkCtx, { connector }: Configured, scopes: readonly string[] | null): Promise<boolean> {
  if (!bringsAnything(connector.slug, scopes)) return false;
  const { must } = await findAskedScopes(ctx, connector);
  return must.every((scope) => scopes === null || scopes.includes(scope));
}

/** Makes only one connection with a link token, even if a browser returns twice at the same time. */
function connectOnce(
  ctx: LinkCtx,
  { connector: { slug }, own }: Configured,
  granted: GrantedTokens,
): Promise<LinkError | 'success'> {
  return inTransaction(ctx, async (ctx) => {
    // This check comes before we mark the link token as used. So the user can try again with another account.
    if (ctx.team.settings.reject_duplicate_connection && (await isTaken(ctx, slug, granted.external_user_id)))
      return 'duplicate_connection';
    if (!(await consumeLinkSession(ctx))) return 'token_consumed';
    const user = await findUser(ctx, ctx.link.user.id);
    const credential_id = own?.credential_id ?? null;
    const { granted_scopes, external_user_id } = granted;
    await connect(ctx, ctx.link.user, slug, { ...granted, credential_id, proven: external_user_id !== null });
    await schedulePulls(ctx, user, { provider: slug, demo: false, granted_scopes, credential_id });
    await recordAudit(ctx, {
      org_id: ctx.team.org_id,
      team_id: ctx.team.id,
      action: 'connection.created',
      actor: 'link_token',
      records: [ctx.link.user.id, ctx.link.id],
    });
    return 'success' as const;
  }).catch((error: unknown) => {
    // Another request has deleted the user while we waited for the provider.
    if (error instanceof AppError) return 'invalid_token';
    throw error;
  });
}

/**
 * Whether another user of the team has connected the same account. If two calls run at the same time, the second one
 * waits.
 */
async function isTaken(
  { db, team, link, cipher }: TxCtx<LinkCtx>,
  provider: string,
  id: string | null,
): Promise<boolean> {
  if (id === null) return false;
  const hash = cipher.lookupHash('external_user', provider, id);
  await lockName(db, 'account at a provider', team.id, hash.toString('hex'));
  const other = await db
    .selectFrom('connections')
    .select('user_id')
    .where('provider', '=', provider)
    .where('external_user_hash', '=', hash)
    .where('team_id', '=', team.id)
    .where('user_id', '!=', link.user.id)
    .limit(1)
    .executeTakeFirst();
  return other !== undefined;
}
