import type { ConnectedFacts } from '../facts.ts';

export const facts = {
  name: 'Wahoo',
  description: 'Bike computers, trainers and sensors.',
  auth_type: 'oauth',
  source_type: 'device',
  history_days: 180,
  resources: ['profile', 'workouts'],
  device: 'exercise_machine',
  application: { at: 'Wahoo' },
  scopes_to_choose: ['email', 'user_read', 'workouts_read', 'offline_data'],
} satisfies ConnectedFacts;
