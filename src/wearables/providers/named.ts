import type { Static } from 'typebox';
import type { Config } from '../../config/options.ts';
import { providerOrNull } from './catalogue.ts';
import { logoOf } from '../source.ts';
import type { ProviderName } from './schemas.ts';

/** A provider by its name and picture. */
export const namedProvider = (config: Pick<Config, 'baseUrl'>, slug: string): Static<typeof ProviderName> => ({
  name: providerOrNull(slug)?.name ?? slug,
  slug,
  logo: logoOf(config, slug),
});
