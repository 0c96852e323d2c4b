import type { Static } from 'typebox';
import type { Config } from '../../config/options.ts';
import { providerOrNull } from './provider-catalogue.ts';
import { logoOf } from '../source.ts';
import type { ProviderName } from './schemas.ts';

/** Returns a provider with its name and logo. */
export const namedProvider = (config: Pick<Config, 'baseUrl'>, slug: string): Static<typeof ProviderName> => ({
  name: providerOrNull(slug)?.name ?? slug,
  slug,
  logo: logoOf(config, slug),
});
