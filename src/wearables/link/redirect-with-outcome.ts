import type { LinkCtx } from '../../context.ts';
import type { BrowserResponse } from '../../operation/media.ts';
import type { LinkOutcome } from './link-outcome.ts';
import { donePath } from './page/outcome-page.ts';
import { redirectWith } from './redirect-url.ts';

/**
 * Redirects a browser with the outcome of a connection. We redirect, because a reload of the page after a redirect does
 * not repeat the request. `from_page` is true if the user came from the hosted page. Then a page of ours shows errors
 * and a link to the choice of providers, unless the link token sends errors to redirect_url.
 */
export function redirectWithOutcome(
  ctx: LinkCtx,
  outcome: LinkOutcome,
  { from_page }: { from_page: boolean },
): BrowserResponse {
  const stays = outcome !== 'success' && from_page && ctx.link.on_error === null;
  const elsewhere = stays ? null : redirectWith(ctx, outcome);
  return { redirect: elsewhere ?? `${ctx.config.baseUrl}${donePath(outcome, stays ? ctx.link.token : null)}` };
}
