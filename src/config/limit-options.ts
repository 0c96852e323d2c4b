// Limits for how many objects of each kind an organisation or a team may have.
import { orNull, whole } from './option-kinds.ts';

export const LIMIT_OPTIONS = {
  PHIAL_TEAMS_PER_ORG: {
    default: '100',
    read: whole(1, 100_000),
    meaning: 'Teams that an organisation may have (1 to 100000).',
  },
  PHIAL_MANAGEMENT_KEYS_PER_ORG: {
    default: '100',
    read: whole(2, 10_000),
    meaning: 'Management keys that an organisation may have in use (2 to 10000).',
  },
  PHIAL_MEMBERS_PER_ORG: {
    default: '1000',
    read: whole(1, 100_000),
    meaning: 'Members and open invites that an organisation may have (1 to 100000).',
  },
  PHIAL_DOMAINS_PER_ORG: {
    default: '50',
    read: whole(1, 1000),
    meaning: 'Domains that an organisation may have (1 to 1000).',
  },
  PHIAL_EHR_MEMBERS_PER_ORG: {
    default: '10000',
    read: whole(1, 1_000_000),
    meaning: 'Members that an EHR integration may add to an organisation (1 to 1000000).',
  },
  PHIAL_API_KEYS_PER_TEAM: {
    default: '50',
    read: whole(1, 10_000),
    meaning: 'API keys that a team may have in use (1 to 10000).',
  },
  PHIAL_LAB_TESTS_PER_TEAM: {
    default: '500',
    read: whole(1, 10_000),
    meaning: 'Lab tests that a team may have (1 to 10000). Those that its orders generate do not count.',
  },
  PHIAL_WEBHOOKS_PER_TEAM: {
    default: '50',
    read: whole(1, 1000),
    meaning: 'Webhook endpoints that a team may have (1 to 1000).',
  },
  PHIAL_CONTINUOUS_QUERIES_PER_TEAM: {
    default: '20',
    read: whole(1, 100),
    meaning: 'Continuous queries that a team may have (1 to 100).',
  },
  PHIAL_USERS_PER_TEAM: {
    default: '',
    read: orNull(whole(1, 1_000_000_000)),
    meaning: 'Users that a team may have; empty: no limit.',
  },
} as const;
