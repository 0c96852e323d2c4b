import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PACKAGE_ROOT } from '../package-root.ts';
import { command, type Command } from './command.ts';
import { LAB_COMMANDS } from './labs/lab-commands.ts';

const PLANS = ['launch', 'grow', 'scale'] as const;

const organisation = { value: 'ID', meaning: 'Id of the organisation.', required: true, isId: true } as const;

const ofBeta = {
  org: organisation,
  team: { value: 'ID', meaning: 'Id of the team.', required: true, isId: true },
  beta: {
    value: 'NAME',
    meaning: 'Its name.',
    choices: ['continuous_queries', 'etl_pipelines', 'lab_report_parser'],
    required: true,
  },
} as const;

const ofSetting = {
  org: organisation,
  team: ofBeta.team,
  setting: { ...ofBeta.beta, choices: ['full_patient_details_in_webhooks', 'partial_webhooks_enabled'] },
  to: { value: 'STATE', meaning: 'The new value.', choices: ['on', 'off'], required: true },
} as const;

/** Every command of the program, in the order of the help text. */
export const COMMANDS: Command[] = [
  command({
    words: 'serve',
    insteadOf: ['start', 'run'],
    summary: 'Run the API and its worker in one process. This is the default command.',
    flags: {},
    run: async (_, options) => (await import('./serve-command.ts')).serveCommand('serve', options),
  }),
  command({
    words: 'api',
    summary: 'Run the API only. Several of them may share a PostgreSQL server.',
    flags: {},
    run: async (_, options) => (await import('./serve-command.ts')).serveCommand('api', options),
  }),
  command({
    words: 'worker',
    summary: 'Run deliveries and background work only. Several of them may share a PostgreSQL server.',
    flags: {},
    run: async (_, options) => (await import('./serve-command.ts')).serveCommand('worker', options),
  }),
  command({
    words: 'migrate',
    summary: 'Migrate the database to this release.',
    flags: {},
    run: async () => (await import('./database.ts')).migrateCommand(),
  }),
  command({
    words: 'doctor',
    insteadOf: ['check', 'health', 'diagnose'],
    summary:
      'Check options, database, keys, clock, disks, mail and service, and say how to mend each. Changes nothing.',
    flags: { json: { value: '', meaning: 'Print the findings as JSON.' } },
    run: async (values) => (await import('./doctor/doctor-command.ts')).doctorCommand(values),
  }),
  command({
    words: 'bootstrap',
    summary: 'Make an organisation and its first Org Management Key. Prints the key once.',
    flags: {
      org: { value: 'NAME', meaning: 'Name of the organisation.', required: true },
      plan: { value: 'PLAN', meaning: 'The management API needs scale.', choices: PLANS, default: 'scale' },
    },
    run: async (values) => (await import('./org.ts')).bootstrapCommand(values),
  }),
  command({
    words: 'sign-in-link',
    insteadOf: ['login', 'sign-in'],
    summary: 'Print a link with which you sign in to the dashboard once, with all rights in an organisation.',
    flags: { org: { value: 'ID', meaning: 'Id of the organisation. Default: the oldest one.', isId: true } },
    run: async (values) => (await import('./sign-in-link.ts')).signInLinkCommand(values),
  }),
  command({
    words: 'org list',
    summary: 'List the organisations with their ids and plans, a line of JSON each.',
    flags: {},
    run: async () => (await import('./org.ts')).listOrgsCommand(),
  }),
  command({
    words: 'org set-plan',
    summary: "Change an organisation's plan.",
    flags: {
      org: organisation,
      plan: { value: 'PLAN', meaning: 'The management API needs scale.', choices: PLANS, required: true },
    },
    run: async (values) => (await import('./org.ts')).setPlanCommand(values),
  }),
  command({
    words: 'org keys list',
    summary: "Show an organisation's management keys by their first characters.",
    flags: { org: organisation },
    run: async (values) => (await import('./keys.ts')).listKeysCommand(values),
  }),
  command({
    words: 'org keys create',
    summary: 'Make an Org Management Key, or with --team a Team Management Key. Prints the key once.',
    flags: {
      org: organisation,
      label: { value: 'TEXT', meaning: 'Purpose of the key.', required: true },
      team: {
        value: 'ID',
        meaning: 'The one team that it may manage. The API can make a key for several teams.',
        isId: true,
      },
    },
    run: async (values) => (await import('./keys.ts')).createKeyCommand(values),
  }),
  command({
    words: 'org keys revoke',
    summary: 'Revoke a management key, even the last one of an organisation.',
    flags: {
      org: organisation,
      key: { value: 'ID', meaning: 'Id of the key, as `org keys list` shows it.', required: true, isId: true },
    },
    run: async (values) => (await import('./keys.ts')).revokeKeyCommand(values),
  }),
  command({
    words: 'org invites',
    summary: 'List the open invites of an organisation with their links, for a deployment without mail.',
    flags: { org: organisation },
    run: async (values) => (await import('./org.ts')).invitesCommand(values),
  }),
  command({
    words: 'team list',
    summary: 'List the teams with their ids, also deleted ones, a line of JSON each.',
    flags: { org: { value: 'ID', meaning: 'Only teams of this organisation.', isId: true } },
    run: async (values) => (await import('./team.ts')).listTeamsCommand(values),
  }),
  command({
    words: 'team open-beta',
    summary: 'Open a closed beta to a team of a production deployment. In a sandbox every beta is open.',
    flags: ofBeta,
    run: async (values) => (await import('./team.ts')).openBetaCommand(values),
  }),
  command({
    words: 'team close-beta',
    summary: 'Close a beta to a team. The objects that the team made with it stay.',
    flags: ofBeta,
    run: async (values) => (await import('./team.ts')).closeBetaCommand(values),
  }),
  command({
    words: 'team end-links',
    summary: 'End all signed links of a team: to requisitions, results, lab reports and pages for patients.',
    flags: { org: organisation, team: ofBeta.team },
    run: async (values) => (await import('./team.ts')).endLinksCommand(values),
  }),
  command({
    words: 'team switch',
    summary: 'Switch a setting of webhooks for a team: full patient details, or partial results.',
    flags: ofSetting,
    run: async (values) => (await import('./team.ts')).switchCommand(values),
  }),
  ...LAB_COMMANDS,
  command({
    words: 'backup',
    summary: 'Write a consistent copy of the database. The service may run meanwhile.',
    flags: { to: { value: 'DIRECTORY', meaning: 'A new directory.', required: true } },
    run: async (values) => (await import('./database.ts')).backupCommand(values),
  }),
  command({
    words: 'restore',
    summary: 'Read a backup into an empty database.',
    flags: { from: { value: 'DIRECTORY', meaning: 'The directory of a backup.', required: true } },
    run: async (values) => (await import('./database.ts')).restoreCommand(values),
  }),
  command({
    words: 'rotate-keys',
    summary: 'Seal all personal data with the first of PHIAL_ENCRYPTION_KEYS. The service may run meanwhile.',
    flags: {},
    run: async () => (await import('./rotate-keys.ts')).rotateKeysCommand(),
  }),
  command({
    words: 'replay',
    summary: 'Map stored provider data again, after a fix of a mapper. The service may run meanwhile.',
    flags: {
      provider: { value: 'SLUG', meaning: 'Slug of the provider, such as `whoop_v2`.', required: true },
      resource: { value: 'NAME', meaning: 'Only summaries of this kind, such as `sleep`.' },
      team: { value: 'ID', meaning: 'Only this team.', isId: true },
      since: { value: 'DAY', meaning: 'Only data of this day and later days, and data without a day.', isDay: true },
    },
    run: async (values) => (await import('./replay-command.ts')).replayCommand(values),
  }),
  command({
    words: 'listen',
    summary: "Forward a team's events, signed, to an address on this machine.",
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
    run: async (values) => (await import('./listen/listen-command.ts')).listenCommand(values),
  }),
  command({
    words: 'audit export',
    summary: 'Print the audit log as NDJSON.',
    flags: {
      from: { value: 'DAY', meaning: 'First day in UTC, such as 2026-01-31.', required: true, isDay: true },
      to: { value: 'DAY', meaning: 'Last day in UTC.', required: true, isDay: true },
      org: { value: 'ID', meaning: 'Only this organisation.', isId: true },
      team: { value: 'ID', meaning: 'Only this team.', isId: true },
    },
    run: async (values) => (await import('./audit.ts')).exportAuditCommand(values),
  }),
  command({
    words: 'openapi',
    summary: 'Print the OpenAPI document.',
    flags: {},
    run: async () => {
      console.log(readFileSync(join(PACKAGE_ROOT, 'openapi.json'), 'utf8'));
      return 0;
    },
  }),
];
