import { command, type Command } from '../command.ts';

/** Commands that ask a running service, as its customers do. They open no database. */
export const REMOTE_COMMANDS: Command[] = [
  command({
    words: 'listen',
    summary: "Forward a team's events, signed, to an address on this machine.",
    examples: [
      'phial listen --forward-to http://localhost:4000/hook',
      "phial listen --forward-to http://localhost:4000/hook --events 'labtest.*'",
    ],
    flags: {
      'forward-to': { value: 'URL', meaning: 'Target URL, such as http://localhost:4000/hook.', required: true },
      'api-key': { value: 'KEY', meaning: 'Team API key. Default: PHIAL_API_KEY, which no list of processes shows.' },
      'base-url': {
        value: 'URL',
        meaning: 'Address of the service. Default: PHIAL_BASE_URL, else http://localhost:PORT.',
      },
      events: {
        value: 'TYPE',
        meaning: 'Event types, or beginnings such as `labtest.*`. Default: all.',
        repeated: true,
      },
      secret: { value: 'SECRET', meaning: 'Signing secret, whsec_…. Default: the command makes one and shows it.' },
      after: { value: 'CURSOR', meaning: 'Cursor to continue from, or `beginning`. Default: now.' },
    },
    run: async (values) => (await import('../listen/listen-command.ts')).listenCommand(values),
  }),
];
