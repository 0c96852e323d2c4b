import type { Static } from 'typebox';
import type { LinkCtx } from '../../context.ts';
import type { Configured } from '../connections/providers/configured.ts';
import { findHistoryDays } from '../pulls/preferences/days-of.ts';
import { PROVIDER_SLUGS, PROVIDERS } from '../providers.ts';
import { logoOf } from '../source.ts';
import { connectableProviders, findConnectable } from './connectable.ts';
import type { Source, SourceLink } from './schemas.ts';

/** What the user can connect, each with where its connection begins. */
export const listLinkProviders = async (ctx: LinkCtx): Promise<Static<typeof SourceLink>[]> =>
  (await connectableProviders(ctx)).map((configured) => ({
    ...linkOf(ctx, configured),
    oauth_url: startUrl(ctx, configured),
    form_components: {},
  }));

/** One of them, in full. */
export async function findOauthSource(ctx: LinkCtx, slug: string): Promise<Static<typeof Source>> {
  const configured = await findConnectable(ctx, slug);
  return {
    ...linkOf(ctx, configured),
    oauth_url: startUrl(ctx, configured),
    group: null,
    source_type: PROVIDERS[configured.connector.slug].source_type,
    is_active: true,
    backfill_num_days: (await findHistoryDays(ctx, configured.connector.slug)).usual,
  };
}

function linkOf({ config }: LinkCtx, { connector: { slug } }: Configured) {
  const { name, description, auth_type } = PROVIDERS[slug];
  // Its place in the list of providers, which is never reordered.
  return { id: PROVIDER_SLUGS.indexOf(slug) + 1, name, slug, description, logo: logoOf(config, slug), auth_type };
}

const startUrl = ({ config, link }: LinkCtx, { connector: { slug } }: Configured): string =>
  `${config.baseUrl}/v2/link/oauth/${slug}/start?token=${link.token ?? ''}`;
