import type { LinkCtx } from '../../context.ts';
import type { BrowserAnswer } from '../../http/media.ts';
import type { LinkOutcome } from './outcome.ts';
import { donePath } from './page/outcome-page.ts';
import { redirectWith } from './redirect-url.ts';

/**
 * Sends a browser on with what became of a connection, so that a page that is loaded again does not ask again. `from_page`: it
 * began at the hosted page, which shows errors itself unless the link token wants them elsewhere, and leads back to the choice.
 */
export function goOn(ctx: LinkCtx, outcome: LinkOutcome, { from_page }: { from_page: boolean }): BrowserAnswer {
  const stays = outcome !== 'success' && from_page && ctx.link.on_error === null;
  const elsewhere = stays ? null : redirectWith(ctx, outcome);
  return { redirect: elsewhere ?? `${ctx.config.baseUrl}${donePath(outcome, stays ? ctx.link.token : null)}` };
}
