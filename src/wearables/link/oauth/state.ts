import { createHash, randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { Ctx, LinkCtx } from '../../../context.ts';
import { acrossTeams } from '../../../db/session/bind.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { newId } from '../../../ids.ts';
import type { OwnApplication } from '../../connections/applications/configured.ts';
import { hashKey, readToken } from '../../../tenancy/keys/key-value.ts';

const MINUTES = 15;
/** Of one link token at a time: who goes back and forth leaves the oldest behind. */
const MOST_STATES = 10;
const SECRET = /^[A-Za-z0-9_-]{43}$/;
/** Between the browser's secret and the link token in the cookie. */
const BESIDE = '.';

const secret = (): string => randomBytes(32).toString('base64url');

/** Until when the cookie and the state last. */
export const STATE_SECONDS = MINUTES * 60;

/** What a user leaves for a provider's page with. */
export type Departure = {
  state: string;
  /** What the browser keeps: its own secret, which it has already if it has left before, and the link token that it left with last. */
  cookie: string;
  /** Of PKCE (RFC 7636), as the authorisation takes it; null where the provider knows it not. */
  code_challenge: string | null;
};

type Leaving = {
  provider: string;
  /** The team's own application that the user is to agree with; null: this deployment's. */
  own: OwnApplication | null;
  pkce: boolean;
  cookie: string | null;
  token: string;
  from_page: boolean;
};

/** Keeps who leaves, for which provider and application, and with which browser. */
export function depart(ctx: LinkCtx, { provider, own, pkce, cookie, token, from_page }: Leaving): Promise<Departure> {
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
         order by id desc offset ${MOST_STATES})`.execute(ctx.db);
    return {
      state,
      cookie: `${browser}${BESIDE}${token}`,
      code_challenge: verifier === null ? null : createHash('sha256').update(verifier).digest('base64url'),
    };
  });
}

/** The secret of the browser, as its cookie has it; null where there is none. */
function browserOf(cookie: string | null): string | null {
  const [browser = ''] = cookie?.split(BESIDE) ?? [];
  return SECRET.test(browser) ? browser : null;
}

/** The link token that a browser has left with last; null where it has none. */
export function tokenOf(cookie: string | null): string | null {
  const token = cookie?.split(BESIDE)[1] ?? '';
  return readToken(token) === 'link' ? token : null;
}

/** Who has come back. */
export type Return = {
  user_id: string;
  link_token_id: string;
  from_page: boolean;
  code_verifier: string | null;
  /** The team's own application that the user has left for; null: this deployment's. */
  credential_id: string | null;
  /** Where the provider was told to send the user back; null: to us. */
  redirect_uri: string | null;
};

/** Takes a state away, whoever brings it. Null where it is none, has ended, or is of another provider or browser. */
export async function comeBack(
  ctx: Ctx,
  { state, provider, cookie }: { state: string; provider: string; cookie: string | null },
): Promise<Return | null> {
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
