import { COURIER_SLUGS } from '../../labs/orders/testkit/couriers.ts';
import { command, type Command } from '../command.ts';
import { APPOINTMENT_COMMANDS } from './appointment-commands.ts';

const ACCOUNT_STATUSES = ['active', 'pending', 'suspended', 'ready_to_launch'] as const;
const DELEGATED_FLOWS = ['not_delegated', 'order_delegated', 'result_delegated', 'fully_delegated'] as const;

const MESSAGE_STATES = ['received', 'applied', 'failed', 'discarded'] as const;
const OUTGOING_STATES = ['waiting', 'held', 'committed', 'accepted', 'refused', 'withdrawn', 'given_up'] as const;
const messageOrLab = {
  outbox: { value: 'ID', meaning: 'One message, by the outbox_id of hl7 outgoing.', isId: true },
  lab: { value: 'SLUG', meaning: 'All messages to one laboratory.' },
} as const;
const oneLab = { value: 'SLUG', meaning: 'Only this laboratory.' } as const;
const message = { value: 'ID', meaning: 'Id of the message.', required: true, isId: true } as const;

const parsingJob = { value: 'ID', meaning: 'Its job_id.', required: true, isId: true } as const;

const organisation = { value: 'ID', meaning: 'Id of the organisation.', required: true, isId: true } as const;

