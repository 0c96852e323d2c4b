import type { Static } from 'typebox';
import type { LinkCtx } from '../../context.ts';
import { findHistoryDays } from '../pulls/preferences/find-history-days.ts';
import { PROVIDER_SLUGS, PROVIDERS, type ProviderSlug } from '../providers/provider-catalogue.ts';
import { logoOf } from '../source.ts';
import { connectableProviders, findConnectable, formOf, refuse } from './connectable.ts';
import type { Source, SourceLink } from './schemas.ts';

/**
 * Returns the providers that the user can connect, each with the address at which its connection begins, or with the
 * fields of its form.
 */
export const listLinkProviders = async (ctx: LinkCtx): Promise<Static<typeof SourceLink>[]> =>
  (await connectableProviders(ctx)).map(({ slug, configured }) => {
    const form = formOf(slug);
    return {
      ...linkOf(ctx, slug),
      demo: configured === null,
      oauth_url: form === null ? startUrl(ctx, slug) : null,
      form_components: form === null ? {} : FORMS[form],
    };
  });

const FORMS = {
  password: {
    username: { type: 'text', label: 'User name or email' },
    password: { type: 'password', label: 'Password' },
  },
  email: { email: { type: 'email', label: 'Email' } },
} as const;

/**
 * Returns the facts about one provider that users connect at its own page. Throws the errors of findConnectable, also
 * for a provider that users connect by a form.
 */
export async function findOauthSource(ctx: LinkCtx, provider: string): Promise<Static<typeof Source>> {
  const { slug, configured } = await findConnectable(ctx, provider);
  if (formOf(slug) !== null) refuse();
  return {
    ...linkOf(ctx, slug),
    demo: configured === null,
    oauth_url: startUrl(ctx, slug),
    group: null,
    source_type: PROVIDERS[slug].source_type,
    is_active: true,
    backfill_num_days: (await findHistoryDays(ctx, slug)).usual,
  };
}

function linkOf({ config }: LinkCtx, slug: ProviderSlug) {
  const { name, description, auth_type } = PROVIDERS[slug];
  // The id is the position in the list of providers. The order of this list never changes.
  return { id: PROVIDER_SLUGS.indexOf(slug) + 1, name, slug, description, logo: logoOf(config, slug), auth_type };
}

const startUrl = ({ config, link }: LinkCtx, slug: ProviderSlug): string =>
  `${config.baseUrl}/v2/link/oauth/${slug}/start?token=${link.token ?? ''}`;
