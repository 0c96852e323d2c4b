import { COURIER_SLUGS } from '../../labs/orders/testkit/couriers.ts';
import { command, type Command } from '../command.ts';
import { APPOINTMENT_COMMANDS } from './appointment-commands.ts';

const ACCOUNT_STATUSES = ['active', 'pending', 'suspended', 'ready_to_launch'] as const;
const DELEGATED_FLOWS = ['not_delegated', 'order_delegated', 'result_delegated', 'fully_delegated'] as const;

const MESSAGE_STATES = ['received', 'applied', 'failed', 'discarded'] as const;
const OUTGOING_STATES = ['waiting', 'held', 'committed', 'accepted', 'refused', 'withdrawn', 'given_up'] as const;
const heldOrAll = {
  outbox: { value: 'ID', meaning: 'One message, by its outbox_id as hl7 outgoing tells it.', isId: true },
  lab: { value: 'SLUG', meaning: 'Everything that goes to one laboratory.' },
} as const;
const oneLab = { value: 'SLUG', meaning: 'Of one laboratory only.' } as const;
const message = { value: 'ID', meaning: 'Id of the message.', required: true, isId: true } as const;

const parsingJob = { value: 'ID', meaning: 'Its job_id.', required: true, isId: true } as const;

const organisation = { value: 'ID', meaning: 'Id of the organisation.', required: true, isId: true } as const;