/** The commands of the laboratory module, in the order of the help text. */
export const LAB_COMMANDS: Command[] = [
  command({
    words: 'lab-account add',
    summary: 'Open an account at a laboratory for teams of an organisation. Prints its id.',
    flags: {
      org: organisation,
      lab: { value: 'SLUG', meaning: 'Slug of the laboratory, as GET /v3/lab_tests/labs lists it.', required: true },
      number: { value: 'TEXT', meaning: 'Number of the account at the laboratory.', required: true },
      name: { value: 'TEXT', meaning: 'Name of the account.' },
      team: {
        value: 'ID',
        meaning: 'A team that may use the account. Default: every team of the organisation.',
        repeated: true,
        isId: true,
      },
      billing: {
        value: 'TYPE[=STATES]',
        meaning: 'A billing type, such as client_bill=AZ,CA. Default: client_bill.',
        repeated: true,
      },
      notes: { value: 'TEXT', meaning: 'Clinical notes for orders without their own.' },
      unit: { value: 'TEXT', meaning: 'A business unit of the laboratory.', repeated: true },
      flow: {
        value: 'FLOW',
        meaning: 'Which physicians sign orders and release results.',
        choices: DELEGATED_FLOWS,
        default: 'not_delegated',
      },
      status: {
        value: 'STATUS',
        meaning: 'Only an active account takes orders.',
        choices: ACCOUNT_STATUSES,
        default: 'active',
      },
    },
    run: async (values) => (await import('./lab-account.ts')).addLabAccountCommand(values),
  }),
  command({
    words: 'lab-account set-status',
    summary: 'Start or stop taking orders under an account.',
    flags: {
      org: organisation,
      account: { value: 'ID', meaning: 'Id of the account.', required: true, isId: true },
      status: {
        value: 'STATUS',
        meaning: 'Only an active account takes orders.',
        choices: ACCOUNT_STATUSES,
        required: true,
      },
    },
    run: async (values) => (await import('./lab-account.ts')).setLabAccountStatusCommand(values),
  }),
  command({
    words: 'lab-test approve',
    summary: 'Approve a lab test that a team made. A sandbox approves them itself.',
    flags: {
      team: { value: 'ID', meaning: 'Team of the lab test.', required: true, isId: true },
      test: { value: 'ID', meaning: 'Id of the lab test.', required: true, isId: true },
    },
    run: async (values) => (await import('./lab-test.ts')).approveLabTestCommand(values),
  }),
  command({
    words: 'lab connect',
    summary: 'Connect a laboratory by HL7 with its offer, or change its connection.',
    flags: {
      file: { value: 'FILE', meaning: 'The file that docs/guides/connect-a-laboratory.md describes.', required: true },
    },
    run: async (values) => (await import('./hl7.ts')).connectLabCommand(values),
  }),
  command({
    words: 'compendium import',
    summary: 'Import markers and codes of a laboratory from a CSV file. Prints the differences.',
    flags: {
      lab: { value: 'SLUG', meaning: 'Slug of the laboratory.', required: true },
      file: { value: 'FILE', meaning: 'The file that docs/guides/connect-a-laboratory.md describes.', required: true },
      'dry-run': { value: 'yes|no', meaning: 'Only print the differences.', choices: ['yes', 'no'], default: 'no' },
    },
    run: async (values) => (await import('./compendium.ts')).importCompendiumCommand(values),
  }),
  command({
    words: 'lab issue-kits',
    summary: 'Issue kit ids to a team, which registers kits by them. Prints the ids.',
    flags: {
      team: { value: 'ID', meaning: 'Id of the team.', required: true, isId: true },
      count: { value: 'NUMBER', meaning: 'Number of ids, 1 to 10000.', required: true },
    },
    run: async (values) => (await import('./issue-kits.ts')).issueKitsCommand(values),
  }),
  command({
    words: 'lab ship-kit',
    summary: 'Add the tracking numbers of a kit. Updates of carriers then advance its order.',
    flags: {
      team: { value: 'ID', meaning: 'Team of the order.', required: true, isId: true },
      order: { value: 'ID', meaning: 'Id of the order.', required: true, isId: true },
      outbound: { value: 'NUMBER', meaning: 'Tracking number of the parcel to the user.' },
      inbound: { value: 'NUMBER', meaning: 'Tracking number of the parcel to the laboratory.' },
      courier: { value: 'NAME', meaning: 'Courier of the parcels. Default: any carrier.', choices: COURIER_SLUGS },
    },
    run: async (values) => (await import('./ship-kit.ts')).shipKitCommand(values),
  }),
  ...APPOINTMENT_COMMANDS,
  command({
    words: 'hl7 list',
    summary: 'List messages of laboratories by ids and codes. Default: messages that need a repair.',
    flags: { state: { value: 'STATE', meaning: 'Which.', choices: MESSAGE_STATES, default: 'failed' }, lab: oneLab },
    run: async (values) => (await import('./hl7.ts')).listMessagesCommand(values),
  }),
  command({
    words: 'hl7 show',
    summary: 'Print a message of a laboratory as received. The output holds personal data.',
    flags: { message },
    run: async (values) => (await import('./hl7.ts')).showMessageCommand(values),
  }),
  command({
    words: 'hl7 repair',
    summary: 'Replace a waiting message with a repaired one, and apply it.',
    flags: { message, file: { value: 'FILE', meaning: 'The repaired message.', required: true } },
    run: async (values) => (await import('./hl7.ts')).repairMessageCommand(values),
  }),
  command({
    words: 'hl7 replay',
    summary: 'Apply a waiting message again, or with --lab all of a laboratory, for example after a new mapping.',
    flags: { message: { value: 'ID', meaning: 'Id of the message.', isId: true }, lab: oneLab },
    run: async (values) => (await import('./hl7.ts')).replayMessageCommand(values),
  }),
  command({
    words: 'hl7 discard',
    summary: 'Discard a waiting message.',
    flags: { message },
    run: async (values) => (await import('./hl7.ts')).discardMessageCommand(values),
  }),
  command({
    words: 'hl7 outgoing',
    summary: 'List outgoing messages with their statuses, by ids and codes. Default: refused orders.',
    flags: {
      state: { value: 'STATE', meaning: 'Which.', choices: OUTGOING_STATES, default: 'refused' },
      lab: oneLab,
    },
    run: async (values) => (await import('./outgoing.ts')).listOutgoingCommand(values),
  }),
  command({
    words: 'hl7 resend',
    summary: 'Send a refused order to its laboratory again, in its current state.',
    flags: { outbox: { value: 'ID', meaning: 'The outbox_id of hl7 outgoing.', required: true, isId: true } },
    run: async (values) => (await import('./outgoing.ts')).resendOrderCommand(values),
  }),
  command({
    words: 'hl7 give-up',
    summary: 'Fail the tests of a refused message. The order continues with its other tests, or ends.',
    flags: { outbox: { value: 'ID', meaning: 'The outbox_id of hl7 outgoing.', required: true, isId: true } },
    run: async (values) => (await import('./outgoing.ts')).giveUpOrderCommand(values),
  }),
  command({
    words: 'hl7 hold',
    summary: 'Hold one message, or all messages to a laboratory, until you release them.',
    flags: messageOrLab,
    run: async (values) => (await import('./outgoing.ts')).holdCommand(values),
  }),
  command({
    words: 'hl7 release',
    summary: 'Release held messages, which are then sent in their order.',
    flags: messageOrLab,
    run: async (values) => (await import('./outgoing.ts')).releaseCommand(values),
  }),
  command({
    words: 'report-parser list',
    summary: 'List lab reports that need a review, by ids, oldest first.',
    flags: { team: { value: 'ID', meaning: 'Only this team.', isId: true } },
    run: async (values) => (await import('./report-parser.ts')).listReportsCommand(values),
  }),
  command({
    words: 'report-parser show',
    summary: 'Print the parsed data of a lab report, with links to its files for 15 minutes. Personal data.',
    flags: { job: parsingJob },
    run: async (values) => (await import('./report-parser.ts')).showReportCommand(values),
  }),
  command({
    words: 'report-parser review',
    summary: 'Record that a person reviewed a lab report. Its team is notified.',
    flags: { job: parsingJob },
    run: async (values) => (await import('./report-parser.ts')).reviewReportCommand(values),
  }),
  command({
    words: 'physician add',
    summary: 'Add a physician to a team, or change the name of one.',
    flags: {
      team: { value: 'ID', meaning: 'Team of the physician.', required: true, isId: true },
      npi: { value: 'NPI', meaning: 'The NPI, 10 digits.', required: true },
      first: { value: 'NAME', meaning: 'First name.', required: true },
      last: { value: 'NAME', meaning: 'Last name.', required: true },
    },
    run: async (values) => (await import('./physician.ts')).addPhysicianCommand(values),
  }),
];
