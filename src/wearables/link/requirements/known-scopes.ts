import { PROVIDERS } from '../../providers/provider-catalogue.ts';
import { connectorOrNull } from '../../providers/registry.ts';

const googleFit = (name: string): string => `https://www.googleapis.com/auth/fitness.${name}.read`;

/** The scopes that the API knows, by provider. Not all of these providers can be connected in this deployment. */
const KNOWN = {
  fitbit: [
    'heartrate',
    'oxygen_saturation',
    'cardio_fitness',
    'respiratory_rate',
    'activity',
    'location',
    'nutrition',
    'profile',
    'settings',
    'sleep',
    'social',
    'weight',
    'temperature',
  ],
  google_fit: [
    'openid',
    'email',
    ...['activity', 'body', 'sleep', 'blood_glucose', 'blood_pressure', 'heart_rate', 'nutrition', 'location'].map(
      googleFit,
    ),
  ],
  google_health: PROVIDERS.google_health.scopes_to_choose,
  oura: PROVIDERS.oura.scopes_to_choose,
  strava: PROVIDERS.strava.scopes_to_choose,
  withings: PROVIDERS.withings.scopes_to_choose,
  wahoo: PROVIDERS.wahoo.scopes_to_choose,
  whoop_v2: PROVIDERS.whoop_v2.scopes_to_choose,
  my_fitness_pal_v2: ['diary', 'measurements', 'private-exercises', 'subscriptions'],
} as const satisfies Record<string, readonly string[]>;

export type ScopedProvider = keyof typeof KNOWN;

/** The providers whose scopes a team can choose. */
export const SCOPED_PROVIDERS = Object.keys(KNOWN) as [ScopedProvider, ...ScopedProvider[]];

/** Returns the scopes that a team can choose: those that the API knows, and those that our connector requests. */
export const scopesThatCanBeNamed = (provider: ScopedProvider): string[] => [
  ...new Set<string>([...KNOWN[provider], ...(connectorOrNull(provider)?.oauth.scopes ?? [])]),
];
