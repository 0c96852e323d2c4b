import type { ConnectedFacts } from '../facts.ts';

export const facts = {
  name: 'WHOOP',
  description: 'Wristbands that follow strain, recovery and sleep.',
  auth_type: 'oauth',
  source_type: 'device',
  history_days: 180,
  resources: ['profile', 'body', 'activity', 'sleep', 'workouts', 'hrv', 'blood_oxygen', 'respiratory_rate'],
  application: { at: 'WHOOP' },
  scopes_to_choose: [
    'read:recovery',
    'read:cycles',
    'read:workout',
    'read:sleep',
    'read:profile',
    'read:body_measurement',
    'offline',
  ],
} satisfies ConnectedFacts;
