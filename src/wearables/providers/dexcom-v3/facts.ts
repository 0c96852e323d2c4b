import type { ConnectedFacts } from '../facts.ts';

export const facts = {
  name: 'Dexcom',
  description: 'Glucose sensors that are worn around the clock.',
  auth_type: 'oauth',
  source_type: 'device',
  history_days: 30,
  resources: ['glucose'],
  device: 'automatic',
  application: { at: 'Dexcom' },
} satisfies ConnectedFacts;
