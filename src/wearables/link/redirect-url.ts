import type { LinkCtx, TeamCtx } from '../../context.ts';
import { AppError } from '../../errors.ts';
import { outcomeText, type LinkOutcome } from './link-outcome.ts';

const LOOPBACK = /^((.*\.)?localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * Whether we may redirect a browser to this address. In production, the team must have listed the address, character by
 * character. Otherwise somebody could send users, with the outcome of their connection, to a site of their own. A
 * sandbox has only invented people, so it accepts every https address and loopback addresses. Then a developer can try
 * a client at once.
 */
function isAccepted({ config, team }: TeamCtx, url: string): boolean {
  if (team.settings.link_redirect_urls?.includes(url)) return true;
  if (config.environment === 'production') return false;
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || LOOPBACK.test(hostname);
}

export function refuseUnlistedRedirect(ctx: TeamCtx, url: string): void {
  if (isAccepted(ctx, url)) return;
  const lists =
    'PUT /v1/org/{org_id}/team/{team_id}/link_redirect_urls with {"urls": ["https://…"]} and a management key lists ';
  throw new AppError(
    'redirect_url_refused',
    ctx.config.environment === 'production'
      ? `The team does not list this redirect_url; each is compared letter by letter. ${lists}them.`
      : `A sandbox accepts an https address or a loopback address. ${lists}others.`,
  );
}

/**
 * Returns the address to which we redirect a browser, with the outcome. Returns null if we may not redirect, for
 * example because the team has removed the address from its list.
 */
export function redirectWith(ctx: LinkCtx, outcome: LinkOutcome): string | null {
  const { redirect_url } = ctx.link;
  if (redirect_url === null || !isAccepted(ctx, redirect_url)) return null;
  const url = new URL(redirect_url);
  for (const [name, value] of Object.entries(parametersOf(outcome))) url.searchParams.set(name, value);
  return url.href;
}

const parametersOf = (outcome: LinkOutcome): Record<string, string> =>
  outcome === 'success' ? { state: 'success' } : { state: 'error', error_type: outcome, error: outcomeText(outcome) };
