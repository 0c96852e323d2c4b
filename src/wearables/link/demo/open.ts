import type { Ctx, LinkCtx } from '../../../context.ts';
import type { BrowserAnswer } from '../../../http/media.ts';
import { readToken } from '../../../tenancy/keys/key-value.ts';
import type { ProviderSlug } from '../../providers/catalogue.ts';
import { connectableProviders, formOf } from '../connectable.ts';
import { goOn } from '../go-on.ts';
import { outcomeText } from '../outcome.ts';
import { outcomePage } from '../page/outcome-page.ts';
import { nameActor } from '../session.ts';
import { connectDemoByLink } from './connect.ts';
import { demoPageUrl } from './page-url.ts';
import { demoPage } from './page.ts';
import { completeSignIn, signInByEmail, signInByPassword, type SignedIn } from './sign-in.ts';

type Asked = { provider: string; token: string; from_page: boolean };
type Opened = { ctx: LinkCtx; slug: ProviderSlug; token: string; from_page: boolean };
type Fields = { [name in 'answer' | 'username' | 'password' | 'email' | 'mfa_code']?: string };

/** The session of a link token for a provider that the sandbox plays; or the page that says why there is none. */
async function open(ctx: Ctx, { provider, token, from_page }: Asked): Promise<Opened | { page: BrowserAnswer }> {
  const session = readToken(token) === 'link' ? await ctx.findLinkSessionOrNull(ctx, token) : null;
  nameActor(ctx, session);
  if (!session?.ctx) return { page: outcomePage(session?.ended ?? 'invalid_token') };
  const found = (await connectableProviders(session.ctx)).find(({ slug }) => slug === provider);
  if (!found || found.configured) return { page: outcomePage('invalid_token') };
  return { ctx: session.ctx, slug: found.slug, token, from_page };
}

export async function openDemoPage(ctx: Ctx, asked: Asked, forCode: boolean): Promise<BrowserAnswer> {
  const opened = await open(ctx, asked);
  if ('page' in opened) return opened.page;
  const form = formOf(opened.slug) ?? 'consent';
  return demoPage(opened, { asks: form === 'password' && forCode ? 'mfa' : form, problem: null });
}

/** What a person has answered at the page. What they can mend is told there; anything else is the end of it. */
export async function answerDemoPage(ctx: Ctx, asked: Asked, fields: Fields): Promise<BrowserAnswer> {
  const opened = await open(ctx, asked);
  if ('page' in opened) return opened.page;
  const outcome = await outcomeOf(opened, fields);
  // So that who goes back later comes to a page, not to a form that would be sent again.
  if (outcome === 'pending_provider_mfa') return { redirect: demoPageUrl(ctx.config, { ...asked, step: 'code' }) };
  const form = formOf(opened.slug);
  const canMend = outcome === 'provider_credential_error' || outcome === 'incorrect_mfa_code';
  const stays = form !== null && canMend && opened.ctx.link.on_error === null;
  if (!stays) return goOn(opened.ctx, outcome, asked);
  return demoPage(opened, {
    asks: outcome === 'incorrect_mfa_code' ? 'mfa' : form,
    problem: outcomeText(outcome),
    username: fields.username,
  });
}

async function outcomeOf({ ctx, slug }: Opened, fields: Fields): Promise<SignedIn> {
  const form = formOf(slug);
  if (form === 'email') return signInByEmail(ctx, slug, fields.email ?? '');
  if (form === 'password' && fields.mfa_code !== undefined) return completeSignIn(ctx, slug, fields.mfa_code.trim());
  if (form === 'password') return signInByPassword(ctx, slug, fields.password ?? '');
  return fields.answer === 'allow' ? connectDemoByLink(ctx, slug) : 'user_cancelled';
}
