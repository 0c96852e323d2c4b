import type { Ctx, LinkCtx } from '../../../context.ts';
import type { BrowserResponse } from '../../../operation/media.ts';
import { readToken } from '../../../tenancy/keys/key-value.ts';
import type { ProviderSlug } from '../../providers/provider-catalogue.ts';
import { connectableProviders, formOf } from '../connectable.ts';
import { redirectWithOutcome } from '../redirect-with-outcome.ts';
import { outcomeText } from '../link-outcome.ts';
import { outcomePage } from '../page/outcome-page.ts';
import { findLinkSessionOrNull, nameActor } from '../session.ts';
import { connectDemoByLink } from './connect.ts';
import { demoPageUrl } from './page-url.ts';
import { demoPage } from './demo-page.ts';
import { completeSignIn, signInByEmail, signInByPassword, type SignedIn } from './sign-in.ts';

type DemoPageRequest = { provider: string; token: string; from_page: boolean };
type OpenedDemoPage = { ctx: LinkCtx; slug: ProviderSlug; token: string; from_page: boolean };
type Fields = { [name in 'answer' | 'username' | 'password' | 'email' | 'mfa_code']?: string };

/**
 * Returns the session of a link token at a simulated provider. If the token is not valid for this provider, returns a
 * page that says why.
 */
async function open(
  ctx: Ctx,
  { provider, token, from_page }: DemoPageRequest,
): Promise<OpenedDemoPage | { page: BrowserResponse }> {
  const session = readToken(token) === 'link' ? await findLinkSessionOrNull(ctx, token) : null;
  nameActor(ctx, session);
  if (!session?.ctx) return { page: outcomePage(session?.ended ?? 'invalid_token') };
  const found = (await connectableProviders(session.ctx)).find(({ slug }) => slug === provider);
  if (!found || found.configured) return { page: outcomePage('invalid_token') };
  return { ctx: session.ctx, slug: found.slug, token, from_page };
}

export async function openDemoPage(ctx: Ctx, asked: DemoPageRequest, forCode: boolean): Promise<BrowserResponse> {
  const opened = await open(ctx, asked);
  if ('page' in opened) return opened.page;
  const form = formOf(opened.slug) ?? 'consent';
  return demoPage(opened, { asks: form === 'password' && forCode ? 'mfa' : form, problem: null });
}

/**
 * Handles the form that a person sent from the page. An error that the person can correct is shown on the page. Every
 * other outcome ends the sign-in.
 */
export async function answerDemoPage(ctx: Ctx, asked: DemoPageRequest, fields: Fields): Promise<BrowserResponse> {
  const opened = await open(ctx, asked);
  if ('page' in opened) return opened.page;
  const outcome = await outcomeOf(opened, fields);
  // We redirect to the form for the code. Without the redirect, a reload would send the password form again.
  if (outcome === 'pending_provider_mfa') return { redirect: demoPageUrl(ctx.config, { ...asked, step: 'code' }) };
  const form = formOf(opened.slug);
  const canCorrect = outcome === 'provider_credential_error' || outcome === 'incorrect_mfa_code';
  const stays = form !== null && canCorrect && opened.ctx.link.on_error === null;
  if (!stays) return redirectWithOutcome(opened.ctx, outcome, asked);
  return demoPage(opened, {
    asks: outcome === 'incorrect_mfa_code' ? 'mfa' : form,
    problem: outcomeText(outcome),
    username: fields.username,
  });
}

async function outcomeOf({ ctx, slug }: OpenedDemoPage, fields: Fields): Promise<SignedIn> {
  const form = formOf(slug);
  if (form === 'email') return signInByEmail(ctx, slug, fields.email ?? '');
  if (form === 'password' && fields.mfa_code !== undefined) return completeSignIn(ctx, slug, fields.mfa_code.trim());
  if (form === 'password') return signInByPassword(ctx, slug, fields.password ?? '');
  return fields.answer === 'allow' ? connectDemoByLink(ctx, slug) : 'user_cancelled';
}
