import type { Ctx, LinkCtx } from '../../../context.ts';
import type { BrowserAnswer } from '../../../http/media.ts';
import { readToken } from '../../../tenancy/keys/key-value.ts';
import { findApplications } from '../../connections/applications/find-application.ts';
import { connectableProviders } from '../connectable.ts';
import { redirectWith } from '../redirect-url.ts';
import { nameActor } from '../session.ts';
import { PROVIDERS } from '../../providers.ts';
import { escapeHtml, layout } from '../../../http/page.ts';
import { outcomePage } from './outcome-page.ts';

/** The page on which a user picks what to connect. */
export async function linkPage(ctx: Ctx, token: string): Promise<BrowserAnswer> {
  const session = readToken(token) === 'link' ? await ctx.findLinkSessionOrNull(ctx, token) : null;
  nameActor(ctx, session);
  if (!session?.ctx) return outcomePage(session?.ended ?? 'invalid_token');
  return layout('Connect a device or app', await pick(session.ctx, token));
}

async function pick(ctx: LinkCtx, token: string): Promise<string> {
  const providers = (await connectableProviders(ctx)).map(({ connector: { slug } }) => ({ slug, ...PROVIDERS[slug] }));
  const close = ctx.link.on_close === 'redirect' ? redirectWith(ctx, 'user_cancelled') : null;
  // Addresses are relative to the page, so that they hold behind a proxy that adds a path.
  const items = providers.map(
    ({
      slug,
      name,
      description,
    }) => `<li><a class="provider" href="v2/link/oauth/${slug}/start?token=${token}&amp;page=1" rel="nofollow">
<img src="logos/${slug}.svg" alt="" width="48" height="48">
<div><strong>${escapeHtml(name)}</strong><span>${escapeHtml(description)}</span></div></a></li>`,
  );
  return [
    items.length === 0
      ? `<p>${await nothingToConnect(ctx)}</p>`
      : `<p>Choose what you use. You then sign in there and decide what is shared.</p>\n<ul>\n${items.join('\n')}\n</ul>`,
    close === null ? '' : `<a class="close" href="${escapeHtml(close)}">Not now</a>`,
  ].join('\n');
}

/** In a sandbox whoever opens the page is most likely the one who can do something about it. */
async function nothingToConnect(ctx: LinkCtx): Promise<string> {
  const { config } = ctx;
  if ((await findApplications(ctx)).length > 0)
    return 'What this link is for cannot be connected here. Ask where you got the link.';
  if (config.environment !== 'sandbox')
    return 'No device or app can be connected here yet. Ask where you got this link.';
  return (
    'No provider is set up in this sandbox, so there is nothing to connect here yet. Who runs it sets the ' +
    '<code>PHIAL_…_CLIENT_ID</code> and <code>PHIAL_…_CLIENT_SECRET</code> of a provider. Invented data needs none: ' +
    '<code>POST /v2/link/connect/demo</code>.'
  );
}
