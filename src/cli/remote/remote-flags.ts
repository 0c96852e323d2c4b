// Flags that commands about a running service share.

/** The flags of each command that asks a running service. */
export const REMOTE_FLAGS = {
  url: {
    value: 'URL',
    meaning:
      'Address of the service. Default: PHIAL_BASE_URL, else http://localhost:PORT, else that of the sandbox here.',
    aliases: ['base-url'],
  },
  key: {
    value: 'KEY',
    aliases: ['api-key'],
    meaning: 'Key, which a list of processes shows. Default: PHIAL_API_KEY, else the keys of the sandbox here.',
  },
} as const;

/** The flags that name a team. A management key needs them, because it may open several teams. */
export const TEAM_FLAGS = {
  org: { value: 'ID', meaning: 'Organisation of the team. Default: that of the sandbox here.', isId: true },
  team: { value: 'ID', meaning: 'The team. Default: that of the sandbox here.', isId: true },
} as const;

export const MAX_ITEMS = 10_000;

export const LIMIT_FLAG = {
  value: 'NUMBER',
  meaning: `How many to print at most, 1 to ${MAX_ITEMS}.`,
  default: '50',
} as const;
