import type { Ctx } from '../../../context.ts';
import type { BrowserResponse } from '../../../operation/media.ts';

/** Why nobody was signed in. The page for signing in has a text for each. */
type Problem = 'openid_unavailable' | 'openid_refused' | 'openid_failed' | 'email_not_verified' | 'no_member';

/** Leads to the page for signing in. The address of the page never comes from a request. */
export const signInPageWith = (problem: Problem): BrowserResponse => ({
  redirect: `/dashboard/sign-in?problem=${problem}`,
});

/** Logs why the issuer could not be used, by the code of the library. Messages may quote what the issuer sent. */
export function failed({ log }: Pick<Ctx, 'log'>, error: unknown, problem: Problem): BrowserResponse {
  const { code, name, cause } = error as { code?: unknown; name?: string; cause?: { code?: unknown } };
  const reason = [code, cause?.code].find((text) => typeof text === 'string') ?? name ?? 'unknown';
  log.warn({ reason, problem }, 'a sign-in by OpenID Connect failed');
  return signInPageWith(problem);
}
