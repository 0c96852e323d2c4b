import { buildAuthorizationUrl, calculatePKCECodeChallenge } from 'openid-client';
import type { Ctx } from '../../../context.ts';
import type { BrowserResponse } from '../../../operation/media.ts';
import { checksOfOrNull, newBrowserSecret, type Checks } from './browser-secret.ts';
import { findIssuer } from './issuer.ts';
import { failed, signInPageWith } from './problems.ts';

export const START = '/openid/start';
export const CALLBACK = '/openid/callback';

/** Leads the browser to the issuer, or back to the page for signing in if the issuer does not answer. */
export async function startOpenid(ctx: Ctx): Promise<BrowserResponse> {
  const { openid, baseUrl } = ctx.config;
  if (openid === null) return signInPageWith('openid_unavailable');
  try {
    const issuer = await findIssuer(ctx.config, openid);
    const cookie = newBrowserSecret(ctx);
    const { state, nonce, verifier } = checksOfOrNull(ctx, cookie.value) as Checks;
    const url = buildAuthorizationUrl(issuer, {
      redirect_uri: baseUrl + CALLBACK,
      scope: 'openid email',
      state,
      nonce,
      code_challenge: await calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    return { redirect: url.href, cookie };
  } catch (error) {
    return failed(ctx, error, 'openid_unavailable');
  }
}
