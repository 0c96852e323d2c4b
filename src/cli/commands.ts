import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PACKAGE_ROOT } from '../package-root.ts';
import { command, type Command } from './command.ts';
import { LAB_COMMANDS } from './labs/commands.ts';

const PLANS = ['launch', 'grow', 'scale'] as const;

const organisation = { value: 'ID', meaning: 'Id of the organisation.', required: true, isId: true } as const;

const ofBeta = {
  org: organisation,
  team: { value: 'ID', meaning: 'Id of the team.', required: true, isId: true },
  beta: {
    value: 'NAME',
    meaning: 'Which one.',
    choices: ['continuous_queries', 'etl_pipelines', 'lab_report_parser'],
    required: true,
  },
} as const;

const ofSetting = {
  org: organisation,
  team: ofBeta.team,
  setting: { ...ofBeta.beta, choices: ['full_patient_details_in_webhooks', 'partial_webhooks_enabled'] },
  to: { value: 'STATE', meaning: 'What it is from now on.', choices: ['on', 'off'], required: true },
} as const;

/** Every command of the program, in the order of its help. */
export const COMMANDS: Command[] = [
  command({
    words: 'serve',
    insteadOf: ['start', 'run'],
    summary: 'The API and its worker in one process; what no command at all means too.',
    flags: {},
    run: async (_, options) => (await import('./serve.ts')).serveCommand('serve', options),
  }),
  command({
    words: 'api',
    summary: 'The API alone; any number of them may share a PostgreSQL.',
    flags: {},
    run: async (_, options) => (await import('./serve.ts')).serveCommand('api', options),
  }),
  command({
    words: 'worker',
    summary: 'Deliveries and background work alone; any number of them may share a PostgreSQL.',
    flags: {},
    run: async (_, options) => (await import('./serve.ts')).serveCommand('worker', options),
  }),
  command({
    words: 'migrate',
    summary: "Bring the database to this release's shape.",
    flags: {},
    run: async () => (await import('./database.ts')).migrateCommand(),
  }),
  command({
    words: 'bootstrap',
    summary: 'Make an organisation and its first Org Management Key, which is shown once.',
    flags: {
      org: { value: 'NAME', meaning: 'Name of the organisation.', required: true },
      plan: { value: 'PLAN', meaning: 'The management API needs scale.', choices: PLANS, default: 'scale' },
    },
    run: async (values) => (await import('./org.ts')).bootstrapCommand(values),
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
    summary: 'Make an Org Management Key, or with --team a Team Management Key; it is shown once.',
    flags: {
      org: organisation,
      label: { value: 'TEXT', meaning: 'What it is for.', required: true },
      team: {
        value: 'ID',
        meaning: 'The one team that it opens. A key for several teams is made over the API.',
        isId: true,
      },
    },
    run: async (values) => (await import('./keys.ts')).createKeyCommand(values),
  }),
  command({
    words: 'org keys revoke',
    summary: 'Refuse a management key from now on, the last one of an organisation too.',
    flags: {
      org: organisation,
      key: { value: 'ID', meaning: 'Id of the key, as `org keys list` shows it.', required: true, isId: true },
    },
    run: async (values) => (await import('./keys.ts')).revokeKeyCommand(values),
  }),
  command({
    words: 'org invites',
    summary: 'Show the open invites of an organisation with their links, as for a deployment that sends no mail.',
    flags: { org: organisation },
    run: async (values) => (await import('./org.ts')).invitesCommand(values),
  }),
  command({
    words: 'team list',
    summary: 'List the teams with their ids, deleted ones too, a line of JSON each.',
    flags: { org: { value: 'ID', meaning: 'Of one organisation only.', isId: true } },
    run: async (values) => (await import('./team.ts')).listTeamsCommand(values),
  }),
  command({
    words: 'team open-beta',
    summary: 'Open a closed beta to a team of a production deployment; a sandbox has all of them.',
    flags: ofBeta,
    run: async (values) => (await import('./team.ts')).openBetaCommand(values),
  }),
  command({
    words: 'team close-beta',
    summary: 'Close it again; what the team has made of it stays.',
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
    summary: 'Let webhooks tell a team all of its patients, or of partial results, or no longer.',
    flags: ofSetting,
    run: async (values) => (await import('./team.ts')).switchCommand(values),
  }),
  ...LAB_COMMANDS,
  command({
    words: 'backup',
    summary: 'Write a consistent copy, while the service runs or not.',
    flags: { to: { value: 'DIRECTORY', meaning: 'A directory that is not there yet.', required: true } },
    run: async (values) => (await import('./database.ts')).backupCommand(values),
  }),
  command({
    words: 'restore',
    summary: 'Read a backup into an empty database.',
    flags: { from: { value: 'DIRECTORY', meaning: 'What backup has written.', required: true } },
    run: async (values) => (await import('./database.ts')).restoreCommand(values),
  }),
  command({
    words: 'rotate-keys',
    summary: 'Seal all personal data under the first of PHIAL_ENCRYPTION_KEYS, while the service runs or not.',
    flags: {},
    run: async () => (await import('./rotate-keys.ts')).rotateKeysCommand(),
  }),
  command({
    words: 'replay',
    summary: 'Map what a provider sent again, after its mapper was mended, while the service runs or not.',
    flags: {
      provider: { value: 'SLUG', meaning: 'Of which provider, as `whoop_v2`.', required: true },
      resource: { value: 'NAME', meaning: 'Summaries of one kind only, as `sleep`.' },
      team: { value: 'ID', meaning: 'Of one team only.', isId: true },
      since: { value: 'DAY', meaning: 'Of this day and later ones, and what belongs to no day.', isDay: true },
    },
    run: async (values) => (await import('./replay.ts')).replayCommand(values),
  }),
  command({
    words: 'listen',
    summary: "Forward a team's events, signed, to an address on this machine.",
    flags: {
      'forward-to': { value: 'URL', meaning: 'Where to, as http://localhost:4000/hook.', required: true },
      'api-key': { value: 'KEY', meaning: 'Team API key. Left out: PHIAL_API_KEY, which no list of processes shows.' },
      'base-url': {
        value: 'URL',
        meaning: 'Address of the service. Left out: PHIAL_BASE_URL, else http://localhost:PORT.',
      },
      events: {
        value: 'TYPE',
        meaning: 'Types by name, or by a beginning as `labtest.*`. Left out: all.',
        repeated: true,
      },
      secret: { value: 'SECRET', meaning: 'What signs, as whsec_…. Left out: one is made and shown.' },
      after: { value: 'CURSOR', meaning: 'Where to go on, or `beginning`. Left out: from now on.' },
    },
    run: async (values) => (await import('./listen/listen.ts')).listenCommand(values),
  }),
  command({
    words: 'audit export',
    summary: 'Print the audit log as NDJSON.',
    flags: {
      from: { value: 'DAY', meaning: 'First day in UTC, as 2026-01-31.', required: true, isDay: true },
      to: { value: 'DAY', meaning: 'Last day in UTC.', required: true, isDay: true },
      org: { value: 'ID', meaning: 'Of one organisation only.', isId: true },
      team: { value: 'ID', meaning: 'Of one team only.', isId: true },
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
