import type { ConnectedFacts } from '../facts.ts';

export const facts = {
  name: 'Oura',
  description: 'Smart rings that follow sleep, activity and recovery.',
  auth_type: 'oauth',
  source_type: 'device',
  history_days: 180,
  resources: [
    'profile',
    'activity',
    'sleep',
    'sleep_cycle',
    'workouts',
    'steps',
    'distance',
    'calories_active',
    'heartrate',
    'hrv',
    'respiratory_rate',
    'blood_oxygen',
    'vo2_max',
  ],
  device: 'ring',
  application: { at: 'Oura' },
  scopes_to_choose: ['email', 'personal', 'daily', 'heartrate', 'workout', 'tag', 'session'],
} satisfies ConnectedFacts;
