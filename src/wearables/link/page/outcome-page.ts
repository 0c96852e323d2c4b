import type { Ctx, LinkCtx } from '../../../context.ts';
import { escapeHtml, layout } from '../../../http/page.ts';
import type { BrowserAnswer } from '../../../http/media.ts';
import { readToken } from '../../../tenancy/keys/key-value.ts';
import { outcomeText, type LinkOutcome } from '../outcome.ts';
import { redirectWith } from '../redirect-url.ts';
import { nameActor } from '../session.ts';

/** Where a browser ends that has nowhere else to go. `token`: of the link that the user may go on with. */
export function donePath(outcome: LinkOutcome, token: string | null): string {
  if (outcome === 'success') return '/link/done?state=success';
  return `/link/done?state=error&error_type=${outcome}${token === null ? '' : `&token=${token}`}`;
}

/** Tells a user what became of it. Nothing in it comes from the address. */
export function outcomePage(outcome: LinkOutcome, links: string[] = []): BrowserAnswer {
  const next =
    outcome === 'success' ? ' You can close this page now.' : links.length === 0 ? ' You can close this page.' : '';
  const title = outcome === 'success' ? 'Connected' : 'Not connected';
  return layout(title, [`<p>${escapeHtml(outcomeText(outcome))}${next}</p>`, ...links].join('\n'));
}

/** The same, with what a user can do next where the link still works: choose again, or go back to who sent them. */
export async function donePage(ctx: Ctx, outcome: LinkOutcome, token: string): Promise<BrowserAnswer> {
  const session = readToken(token) === 'link' ? await ctx.findLinkSessionOrNull(ctx, token) : null;
  nameActor(ctx, session);
  const goesOn = outcome !== 'success' && session?.ctx;
  return outcomePage(outcome, goesOn ? next(session.ctx as LinkCtx, outcome, token) : []);
}

/** Addresses are relative to the page, so that they hold behind a proxy that adds a path. */
function next(ctx: LinkCtx, outcome: LinkOutcome, token: string): string[] {
  const back = redirectWith(ctx, outcome);
  return [
    `<p><a class="close" href="../link?token=${token}" rel="nofollow">Choose again</a></p>`,
    ...(back === null ? [] : [`<p><a class="close" href="${escapeHtml(back)}">Go back without connecting</a></p>`]),
  ];
}
