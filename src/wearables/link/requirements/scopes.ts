import { connectorOrNull } from '../../providers/registry.ts';

const googleFit = (name: string): string => `https://www.googleapis.com/auth/fitness.${name}.read`;
const googleHealth = (name: string): string => `https://www.googleapis.com/auth/googlehealth.${name}.readonly`;

/** Scopes that the interface knows, by provider, also of those that nothing connects here. */
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
  google_health: [
    'openid',
    'email',
    ...[
      'activity_and_fitness',
      'sleep',
      'health_metrics_and_measurements',
      'nutrition',
      'ecg',
      'irn',
      'location',
      'profile',
      'settings',
    ].map(googleHealth),
  ],
  oura: ['email', 'personal', 'daily', 'heartrate', 'workout', 'tag', 'session'],
  strava: ['activity:read_all', 'activity:write', 'profile:write', 'profile:read_all'],
  withings: ['user.activity', 'user.metrics', 'user.sleepevents'],
  wahoo: ['email', 'user_read', 'workouts_read', 'offline_data'],
  whoop_v2: [
    'read:recovery',
    'read:cycles',
    'read:workout',
    'read:sleep',
    'read:profile',
    'read:body_measurement',
    'offline',
  ],
  my_fitness_pal_v2: ['diary', 'measurements', 'private-exercises', 'subscriptions'],
} as const satisfies Record<string, readonly string[]>;

export type ScopedProvider = keyof typeof KNOWN;

/** Providers whose scopes a team can choose. */
export const SCOPED_PROVIDERS = Object.keys(KNOWN) as [ScopedProvider, ...ScopedProvider[]];

/** Scopes that a team can name: what the interface knows, and what our connector asks for beside. */
export const scopesThatCanBeNamed = (provider: ScopedProvider): string[] => [
  ...new Set<string>([...KNOWN[provider], ...(connectorOrNull(provider)?.oauth.scopes ?? [])]),
];
