import { command, JSON_FLAG, type Command } from '../command.ts';
import { LIMIT_FLAG, REMOTE_FLAGS, TEAM_FLAGS } from './remote-flags.ts';

const INTERPRETATIONS = ['normal', 'abnormal', 'critical', 'unknown'] as const;

/** Commands that ask a running service, as its customers do. They open no database. */
export const REMOTE_COMMANDS: Command[] = [
  command({
    words: 'status',
    summary: 'Say whether the service and a team are well, what is wrong first. Exit code 1: something needs a person.',
    examples: ['phial status', 'phial status --json', 'phial status --url https://api.example.com --org ID --team ID'],
    flags: { ...REMOTE_FLAGS, ...TEAM_FLAGS, json: JSON_FLAG },
    run: async (values) => (await import('./status.ts')).statusCommand(values),
  }),
  command({
    words: 'orders',
    summary: 'List the orders of a team, the newest first, or show one with its events.',
    examples: [
      'phial orders --status awaiting_registration',
      'phial orders ID',
      'phial orders --interpretation critical --since 2026-01-31 --json',
    ],
    operand: { name: 'ID', meaning: 'Id of one order.' },
    flags: {
      status: {
        value: 'STATUS',
        meaning: 'The last part of the newest status, such as completed.',
        repeated: true,
      },
      search: { value: 'TEXT', meaning: 'Words of a name, a date of birth, or an id of order, user or sample.' },
      user: { value: 'ID', meaning: 'Only orders of this user.', isId: true },
      interpretation: { value: 'WORD', meaning: 'Only orders with such results.', choices: INTERPRETATIONS },
      since: { value: 'DAY', meaning: 'Only orders that were created on this day in UTC or later.', isDay: true },
      until: { value: 'DAY', meaning: 'Only orders that were created on this day or earlier.', isDay: true },
      limit: LIMIT_FLAG,
      ...REMOTE_FLAGS,
      json: JSON_FLAG,
    },
    run: async (values) => (await import('./orders.ts')).ordersCommand(values),
  }),
  command({
    words: 'users',
    summary: 'List the users of a team, the oldest first, find some by a part of their client_user_id, or show one.',
    examples: ['phial users', 'phial users patient-47', 'phial users ID --json'],
    operand: { name: 'SEARCH', meaning: 'A user_id, or a part of a client_user_id.' },
    flags: { limit: LIMIT_FLAG, ...REMOTE_FLAGS, json: JSON_FLAG },
    run: async (values) => (await import('./users.ts')).usersCommand(values),
  }),
  command({
    words: 'export',
    summary: 'Write everything of a team, or of one user, as lines of JSON. Personal data, as plain text.',
    examples: [
      'phial export --to team.ndjson',
      'phial export --user ID --to user.ndjson',
      'phial export --org ID --team ID > team.ndjson',
    ],
    flags: {
      user: { value: 'ID', meaning: 'Only this user.', isId: true },
      to: { value: 'FILE', meaning: 'A new file. Default: stdout.' },
      ...TEAM_FLAGS,
      ...REMOTE_FLAGS,
      json: { ...JSON_FLAG, meaning: 'Print the file and its counts as JSON.' },
    },
    run: async (values) => (await import('./export.ts')).exportCommand(values),
  }),
  command({
    words: 'trigger',
    insteadOf: ['emit', 'fire', 'simulate'],
    summary:
      'Do in a sandbox what publishes an event: order, ship, book, report, push or connect, for a new invented user. ' +
      '--list lists all events with what happens, and those that cannot be triggered with the reason.',
    examples: [
      'phial trigger labtest.result.critical',
      'phial trigger daily.data.sleep.created --json',
      'phial trigger --list',
    ],
    operand: { name: 'EVENT', meaning: 'The type of the event.' },
    flags: {
      list: { value: '', meaning: 'List all events instead.' },
      ...REMOTE_FLAGS,
      ...TEAM_FLAGS,
      json: { ...JSON_FLAG, meaning: 'Print the whole event as JSON.' },
    },
    run: async (values) => (await import('../trigger/trigger-command.ts')).triggerCommand(values),
  }),
  command({
    words: 'demo-clinic',
    insteadOf: ['demo', 'seed', 'fixtures'],
    summary:
      'Load invented people, orders in every status, wearables and two endpoints into a team of a sandbox. A second ' +
      'run watches the first, or continues it after a failure.',
    examples: ['phial demo-clinic', 'phial demo-clinic --org ID --team ID --json'],
    flags: { ...REMOTE_FLAGS, ...TEAM_FLAGS, json: JSON_FLAG },
    run: async (values) => (await import('./demo-clinic.ts')).demoClinicCommand(values),
  }),
  command({
    words: 'mcp',
    insteadOf: ['assistant', 'ai'],
    summary:
      'Serve orders, results and wearable data to an assistant by the Model Context Protocol, on stdin and stdout. ' +
      'It reads only, with the rights of the key.',
    examples: ['phial mcp', 'PHIAL_API_KEY=KEY phial mcp --url https://api.example.com'],
    flags: REMOTE_FLAGS,
    run: async (values) => (await import('../mcp/mcp-command.ts')).mcpCommand(values),
  }),
  command({
    words: 'listen',
    summary: "Forward a team's events, signed, to an address on this machine.",
    examples: [
      'phial listen --forward-to http://localhost:4000/hook',
      "phial listen --forward-to http://localhost:4000/hook --events 'labtest.*'",
    ],
    flags: {
      'forward-to': { value: 'URL', meaning: 'Target URL, such as http://localhost:4000/hook.', required: true },
      ...REMOTE_FLAGS,
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
