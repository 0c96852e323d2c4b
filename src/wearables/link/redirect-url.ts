import type { LinkCtx, TeamCtx } from '../../context.ts';
import { AppError } from '../../errors.ts';
import { outcomeText, type LinkOutcome } from './outcome.ts';

const isListed = ({ team }: TeamCtx, url: string): boolean => team.settings.link_redirect_urls?.includes(url) ?? false;

/** Only addresses that the team has listed, letter by letter: nobody else learns what became of a connection. */
export function refuseUnlistedRedirect(ctx: TeamCtx, url: string): void {
  if (isListed(ctx, url)) return;
  throw new AppError(
    'redirect_url_refused',
    "This redirect_url is not one of the team's. PUT /v1/org/{org_id}/team/{team_id}/link_redirect_urls lists them, " +
      'and each is compared letter by letter.',
  );
}

/** Where the browser goes with what became of it; null where it stays, also when the team has unlisted the address. */
export function redirectWith(ctx: LinkCtx, outcome: LinkOutcome): string | null {
  const { redirect_url } = ctx.link;
  if (redirect_url === null || !isListed(ctx, redirect_url)) return null;
  const url = new URL(redirect_url);
  for (const [name, value] of Object.entries(parametersOf(outcome))) url.searchParams.set(name, value);
  return url.href;
}

const parametersOf = (outcome: LinkOutcome): Record<string, string> =>
  outcome === 'success' ? { state: 'success' } : { state: 'error', error_type: outcome, error: outcomeText(outcome) };
