import type { LinkCtx, TeamCtx, TxCtx } from '../../context.ts';
import { AppError, notFound } from '../../errors.ts';
import { findApplicationOrNull, findApplications } from '../connections/applications/find-application.ts';
import type { Configured } from '../connections/applications/configured.ts';
import { PROVIDER_SLUGS, PROVIDERS, providerOrNull, type ProviderSlug } from '../providers/provider-catalogue.ts';
import type { ProviderFacts } from '../providers/facts.ts';

/**
 * A provider that users can connect, with the application that is registered there. Without an application (null), a
 * sandbox connects it as a demo.
 */
export type Connectable = { slug: ProviderSlug; configured: Configured | null };

/**
 * Returns the providers that the user of the link token can connect, in the order of the hosted page: first those with
 * an application, then demos by name.
 */
export async function connectableProviders(ctx: LinkCtx): Promise<Connectable[]> {
  const { link } = ctx;
  const real = (await findApplications(ctx)).map((configured) => ({ slug: configured.connector.slug, configured }));
  const demos = hasDemos(ctx) ? BY_NAME.filter((slug) => !real.some((each) => each.slug === slug)) : [];
  return [...real, ...demos.map((slug) => ({ slug, configured: null }))].filter(({ slug }) =>
    link.provider === null ? (link.filter_on_providers?.includes(slug) ?? true) : link.provider === slug,
  );
}

const BY_NAME = PROVIDER_SLUGS.toSorted((a, b) => PROVIDERS[a].name.localeCompare(PROVIDERS[b].name, 'en'));

/** Whether users can connect every provider. In a sandbox, a provider without an application brings invented data. */
const hasDemos = ({ config }: TeamCtx | TxCtx<TeamCtx>): boolean => config.environment === 'sandbox';

/**
 * Returns the provider with this slug. Throws not_found if the slug is unknown, and provider_not_connectable if users
 * cannot connect the provider.
 */
export async function findConnectable(ctx: LinkCtx, slug: string): Promise<Connectable> {
  if (!providerOrNull(slug)) throw notFound('Provider');
  const found = (await connectableProviders(ctx)).find((each) => each.slug === slug);
  return found ?? refuse();
}

/** Throws if a new link token names one provider that users cannot connect in this deployment. */
export async function refuseUnconnectable(ctx: TxCtx<TeamCtx>, slug: string): Promise<void> {
  if (!hasDemos(ctx) && !(await findApplicationOrNull(ctx, slug))) refuse();
}

/** Returns the kind of form by which a user signs in with us; null if the user signs in at the provider's page. */
export const formOf = (slug: ProviderSlug): 'password' | 'email' | null => {
  const { auth_type } = PROVIDERS[slug] as ProviderFacts;
  return auth_type === 'password' || auth_type === 'email' ? auth_type : null;
};

export function refuse(): never {
  throw new AppError(
    'provider_not_connectable',
    'This provider cannot be connected here: no application is configured for it, or the link token ' +
      'is for others. GET /v2/link/providers lists the providers that can be connected.',
  );
}
