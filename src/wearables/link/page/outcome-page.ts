import type { Ctx, LinkCtx } from '../../../context.ts';
import { escapeHtml, layout } from '../../../operation/html-page.ts';
import type { BrowserResponse } from '../../../operation/media.ts';
import { readToken } from '../../../tenancy/keys/key-value.ts';
import { outcomeText, type LinkOutcome } from '../link-outcome.ts';
import { redirectWith } from '../redirect-url.ts';
import { findLinkSessionOrNull, nameActor } from '../session.ts';

/**
 * Returns the path of the last page, for a browser that we do not redirect to the team's site. `token` is the link
 * token with which the user may continue.
 */
export function donePath(outcome: LinkOutcome, token: string | null): string {
  if (outcome === 'success') return '/link/done?state=success';
  return `/link/done?state=error&error_type=${outcome}${token === null ? '' : `&token=${token}`}`;
}

/**
 * Returns the page that shows the outcome to a user. None of its texts comes from the address, so nobody can make a
 * link that shows a text of their own.
 */
export function outcomePage(outcome: LinkOutcome, links: string[] = []): BrowserResponse {
  const next =
    outcome === 'success' ? ' You can close this page now.' : links.length === 0 ? ' You can close this page.' : '';
  const title = outcome === 'success' ? 'Connected' : 'Not connected';
  return layout(title, [`<p>${escapeHtml(outcomeText(outcome))}${next}</p>`, ...links].join('\n'));
}

/**
 * Returns the page of outcomePage. As long as the link token works, the page has links to the next steps: choose again,
 * or go back to the site that sent the user.
 */
export async function donePage(ctx: Ctx, outcome: LinkOutcome, token: string): Promise<BrowserResponse> {
  const session = readToken(token) === 'link' ? await findLinkSessionOrNull(ctx, token) : null;
  nameActor(ctx, session);
  const goesOn = outcome !== 'success' && session?.ctx;
  return outcomePage(outcome, goesOn ? next(session.ctx as LinkCtx, outcome, token) : []);
}

/** Addresses are relative to the page. So they also work behind a proxy that adds a path. */
function next(ctx: LinkCtx, outcome: LinkOutcome, token: string): string[] {
  const back = redirectWith(ctx, outcome);
  return [
    `<p><a class="close" href="../link?token=${token}" rel="nofollow">Choose again</a></p>`,
    ...(back === null ? [] : [`<p><a class="close" href="${escapeHtml(back)}">Go back without connecting</a></p>`]),
  ];
}
