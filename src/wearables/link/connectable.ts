import type { LinkCtx, TeamCtx } from '../../context.ts';
import { AppError, notFound } from '../../errors.ts';
import { configuredOrNull, configuredProviders, type Configured } from '../connections/providers/configured.ts';
import { providerOrNull } from '../providers.ts';

/** What the link token lets its user connect, in the order that people see it in. */
export function connectableProviders({ config, link }: LinkCtx): Configured[] {
  return configuredProviders(config).filter(({ connector: { slug } }) =>
    link.provider === null ? (link.filter_on_providers?.includes(slug) ?? true) : link.provider === slug,
  );
}

/** One of them. Throws not_found for a slug that no provider has, provider_not_connectable for all others. */
export function findConnectable(ctx: LinkCtx, slug: string): Configured {
  if (!providerOrNull(slug)) throw notFound('Provider');
  const found = connectableProviders(ctx).find(({ connector }) => connector.slug === slug);
  return found ?? refuse();
}

/** For a token that is to name one provider. */
export function refuseUnconnectable({ config }: TeamCtx, slug: string): void {
  if (!configuredOrNull(config, slug)) refuse();
}

function refuse(): never {
  throw new AppError(
    'provider_not_connectable',
    'This provider cannot be connected here: no application is configured for it, or the link token is for others. ' +
      'GET /v2/link/providers lists what can be connected.',
  );
}
