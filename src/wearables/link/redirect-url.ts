import type { LinkCtx, TeamCtx } from '../../context.ts';
import { AppError } from '../../errors.ts';
import { outcomeText, type LinkOutcome } from './outcome.ts';

const LOOPBACK = /^((.*\.)?localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * In production only what the team has listed, letter by letter: nobody else learns what became of a connection. A sandbox, which
 * knows invented people only, takes every https address and this machine, so that a client can be tried at once.
 */
function isTaken({ config, team }: TeamCtx, url: string): boolean {
  if (team.settings.link_redirect_urls?.includes(url)) return true;
  if (config.environment === 'production') return false;
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || LOOPBACK.test(hostname);
}

export function refuseUnlistedRedirect(ctx: TeamCtx, url: string): void {
  if (isTaken(ctx, url)) return;
  const lists =
    'PUT /v1/org/{org_id}/team/{team_id}/link_redirect_urls with {"urls": ["https://…"]} and a management key lists ';
  throw new AppError(
    'redirect_url_refused',
    ctx.config.environment === 'production'
      ? `This redirect_url is not one of those that the team lists, each compared letter by letter. ${lists}them.`
      : `A sandbox takes an https address, or one of this machine. ${lists}others.`,
  );
}

/** Where the browser goes with what became of it; null where it stays, also when the team has unlisted the address. */
export function redirectWith(ctx: LinkCtx, outcome: LinkOutcome): string | null {
  const { redirect_url } = ctx.link;
  if (redirect_url === null || !isTaken(ctx, redirect_url)) return null;
  const url = new URL(redirect_url);
  for (const [name, value] of Object.entries(parametersOf(outcome))) url.searchParams.set(name, value);
  return url.href;
}

const parametersOf = (outcome: LinkOutcome): Record<string, string> =>
  outcome === 'success' ? { state: 'success' } : { state: 'error', error_type: outcome, error: outcomeText(outcome) };
