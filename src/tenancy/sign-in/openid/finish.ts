import { authorizationCodeGrant, fetchUserInfo } from 'openid-client';
import type { Config } from '../../../config/options.ts';
import type { Ctx } from '../../../context.ts';
import { acrossTeams, boundToOrg } from '../../../db/session/bind.ts';
import { inTransaction } from '../../../db/transaction.ts';
import type { BrowserResponse } from '../../../operation/media.ts';
import { isEmail } from '../../../wire/forms/email.ts';
import { findMembersByAddress, type FoundMember } from '../../members/find-by-address.ts';
import { addressHash } from '../../members/person.ts';
import { createSession } from '../../sessions/create-session.ts';
import { createSignInLink } from '../../sessions/create-sign-in-link.ts';
import { sessionCookie } from '../../sessions/session-cookie.ts';
import { checksOfOrNull, type Checks } from './browser-secret.ts';
import { choosePage } from './choose-page.ts';
import { findIssuer } from './issuer.ts';
import { failed, signInPageWith } from './problems.ts';
import { CALLBACK } from './start.ts';

/** What the issuer adds to the address of the return. */
export type Returned = Partial<Record<'code' | 'state' | 'iss' | 'error', string>>;
type Claims = { [name: string]: unknown; email?: unknown; email_verified?: unknown };

/** How long the links on the page last on which a member of several organisations chooses one. */
const CHOICE_SECONDS = 300;

/**
 * Signs in the member with the verified address of an account at the issuer. Nobody becomes a member by this. Every
 * problem leads to the page for signing in.
 */
export async function finishOpenid(
  ctx: Ctx,
  { returned, cookie }: { returned: Returned; cookie: string | null },
): Promise<BrowserResponse> {
  const { openid } = ctx.config;
  const checks = checksOfOrNull(ctx, cookie);
  if (openid === null) return signInPageWith('openid_unavailable');
  if (checks === null || checks.state !== returned.state) return signInPageWith('openid_failed');
  if (returned.error !== undefined) return signInPageWith('openid_refused');
  let claims: Claims;
  try {
    claims = await redeem(ctx.config, openid, { returned, checks });
  } catch (error) {
    return failed(ctx, error, 'openid_failed');
  }
  const { email, email_verified } = claims;
  if (typeof email !== 'string' || email_verified !== true) return signInPageWith('email_not_verified');
  // No member has another address, but its lower case may be the address of a member.
  if (!isEmail(email)) return signInPageWith('no_member');
  return signIn(ctx, email);
}

/** Exchanges the code for an ID token. Issuers may leave the address out of it, and tell it at another endpoint. */
async function redeem(
  config: Config,
  openid: NonNullable<Config['openid']>,
  { returned, checks: { state, nonce, verifier } }: { returned: Returned; checks: Checks },
): Promise<Claims> {
  const issuer = await findIssuer(config, openid);
  const url = new URL(config.baseUrl + CALLBACK);
  for (const [name, value] of Object.entries(returned)) url.searchParams.set(name, value);
  const tokens = await authorizationCodeGrant(issuer, url, {
    pkceCodeVerifier: verifier,
    expectedState: state,
    expectedNonce: nonce,
    idTokenExpected: true,
  });
  const claims = tokens.claims();
  if (claims === undefined) return {};
  return claims['email'] === undefined ? fetchUserInfo(issuer, tokens.access_token, claims.sub) : claims;
}

function signIn(ctx: Ctx, email: string): Promise<BrowserResponse> {
  return inTransaction(acrossTeams(ctx), async (tx) => {
    const members = await findMembersByAddress(tx, addressHash(tx, email));
    const [member] = members;
    if (!member) return signInPageWith('no_member');
    if (members.length > 1) {
      const choices: { name: string; url: string }[] = [];
      for (const each of members) {
        const { url } = await createSignInLink(boundToOrg(tx, each.org_id), personOf(each), CHOICE_SECONDS);
        choices.push({ name: each.org_name, url });
      }
      return choosePage(choices);
    }
    const session = await createSession(tx, personOf(member));
    const { id: person_id, org_id } = member;
    ctx.line?.actor({ kind: 'session', id: session.id, org_id, team_id: null, person_id }, [person_id]);
    return { redirect: '/dashboard', cookie: sessionCookie(ctx, session.token) };
  });
}

const personOf = ({ org_id, id }: FoundMember) => ({ org_id, member_id: id, ehr_member_id: null });
