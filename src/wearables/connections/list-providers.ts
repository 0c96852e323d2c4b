import type { Static } from 'typebox';
import type { Config } from '../../config/options.ts';
import { PROVIDERS } from '../providers/provider-catalogue.ts';
import { logoOf } from '../source.ts';
import type { ProviderDetails } from './schemas.ts';
import type { ProviderFacts } from '../providers/facts.ts';

/** Returns every provider that Phial knows. With `sourceType`, returns only the providers of this type. */
export function listProviders(config: Config, sourceType: string | undefined): Static<typeof ProviderDetails>[] {
  return Object.entries<ProviderFacts>(PROVIDERS)
    .filter(([, { source_type }]) => sourceType === undefined || sourceType === source_type)
    .map(([slug, { name, description, auth_type, resources }]) => ({
      name,
      slug,
      description,
      logo: logoOf(config, slug),
      auth_type,
      supported_resources: [...resources],
    }));
}
