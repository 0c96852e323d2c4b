import type { ConnectedFacts } from '../facts.ts';

export const facts = {
  name: 'Strava',
  description: 'An app for running, riding and other sports.',
  auth_type: 'oauth',
  source_type: 'app',
  history_days: 14,
  resources: ['profile', 'workouts', 'workout_stream'],
  device: 'app',
  application: { at: 'Strava', subscription_id: true },
  scopes_to_choose: ['activity:read_all', 'activity:write', 'profile:write', 'profile:read_all'],
} satisfies ConnectedFacts;