/** The commands of the laboratory wing, in the order of the help. */
export const LAB_COMMANDS: Command[] = [
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
    run: async (values) => (await import('./lab-account.ts')).addLabAccountCommand(values),
  }),
  command({
    words: 'lab-account set-status',
    summary: 'Take orders under an account from now on, or no longer.',
    flags: {
      org: organisation,
      account: { value: 'ID', meaning: 'Id of the account.', required: true, isId: true },
      status: { value: 'STATUS', meaning: 'Orders need active.', choices: ACCOUNT_STATUSES, required: true },
    },
    run: async (values) => (await import('./lab-account.ts')).setLabAccountStatusCommand(values),
  }),
  command({
    words: 'lab-test approve',
    summary: 'Let a lab test that a team made be ordered; a sandbox does that by itself.',
    flags: {
      team: { value: 'ID', meaning: 'Whose it is.', required: true, isId: true },
      test: { value: 'ID', meaning: 'Id of the lab test.', required: true, isId: true },
    },
    run: async (values) => (await import('./lab-test.ts')).approveLabTestCommand(values),
  }),
  command({
    words: 'lab connect',
    summary: 'Connect a laboratory by HL7, with what it offers, or change how one is connected.',
    flags: { file: { value: 'FILE', meaning: 'What docs/guides/connect-a-laboratory.md describes.', required: true } },
    run: async (values) => (await import('./hl7.ts')).connectLabCommand(values),
  }),
  command({
    words: 'compendium import',
    summary: 'Give a connected laboratory the markers and codes of a CSV file; prints what is different then.',
    flags: {
      lab: { value: 'SLUG', meaning: 'Which laboratory.', required: true },
      file: { value: 'FILE', meaning: 'What docs/guides/connect-a-laboratory.md describes.', required: true },
      'dry-run': { value: 'yes|no', meaning: 'Only print it.', choices: ['yes', 'no'], default: 'no' },
    },
    run: async (values) => (await import('./compendium.ts')).importCompendiumCommand(values),
  }),
  command({
    words: 'lab issue-kits',
    summary: 'Issue ids of kits to a team, by which they can be registered; prints them.',
    flags: {
      team: { value: 'ID', meaning: 'Id of the team.', required: true, isId: true },
      count: { value: 'NUMBER', meaning: 'How many, 1 to 10000.', required: true },
    },
    run: async (values) => (await import('./issue-kits.ts')).issueKitsCommand(values),
  }),
  command({
    words: 'lab ship-kit',
    summary: "Tell the tracking numbers of a kit's parcels, by which carriers' news move its order.",
    flags: {
      team: { value: 'ID', meaning: 'Whose order it is.', required: true, isId: true },
      order: { value: 'ID', meaning: 'Id of the order.', required: true, isId: true },
      outbound: { value: 'NUMBER', meaning: 'Tracking number on the way to the user.' },
      inbound: { value: 'NUMBER', meaning: 'Tracking number of the way back to the laboratory.' },
      courier: { value: 'NAME', meaning: 'Who carries it; left out, any carrier.', choices: COURIER_SLUGS },
    },
    run: async (values) => (await import('./ship-kit.ts')).shipKitCommand(values),
  }),
  ...APPOINTMENT_COMMANDS,
  command({
    words: 'hl7 list',
    summary: 'List messages of laboratories by ids and codes; those that wait to be repaired, unless told otherwise.',
    flags: { state: { value: 'STATE', meaning: 'Which.', choices: MESSAGE_STATES, default: 'failed' }, lab: oneLab },
    run: async (values) => (await import('./hl7.ts')).listMessagesCommand(values),
  }),
  command({
    words: 'hl7 show',
    summary: 'Print a message of a laboratory as it came: it holds personal data.',
    flags: { message },
    run: async (values) => (await import('./hl7.ts')).showMessageCommand(values),
  }),
  command({
    words: 'hl7 repair',
    summary: 'Put a mended message in the place of one that waits, and apply it.',
    flags: { message, file: { value: 'FILE', meaning: 'The mended message.', required: true } },
    run: async (values) => (await import('./hl7.ts')).repairMessageCommand(values),
  }),
  command({
    words: 'hl7 replay',
    summary: 'Apply a message that waits anew, or with --lab all of a laboratory, as after a code was mapped.',
    flags: { message: { value: 'ID', meaning: 'Id of the message.', isId: true }, lab: oneLab },
    run: async (values) => (await import('./hl7.ts')).replayMessageCommand(values),
  }),
  command({
    words: 'hl7 discard',
    summary: 'Set a message aside that nobody need repair.',
    flags: { message },
    run: async (values) => (await import('./hl7.ts')).discardMessageCommand(values),
  }),
  command({
    words: 'hl7 outgoing',
    summary: 'List orders that a laboratory refused, unless told otherwise, with their statuses, by ids and codes.',
    flags: {
      state: { value: 'STATE', meaning: 'Which.', choices: OUTGOING_STATES, default: 'refused' },
      lab: oneLab,
    },
    run: async (values) => (await import('./outgoing.ts')).listOutgoingCommand(values),
  }),
  command({
    words: 'hl7 resend',
    summary: 'Tell a laboratory again of an order that it refused, as the order is now.',
    flags: { outbox: { value: 'ID', meaning: 'Its outbox_id, as hl7 outgoing tells it.', required: true, isId: true } },
    run: async (values) => (await import('./outgoing.ts')).resendOrderCommand(values),
  }),
  command({
    words: 'hl7 give-up',
    summary: 'Fail the tests of a message that a laboratory refused; the order goes on with the others, or ends.',
    flags: { outbox: { value: 'ID', meaning: 'Its outbox_id, as hl7 outgoing tells it.', required: true, isId: true } },
    run: async (values) => (await import('./outgoing.ts')).giveUpOrderCommand(values),
  }),
  command({
    words: 'hl7 hold',
    summary: 'Send a laboratory nothing, or one message not, until it is released.',
    flags: heldOrAll,
    run: async (values) => (await import('./outgoing.ts')).holdCommand(values),
  }),
  command({
    words: 'hl7 release',
    summary: 'Send what was held, in its turn.',
    flags: heldOrAll,
    run: async (values) => (await import('./outgoing.ts')).releaseCommand(values),
  }),
  command({
    words: 'report-parser list',
    summary: 'List lab reports that somebody has to look at, by ids, oldest first.',
    flags: { team: { value: 'ID', meaning: 'Of one team only.', isId: true } },
    run: async (values) => (await import('./report-parser.ts')).listReportsCommand(values),
  }),
  command({
    words: 'report-parser show',
    summary: 'Print what was read of a lab report, with links to its files for 15 minutes: it holds personal data.',
    flags: { job: parsingJob },
    run: async (values) => (await import('./report-parser.ts')).showReportCommand(values),
  }),
  command({
    words: 'report-parser review',
    summary: 'Say that somebody has looked at a lab report; its team is told.',
    flags: { job: parsingJob },
    run: async (values) => (await import('./report-parser.ts')).reviewReportCommand(values),
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
    run: async (values) => (await import('./physician.ts')).addPhysicianCommand(values),
  }),
];
