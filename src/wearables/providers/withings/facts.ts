import type { ConnectedFacts } from '../facts.ts';

export const facts = {
  name: 'Withings',
  description: 'Scales, watches, blood pressure monitors and sleep mats.',
  auth_type: 'oauth',
  source_type: 'device',
  history_days: 90,
  resources: [
    'activity',
    'sleep',
    'sleep_cycle',
    'body',
    'workouts',
    'steps',
    'distance',
    'floors_climbed',
    'calories_active',
    'heartrate',
    'weight',
    'fat',
    'blood_pressure',
    'blood_oxygen',
    'body_temperature',
    'vo2_max',
  ],
  application: { at: 'Withings' },
  scopes_to_choose: ['user.activity', 'user.metrics', 'user.sleepevents'],
} satisfies ConnectedFacts;
