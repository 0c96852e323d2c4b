import { command, JSON_FLAG, type Command } from '../command.ts';

const MESSAGE_STATES = ['received', 'applied', 'failed', 'discarded'] as const;
const OUTGOING_STATES = ['waiting', 'held', 'committed', 'accepted', 'refused', 'withdrawn', 'given_up'] as const;
const messageOrLab = {
  outbox: { value: 'ID', meaning: 'One message, by the outbox_id of hl7 outgoing.', isId: true },
  lab: { value: 'SLUG', meaning: 'All messages to one laboratory.' },
} as const;
const oneLab = { value: 'SLUG', meaning: 'Only this laboratory.' } as const;
const message = { value: 'ID', meaning: 'Id of the message.', required: true, isId: true } as const;

/** Commands about the HL7 messages of laboratories. */
export const HL7_COMMANDS: Command[] = [
  command({
    words: 'hl7 list',
    summary: 'List messages of laboratories by ids and codes. Default: messages that need a repair.',
    examples: ['phial hl7 list', 'phial hl7 list --state applied --lab acme'],
    flags: {
      state: { value: 'STATE', meaning: 'Which.', choices: MESSAGE_STATES, default: 'failed' },
      lab: oneLab,
      json: JSON_FLAG,
    },
    run: async (values) => (await import('./hl7.ts')).listMessagesCommand(values),
  }),
  command({
    words: 'hl7 show',
    summary: 'Print a message of a laboratory as received. The output holds personal data.',
    examples: ['phial hl7 list', 'phial hl7 show --message ID'],
    flags: { message, json: JSON_FLAG },
    run: async (values) => (await import('./hl7.ts')).showMessageCommand(values),
  }),
  command({
    words: 'hl7 repair',
    summary: 'Replace a waiting message with a repaired one, and apply it.',
    examples: ['phial hl7 show --message ID > repaired.hl7', 'phial hl7 repair --message ID --file repaired.hl7'],
    flags: { message, file: { value: 'FILE', meaning: 'The repaired message.', required: true }, json: JSON_FLAG },
    run: async (values) => (await import('./hl7.ts')).repairMessageCommand(values),
  }),
  command({
    words: 'hl7 replay',
    summary: 'Apply a waiting message again, or with --lab all of a laboratory, for example after a new mapping.',
    examples: ['phial hl7 replay --message ID', 'phial hl7 replay --lab acme'],
    flags: { message: { value: 'ID', meaning: 'Id of the message.', isId: true }, lab: oneLab, json: JSON_FLAG },
    run: async (values) => (await import('./hl7.ts')).replayMessageCommand(values),
  }),
  command({
    words: 'hl7 discard',
    summary: 'Discard a waiting message.',
    examples: ['phial hl7 list', 'phial hl7 discard --message ID'],
    flags: { message, json: JSON_FLAG },
    run: async (values) => (await import('./hl7.ts')).discardMessageCommand(values),
  }),
  command({
    words: 'hl7 outgoing',
    summary: 'List outgoing messages with their statuses, by ids and codes. Default: refused orders.',
    examples: ['phial hl7 outgoing', 'phial hl7 outgoing --state waiting --lab acme'],
    flags: {
      state: { value: 'STATE', meaning: 'Which.', choices: OUTGOING_STATES, default: 'refused' },
      lab: oneLab,
      json: JSON_FLAG,
    },
    run: async (values) => (await import('./outgoing.ts')).listOutgoingCommand(values),
  }),
  command({
    words: 'hl7 resend',
    summary: 'Send a refused order to its laboratory again, in its current state.',
    examples: ['phial hl7 outgoing', 'phial hl7 resend --outbox ID'],
    flags: {
      outbox: { value: 'ID', meaning: 'The outbox_id of hl7 outgoing.', required: true, isId: true },
      json: JSON_FLAG,
    },
    run: async (values) => (await import('./outgoing.ts')).resendOrderCommand(values),
  }),
  command({
    words: 'hl7 give-up',
    summary: 'Fail the tests of a refused message. The order continues with its other tests, or ends.',
    examples: ['phial hl7 outgoing', 'phial hl7 give-up --outbox ID'],
    flags: {
      outbox: { value: 'ID', meaning: 'The outbox_id of hl7 outgoing.', required: true, isId: true },
      json: JSON_FLAG,
    },
    run: async (values) => (await import('./outgoing.ts')).giveUpOrderCommand(values),
  }),
  command({
    words: 'hl7 hold',
    summary: 'Hold one message, or all messages to a laboratory, until you release them.',
    examples: ['phial hl7 hold --lab acme', 'phial hl7 hold --outbox ID'],
    flags: { ...messageOrLab, json: JSON_FLAG },
    run: async (values) => (await import('./outgoing.ts')).holdCommand(values),
  }),
  command({
    words: 'hl7 release',
    summary: 'Release held messages, which are then sent in their order.',
    examples: ['phial hl7 release --lab acme', 'phial hl7 release --outbox ID'],
    flags: { ...messageOrLab, json: JSON_FLAG },
    run: async (values) => (await import('./outgoing.ts')).releaseCommand(values),
  }),
];
