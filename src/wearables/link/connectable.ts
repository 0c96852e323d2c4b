import type { LinkCtx, TeamCtx, TxCtx } from '../../context.ts';
import { AppError, notFound } from '../../errors.ts';
import { findApplicationOrNull, findApplications } from '../connections/applications/find-application.ts';
import type { Configured } from '../connections/applications/configured.ts';
import { PROVIDER_SLUGS, PROVIDERS, providerOrNull, type ProviderSlug } from '../providers/catalogue.ts';
import type { ProviderFacts } from '../providers/facts.ts';

/** A provider that can be connected: by an application there, or, in a sandbox, as a demo of it. */
export type Connectable = { slug: ProviderSlug; configured: Configured | null };

/** What the link token lets its user connect, in the order that people see it in: what is real, then demos by their names. */
export async function connectableProviders(ctx: LinkCtx): Promise<Connectable[]> {
  const { link } = ctx;
  const real = (await findApplications(ctx)).map((configured) => ({ slug: configured.connector.slug, configured }));
  const demos = hasDemos(ctx) ? BY_NAME.filter((slug) => !real.some((each) => each.slug === slug)) : [];
  return [...real, ...demos.map((slug) => ({ slug, configured: null }))].filter(({ slug }) =>
    link.provider === null ? (link.filter_on_providers?.includes(slug) ?? true) : link.provider === slug,
  );
}

const BY_NAME = PROVIDER_SLUGS.toSorted((a, b) => PROVIDERS[a].name.localeCompare(PROVIDERS[b].name, 'en'));

/** Whether every provider connects, with invented data where there is no application. */
const hasDemos = ({ config }: TeamCtx | TxCtx<TeamCtx>): boolean => config.environment === 'sandbox';

/** One of them. Throws not_found for a slug that no provider has, provider_not_connectable for all others. */
export async function findConnectable(ctx: LinkCtx, slug: string): Promise<Connectable> {
  if (!providerOrNull(slug)) throw notFound('Provider');
  const found = (await connectableProviders(ctx)).find((each) => each.slug === slug);
  return found ?? refuse();
}

/** For a token that is to name one provider. */
export async function refuseUnconnectable(ctx: TxCtx<TeamCtx>, slug: string): Promise<void> {
  if (!hasDemos(ctx) && !(await findApplicationOrNull(ctx, slug))) refuse();
}

/** How a user signs in: at a page, or by what a form asks for. */
export const formOf = (slug: ProviderSlug): 'password' | 'email' | null => {
  const { auth_type } = PROVIDERS[slug] as ProviderFacts;
  return auth_type === 'password' || auth_type === 'email' ? auth_type : null;
};

export function refuse(): never {
  throw new AppError(
    'provider_not_connectable',
    'This provider cannot be connected here: no application is configured for it, or the link token is for others. ' +
      'GET /v2/link/providers lists what can be connected.',
  );
}
