import type { ConnectedFacts } from '../facts.ts';

export const facts = {
  name: 'Polar',
  description: 'Sports watches and heart rate straps.',
  auth_type: 'oauth',
  source_type: 'device',
  history_days: 28,
  resources: [
    'profile',
    'body',
    'activity',
    'sleep',
    'sleep_cycle',
    'workouts',
    'workout_stream',
    'heartrate',
    'hrv',
    'respiratory_rate',
  ],
  application: { at: 'Polar' },
} satisfies ConnectedFacts;
