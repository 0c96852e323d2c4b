import type { LinkCtx, TeamCtx, TxCtx } from '../../context.ts';
import { AppError, notFound } from '../../errors.ts';
import { findApplicationOrNull, findApplications } from '../connections/applications/find-application.ts';
import type { Configured } from '../connections/providers/configured.ts';
import { providerOrNull } from '../providers.ts';

/** What the link token lets its user connect, in the order that people see it in. */
export async function connectableProviders(ctx: LinkCtx): Promise<Configured[]> {
  const { link } = ctx;
  return (await findApplications(ctx)).filter(({ connector: { slug } }) =>
    link.provider === null ? (link.filter_on_providers?.includes(slug) ?? true) : link.provider === slug,
  );
}

/** One of them. Throws not_found for a slug that no provider has, provider_not_connectable for all others. */
export async function findConnectable(ctx: LinkCtx, slug: string): Promise<Configured> {
  if (!providerOrNull(slug)) throw notFound('Provider');
  const found = (await connectableProviders(ctx)).find(({ connector }) => connector.slug === slug);
  return found ?? refuse();
}

/** For a token that is to name one provider. */
export async function refuseUnconnectable(ctx: TxCtx<TeamCtx>, slug: string): Promise<void> {
  if (!(await findApplicationOrNull(ctx, slug))) refuse();
}

function refuse(): never {
  throw new AppError(
    'provider_not_connectable',
    'This provider cannot be connected here: no application is configured for it, or the link token is for others. ' +
      'GET /v2/link/providers lists what can be connected.',
  );
}
