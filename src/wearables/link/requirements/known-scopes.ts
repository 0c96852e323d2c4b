import { providerOrNull, PROVIDER_SLUGS, type ProviderSlug } from '../../providers/provider-catalogue.ts';
import { connectorOrNull } from '../../providers/registry.ts';

/** These providers come first in openapi.json, in this order. Others follow in the order of the catalogue. */
const FIRST: readonly ProviderSlug[] = [
  'fitbit',
  'google_fit',
  'google_health',
  'oura',
  'strava',
  'withings',
  'wahoo',
  'whoop_v2',
  'my_fitness_pal_v2',
];

const knownScopes = (provider: ProviderSlug): readonly string[] => providerOrNull(provider)?.scopes_to_choose ?? [];

/** The providers whose scopes a team can choose. Some of them cannot be connected in this deployment. */
export const SCOPED_PROVIDERS: readonly ProviderSlug[] = [...new Set([...FIRST, ...PROVIDER_SLUGS])].filter(
  (provider) => knownScopes(provider).length > 0,
);

/** Returns the scopes that a team can name: those that the API knows, and those that our connector also requests. */
export const scopesThatCanBeNamed = (provider: ProviderSlug): string[] => [
  ...new Set<string>([...knownScopes(provider), ...(connectorOrNull(provider)?.oauth.scopes ?? [])]),
];
