import type { Ctx, LinkCtx } from '../../../context.ts';
import type { BrowserResponse } from '../../../operation/media.ts';
import { readToken } from '../../../tenancy/keys/key-value.ts';
import { findApplications } from '../../connections/applications/find-application.ts';
import { connectableProviders, type Connectable } from '../connectable.ts';
import { redirectWith } from '../redirect-url.ts';
import { findLinkSessionOrNull, nameActor } from '../session.ts';
import { PROVIDERS } from '../../providers/provider-catalogue.ts';
import { escapeHtml, layout } from '../../../operation/html-page.ts';
import { outcomePage } from './outcome-page.ts';

/** Returns the page on which a user chooses the provider to connect. */
export async function linkPage(ctx: Ctx, token: string): Promise<BrowserResponse> {
  const session = readToken(token) === 'link' ? await findLinkSessionOrNull(ctx, token) : null;
  nameActor(ctx, session);
  if (!session?.ctx) return outcomePage(session?.ended ?? 'invalid_token');
  return layout('Connect a device or app', await pick(session.ctx, token));
}

async function pick(ctx: LinkCtx, token: string): Promise<string> {
  const providers = await connectableProviders(ctx);
  const close = ctx.link.on_close === 'redirect' ? redirectWith(ctx, 'user_cancelled') : null;
  const [real, demos] = [
    providers.filter(({ configured }) => configured),
    providers.filter((each) => !each.configured),
  ];
  return [
    providers.length === 0
      ? `<p>${await nothingToConnect(ctx)}</p>`
      : '<p>Choose what you use. You then sign in there and decide what is shared.</p>',
    listOf(real, token),
    demos.length === 0
      ? ''
      : `<p>This sandbox simulates ${real.length === 0 ? 'them' : 'these'}: the data that they bring is ` +
        'invented.</p>',
    listOf(demos, token),
    close === null ? '' : `<a class="close" href="${escapeHtml(close)}">Not now</a>`,
  ]
    .filter((part) => part !== '')
    .join('\n');
}

/** Addresses are relative to the page. So they also work behind a proxy that adds a path. */
function listOf(providers: readonly Connectable[], token: string): string {
  const items = providers.map(({ slug, configured }) => {
    const { name, description } = PROVIDERS[slug];
    const at = configured ? `v2/link/oauth/${slug}/start` : `link/demo/${slug}`;
    return `<li><a class="provider" href="${at}?token=${token}&amp;page=1" rel="nofollow">
<img src="logos/${slug}.svg" alt="" width="48" height="48">
<div><strong>${escapeHtml(name)}</strong><span>${escapeHtml(description)}</span></div></a></li>`;
  });
  return items.length === 0 ? '' : `<ul>\n${items.join('\n')}\n</ul>`;
}

/**
 * Returns the text of a page without providers. A sandbox has every provider. So its page is empty only if the link
 * token allows none of them.
 */
const nothingToConnect = async (ctx: LinkCtx): Promise<string> =>
  ctx.config.environment === 'sandbox' || (await findApplications(ctx)).length > 0
    ? 'The provider of this link cannot be connected here. Ask where you got the link.'
    : 'No device or app can be connected here yet. Ask where you got this link.';
