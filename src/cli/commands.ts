import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PACKAGE_ROOT } from '../package-root.ts';
import { command, type Command } from './command.ts';

const PLANS = ['launch', 'grow', 'scale'] as const;

const ACCOUNT_STATUSES = ['active', 'pending', 'suspended', 'ready_to_launch'] as const;
const DELEGATED_FLOWS = ['not_delegated', 'order_delegated', 'result_delegated', 'fully_delegated'] as const;

const MESSAGE_STATES = ['received', 'applied', 'failed', 'discarded'] as const;
const OUTGOING_STATES = ['waiting', 'accepted', 'refused'] as const;
const oneLab = { value: 'SLUG', meaning: 'Of one laboratory only.' } as const;
const message = { value: 'ID', meaning: 'Id of the message.', required: true, isId: true } as const;

const parsingJob = { value: 'ID', meaning: 'Its job_id.', required: true, isId: true } as const;

const organisation = { value: 'ID', meaning: 'Id of the organisation.', required: true, isId: true } as const;

const ofBeta = {
  org: organisation,
  team: { value: 'ID', meaning: 'Id of the team.', required: true, isId: true },
  beta: { value: 'NAME', meaning: 'Which one.', choices: ['continuous_queries', 'lab_report_parser'], required: true },
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
    words: 'lab-account add',
    summary: 'Open an account at a laboratory to teams of an organisation; prints its id.',
    flags: {
      org: organisation,
      lab: { value: 'SLUG', meaning: 'Which laboratory, as GET /v3/lab_tests/labs tells it.', required: true },
      number: { value: 'TEXT', meaning: "The laboratory's own number for the account.", required: true },
      name: { value: 'TEXT', meaning: 'What it is called.' },
      team: {
        value: 'ID',
        meaning: 'A team that may use it, as often as needed; left out, every team of the organisation.',
        repeated: true,
        isId: true,
      },
      billing: {
        value: 'TYPE[=STATES]',
        meaning: 'How its orders may be billed, as client_bill=AZ,CA, as often as needed; left out, client_bill.',
        repeated: true,
      },
      notes: { value: 'TEXT', meaning: 'Clinical notes of orders that bring none.' },
      unit: { value: 'TEXT', meaning: 'A business unit of the laboratory, as often as needed.', repeated: true },
      flow: {
        value: 'FLOW',
        meaning: 'Whose physicians order and release results.',
        choices: DELEGATED_FLOWS,
        default: 'not_delegated',
      },
      status: { value: 'STATUS', meaning: 'Orders need active.', choices: ACCOUNT_STATUSES, default: 'active' },
    },
    run: async (values) => (await import('./labs/lab-account.ts')).addLabAccountCommand(values),
  }),
  command({
    words: 'lab-account set-status',
    summary: 'Take orders under an account from now on, or no longer.',
    flags: {
      org: organisation,
      account: { value: 'ID', meaning: 'Id of the account.', required: true, isId: true },
      status: { value: 'STATUS', meaning: 'Orders need active.', choices: ACCOUNT_STATUSES, required: true },
    },
    run: async (values) => (await import('./labs/lab-account.ts')).setLabAccountStatusCommand(values),
  }),
  command({
    words: 'lab-test approve',
    summary: 'Let a lab test that a team made be ordered; a sandbox does that by itself.',
    flags: {
      team: { value: 'ID', meaning: 'Whose it is.', required: true, isId: true },
      test: { value: 'ID', meaning: 'Id of the lab test.', required: true, isId: true },
    },
    run: async (values) => (await import('./labs/lab-test.ts')).approveLabTestCommand(values),
  }),
  command({
    words: 'lab connect',
    summary: 'Connect a laboratory by HL7, with what it offers, or change how one is connected.',
    flags: { file: { value: 'FILE', meaning: 'What docs/guides/connect-a-laboratory.md describes.', required: true } },
    run: async (values) => (await import('./labs/hl7.ts')).connectLabCommand(values),
  }),
  command({
    words: 'lab issue-kits',
    summary: 'Issue ids of kits to a team, by which they can be registered; prints them.',
    flags: {
      team: { value: 'ID', meaning: 'Id of the team.', required: true, isId: true },
      count: { value: 'NUMBER', meaning: 'How many, 1 to 10000.', required: true },
    },
    run: async (values) => (await import('./labs/issue-kits.ts')).issueKitsCommand(values),
  }),
  command({
    words: 'hl7 list',
    summary: 'List messages of laboratories by ids and codes; those that wait to be repaired, unless told otherwise.',
    flags: { state: { value: 'STATE', meaning: 'Which.', choices: MESSAGE_STATES, default: 'failed' }, lab: oneLab },
    run: async (values) => (await import('./labs/hl7.ts')).listMessagesCommand(values),
  }),
  command({
    words: 'hl7 show',
    summary: 'Print a message of a laboratory as it came: it holds personal data.',
    flags: { message },
    run: async (values) => (await import('./labs/hl7.ts')).showMessageCommand(values),
  }),
  command({
    words: 'hl7 repair',
    summary: 'Put a mended message in the place of one that waits, and apply it.',
    flags: { message, file: { value: 'FILE', meaning: 'The mended message.', required: true } },
    run: async (values) => (await import('./labs/hl7.ts')).repairMessageCommand(values),
  }),
  command({
    words: 'hl7 replay',
    summary: 'Apply a message that waits anew, or with --lab all of a laboratory, as after a code was mapped.',
    flags: { message: { value: 'ID', meaning: 'Id of the message.', isId: true }, lab: oneLab },
    run: async (values) => (await import('./labs/hl7.ts')).replayMessageCommand(values),
  }),
  command({
    words: 'hl7 discard',
    summary: 'Set a message aside that nobody need repair.',
    flags: { message },
    run: async (values) => (await import('./labs/hl7.ts')).discardMessageCommand(values),
  }),
  command({
    words: 'hl7 outgoing',
    summary: 'List orders that a laboratory refused, unless told otherwise, by ids and codes.',
    flags: {
      state: { value: 'STATE', meaning: 'Which.', choices: OUTGOING_STATES, default: 'refused' },
      lab: oneLab,
    },
    run: async (values) => (await import('./labs/hl7.ts')).listOutgoingCommand(values),
  }),
  command({
    words: 'hl7 resend',
    summary: 'Tell a laboratory again of an order that it refused, as the order is now.',
    flags: { outbox: { value: 'ID', meaning: 'Its outbox_id, as hl7 outgoing tells it.', required: true, isId: true } },
    run: async (values) => (await import('./labs/hl7.ts')).resendOrderCommand(values),
  }),
  command({
    words: 'report-parser list',
    summary: 'List lab reports that somebody has to look at, by ids, oldest first.',
    flags: { team: { value: 'ID', meaning: 'Of one team only.', isId: true } },
    run: async (values) => (await import('./labs/report-parser.ts')).listReportsCommand(values),
  }),
  command({
    words: 'report-parser show',
    summary: 'Print what was read of a lab report, with links to its files for 15 minutes: it holds personal data.',
    flags: { job: parsingJob },
    run: async (values) => (await import('./labs/report-parser.ts')).showReportCommand(values),
  }),
  command({
    words: 'report-parser review',
    summary: 'Say that somebody has looked at a lab report; its team is told.',
    flags: { job: parsingJob },
    run: async (values) => (await import('./labs/report-parser.ts')).reviewReportCommand(values),
  }),
  command({
    words: 'physician add',
    summary: 'Add a physician to a team, or give one another name.',
    flags: {
      team: { value: 'ID', meaning: 'Whose physician.', required: true, isId: true },
      npi: { value: 'NPI', meaning: 'The 10 digits.', required: true },
      first: { value: 'NAME', meaning: 'First name.', required: true },
      last: { value: 'NAME', meaning: 'Last name.', required: true },
    },
    run: async (values) => (await import('./labs/physician.ts')).addPhysicianCommand(values),
  }),
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
