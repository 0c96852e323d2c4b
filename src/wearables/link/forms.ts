// A team's program may forward passwords, codes and e-mail addresses of its users to us. Only the simulated providers
// of a sandbox ask for them.
import type { Static } from 'typebox';
import type { LinkCtx } from '../../context.ts';
import { AppError, notFound } from '../../errors.ts';
import { providerOrNull, type ProviderSlug } from '../providers/provider-catalogue.ts';
import { findConnectable } from './connectable.ts';
import { MFA_REQUEST } from './demo/demo-credentials.ts';
import { completeSignIn, signInByEmail, signInByPassword, type SignedIn } from './demo/sign-in.ts';
import { outcomeText } from './link-outcome.ts';
import { redirectWith } from './redirect-url.ts';
import type { LinkResult } from './schemas.ts';
import type { ProviderFacts, ProviderAuth } from '../providers/facts.ts';

type Result = Static<typeof LinkResult>;
type FormAuth = Extract<ProviderAuth, 'password' | 'email'>;

export async function connectByPassword(ctx: LinkCtx, slug: string, { password }: { password: string }) {
  const provider = await simulatedProvider(ctx, slug, 'password');
  return resultOf(ctx, provider, await signInByPassword(ctx, provider, password));
}

export async function completeByCode(ctx: LinkCtx, slug: string, { mfa_code }: { mfa_code: string }): Promise<Result> {
  const provider = await simulatedProvider(ctx, slug, 'password');
  return resultOf(ctx, provider, await completeSignIn(ctx, provider, mfa_code));
}

export async function connectByEmail(ctx: LinkCtx, slug: string, { email }: { email: string }): Promise<Result> {
  const provider = await simulatedProvider(ctx, slug, 'email');
  return resultOf(ctx, provider, await signInByEmail(ctx, provider, email));
}

/**
 * Returns the provider if the sandbox simulates it and its users sign in by this kind of form. Outside of sandboxes we
 * accept passwords and e-mail addresses for no provider. Real providers that ask for them offer no OAuth, so we would
 * have to store passwords of people, and we do not want to.
 */
async function simulatedProvider(ctx: LinkCtx, slug: string, kind: FormAuth): Promise<ProviderSlug> {
  const provider: ProviderFacts | null = providerOrNull(slug);
  if (!provider) throw notFound('Provider');
  if (provider.auth_type !== kind) refuse(`${provider.name} is not connected by ${kind}`);
  if (ctx.config.environment !== 'sandbox') refuse(`${provider.name} has no connector here`);
  return (await findConnectable(ctx, slug)).slug;
}

function refuse(why: string): never {
  throw new AppError(
    'connector_not_available',
    `${why}, and nothing of what was sent was stored. GET /v2/link/providers lists the providers ` +
      'that can be connected.',
  );
}

function resultOf(ctx: LinkCtx, provider: ProviderSlug, outcome: SignedIn): Result {
  const known = { provider, connected: outcome === 'success', provider_id: null };
  const nothing = { redirect_url: null, error_type: null, error: null, provider_mfa: null };
  if (outcome === 'pending_provider_mfa') return { ...known, ...nothing, state: outcome, provider_mfa: MFA_REQUEST };
  if (outcome === 'success') return { ...known, ...nothing, state: outcome, redirect_url: redirectWith(ctx, outcome) };
  const redirect_url = ctx.link.on_error === 'redirect' ? redirectWith(ctx, outcome) : null;
  return { ...known, ...nothing, state: 'error', redirect_url, error_type: outcome, error: outcomeText(outcome) };
}
