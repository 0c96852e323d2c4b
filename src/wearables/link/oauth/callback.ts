import { recordAudit } from '../../../audit/record.ts';
import type { Ctx, FoundLinkSession, LinkCtx, TxCtx } from '../../../context.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { lockName } from '../../../db/session/named-lock.ts';
import { AppError } from '../../../errors.ts';
import type { BrowserAnswer } from '../../../http/media.ts';
import { findUser } from '../../../users/find.ts';
import { bringsAnything } from '../../connections/availability.ts';
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
import { giveBack } from '../../connections/tokens/give-back.ts';
import { schedulePulls } from '../../pulls/schedule.ts';
import type { LinkError, LinkOutcome } from '../outcome.ts';
import { goOn } from '../go-on.ts';
import { outcomePage } from '../page/outcome-page.ts';
import { findAskedScopes } from '../requirements/asked-scopes.ts';
import { consumeLinkSession, nameActor, findLinkSessionByIdOrNull } from '../session.ts';
import { callbackUrl } from './start.ts';
import { comeBack, tokenOf, type Return } from './state.ts';
import { ProviderRefused, ProviderUnavailable } from '../../providers/provider-errors.ts';

/** What a provider sends a user back with. */
export type Callback = { provider: string; cookie: string | null } & Record<
  'state' | 'code' | 'scope' | 'error',
  string | undefined
>;

/** Takes a user back from a provider's page: connects, and sends the browser on with what became of it. */
export async function finishOauth(ctx: Ctx, callback: Callback): Promise<BrowserAnswer> {
  const { provider, cookie, state = '' } = callback;
  const back = await comeBack(ctx, { state, provider, cookie });
  // Whose it was is nobody's to know, so there is nowhere else to go.
  if (!back) return outcomePage('invalid_token');
  const session = await findSessionOrNull(ctx, back, tokenOf(cookie));
  nameActor(ctx, session);
  if (!session?.ctx) return outcomePage(session?.ended ?? 'invalid_token');
  const outcome = await outcomeOf(session.ctx, callback, back);
  return goOn(session.ctx, outcome, back);
}

/** By the token of the cookie, so that a page can lead back to the choice; where that is of another link since, by what was kept. */
async function findSessionOrNull(
  ctx: Ctx,
  { link_token_id, user_id }: Return,
  token: string | null,
): Promise<FoundLinkSession | null> {
  const last = token === null ? null : await ctx.findLinkSessionOrNull(ctx, token);
  return last?.id === link_token_id ? last : findLinkSessionByIdOrNull(ctx, { id: link_token_id, user_id });
}

async function outcomeOf(ctx: LinkCtx, callback: Callback, back: Return): Promise<LinkOutcome> {
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
  { code_verifier, redirect_uri }: Return,
): Promise<GrantedTokens> {
  const { config } = ctx;
  const granted = await requestTokens(config, configured, {
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirect_uri ?? callbackUrl(config, provider),
    ...(code_verifier === null ? {} : { code_verifier }),
  });
  // What is granted as it was asked for need not be told (RFC 6749 5.1).
  const scopes =
    granted.granted_scopes ?? scopesOf(configured, scope) ?? (await findAskedScopes(ctx, configured.connector)).asked;
  return { ...granted, granted_scopes: scopes };
}

/** Connects by what was granted, which is given back where no connection comes of it, for whatever reason. */
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
    if (outcome !== 'success') await inTransaction(ctx, (ctx) => giveBack(ctx, [unused]));
  }
}

/** Whether it brings anything at all, and everything is granted that the team wants. */
async function isGranted(ctx: LinkCtx, { connector }: Configured, scopes: readonly string[] | null): Promise<boolean> {
  if (!bringsAnything(connector.slug, scopes)) return false;
  const { must } = await findAskedScopes(ctx, connector);
  return must.every((scope) => scopes === null || scopes.includes(scope));
}

/** One connection for one link token, also where a browser comes back twice at once. */
function connectOnce(
  ctx: LinkCtx,
  { connector: { slug }, own }: Configured,
  granted: GrantedTokens,
): Promise<LinkError | 'success'> {
  return inTransaction(ctx, async (ctx) => {
    // Before the token is used up: the user may try again with another account.
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
    // The user was deleted while the provider was asked.
    if (error instanceof AppError) return 'invalid_token';
    throw error;
  });
}

/** Whether another user of the team has connected the same account. Of two that come at once the second waits. */
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
