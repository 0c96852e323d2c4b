import { createHash, randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { Ctx, LinkCtx } from '../../../context.ts';
import { acrossTeams } from '../../../db/session/bind.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { newId } from '../../../ids.ts';
import type { OwnApplication } from '../../connections/applications/configured.ts';
import { hashKey, readToken } from '../../../tenancy/keys/key-value.ts';

const MINUTES = 15;
/**
 * The most states of one link token. A state is the random value of RFC 6749 that a provider returns with the user. If
 * a user starts more often, the oldest state is deleted.
 */
const MAX_STATES = 10;
const SECRET = /^[A-Za-z0-9_-]{43}$/;
/** The character in the cookie between the secret of the browser and the link token. */
const BESIDE = '.';

const secret = (): string => randomBytes(32).toString('base64url');

/** How long the cookie and the state are valid. */
export const STATE_SECONDS = MINUTES * 60;

/** What a browser gets when we redirect it to a provider's page. */
export type StartedAuthorization = {
  state: string;
  /**
   * The value of the browser's cookie: the secret of the browser, and the link token of this redirect. If the browser
   * has a secret already, it keeps this secret.
   */
  cookie: string;
  /** The PKCE challenge (RFC 7636) for the authorization request; null if the provider does not support PKCE. */
  code_challenge: string | null;
};

type OAuthRequest = {
  provider: string;
  /** The team's own application, to which the user will grant access; null for this deployment's application. */
  own: OwnApplication | null;
  pkce: boolean;
  cookie: string | null;
  token: string;
  from_page: boolean;
};

/** Stores a state with the user, the provider, the application, and a hash of the browser's secret. */
export function storeState(
  ctx: LinkCtx,
  { provider, own, pkce, cookie, token, from_page }: OAuthRequest,
): Promise<StartedAuthorization> {
  const browser = browserOf(cookie) ?? secret();
  const state = secret();
  const verifier = pkce ? secret() : null;
  const row = { team_id: ctx.team.id, id: newId() };
  return inTransaction(ctx, async (ctx) => {
    await ctx.db
      .insertInto('oauth_states')
      .values({
        ...row,
        user_id: ctx.link.user.id,
        state_hash: hashKey(state),
        browser_hash: hashKey(browser),
        provider,
        credential_id: own?.credential_id ?? null,
        redirect_uri: own?.redirect_url ?? null,
        link_token_id: ctx.link.id,
        from_page,
        code_verifier: verifier === null ? null : ctx.cipher.sealText('oauth_states.code_verifier', row, verifier),
        expires_at: sql<string>`now() + make_interval(mins => ${MINUTES})`,
      })
      .execute();
    await sql`
      delete from oauth_states where user_id = ${ctx.link.user.id} and team_id = ${ctx.team.id} and id in (
        select id from oauth_states where user_id = ${ctx.link.user.id} and link_token_id = ${ctx.link.id}
         order by id desc offset ${MAX_STATES})`.execute(ctx.db);
    return {
      state,
      cookie: `${browser}${BESIDE}${token}`,
      code_challenge: verifier === null ? null : createHash('sha256').update(verifier).digest('base64url'),
    };
  });
}

/** Returns the secret of the browser from its cookie; null if there is none. */
function browserOf(cookie: string | null): string | null {
  const [browser = ''] = cookie?.split(BESIDE) ?? [];
  return SECRET.test(browser) ? browser : null;
}

/** Returns the link token of the browser's last redirect; null if there is none. */
export function tokenOf(cookie: string | null): string | null {
  const token = cookie?.split(BESIDE)[1] ?? '';
  return readToken(token) === 'link' ? token : null;
}

/** The stored state of a user who has returned from a provider. */
export type ReturnedState = {
  user_id: string;
  link_token_id: string;
  from_page: boolean;
  code_verifier: string | null;
  /** The team's own application for which we redirected the user; null for this deployment's application. */
  credential_id: string | null;
  /** The address to which the provider was to send the user back; null for our own address. */
  redirect_uri: string | null;
};

/**
 * Deletes a state and returns it. Returns null if the state is unknown, has expired, or belongs to another provider or
 * browser. A state that the wrong browser brings is deleted too.
 */
export async function consumeState(
  ctx: Ctx,
  { state, provider, cookie }: { state: string; provider: string; cookie: string | null },
): Promise<ReturnedState | null> {
  if (!SECRET.test(state)) return null;
  const {
    rows: [row],
  } = await sql<{
    id: string;
    team_id: string;
    user_id: string;
    link_token_id: string;
    from_page: boolean;
    provider: string;
    browser_hash: Buffer;
    code_verifier: Buffer | null;
    credential_id: string | null;
    redirect_uri: string | null;
    expired: boolean;
  }>`
    delete from oauth_states where state_hash = ${hashKey(state)}
    returning id, team_id, user_id, link_token_id, from_page, provider, browser_hash, code_verifier,
      credential_id, redirect_uri, expires_at <= now() as expired`.execute(acrossTeams(ctx).db);
  if (!row || row.expired || row.provider !== provider) return null;
  const browser = browserOf(cookie);
  if (browser === null || !hashKey(browser).equals(row.browser_hash)) return null;
  const { user_id, link_token_id, from_page, code_verifier, credential_id, redirect_uri } = row;
  return {
    user_id,
    link_token_id,
    from_page,
    credential_id,
    redirect_uri,
    code_verifier: code_verifier && ctx.cipher.openText('oauth_states.code_verifier', row, code_verifier),
  };
}
