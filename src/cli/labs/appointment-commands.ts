import { APPOINTMENT_PROVIDERS } from '../../labs/schedulers/providers.ts';
import { command, JSON_FLAG, type Command } from '../command.ts';

const ofOrder = {
  team: { value: 'ID', meaning: 'Team of the order.', required: true, isId: true },
  order: { value: 'ID', meaning: 'Id of the order.', required: true, isId: true },
} as const;
const time = {
  start: { value: 'TIME', meaning: 'Start with its UTC offset, such as 2027-01-31T09:00-07:00.', required: true },
  minutes: { value: 'NUMBER', meaning: 'Duration in minutes, 5 to 480.', default: '60' },
} as const;

/** Commands for schedulers, and for appointments that an operator books by telephone. In the order of the help text. */
export const APPOINTMENT_COMMANDS: Command[] = [
  command({
    words: 'scheduler connect',
    summary: 'Connect a scheduler, or change its connection.',
    examples: [
      'phial scheduler connect --file scheduler.json',
      'phial scheduler connect --file /etc/phial/scheduler.json',
    ],
    flags: {
      file: { value: 'FILE', meaning: 'The file that docs/guides/connect-a-scheduler.md describes.', required: true },
      json: JSON_FLAG,
    },
    run: async (values) => (await import('./scheduler.ts')).connectSchedulerCommand(values),
  }),
  command({
    words: 'scheduler disconnect',
    summary: 'Disconnect a scheduler. Its appointments stay.',
    examples: ['phial scheduler disconnect --provider getlabs', 'phial scheduler disconnect --provider quest'],
    flags: {
      provider: { value: 'NAME', meaning: 'Name of the connection.', required: true, choices: APPOINTMENT_PROVIDERS },
      json: JSON_FLAG,
    },
    run: async (values) => (await import('./scheduler.ts')).disconnectSchedulerCommand(values),
  }),
  command({
    words: 'appointment list',
    summary: 'List requests and cancellations that need a telephone call, by ids.',
    examples: ['phial appointment list', 'phial appointment list --team ID'],
    flags: { team: { value: 'ID', meaning: 'Only this team.', isId: true }, json: JSON_FLAG },
    run: async (values) => (await import('./appointment.ts')).listAppointmentsCommand(values),
  }),
  command({
    words: 'appointment show',
    summary: 'Print an appointment with the patient and the address. The output holds personal data.',
    examples: ['phial appointment list', 'phial appointment show --team ID --order ID'],
    flags: { ...ofOrder, json: JSON_FLAG },
    run: async (values) => (await import('./appointment.ts')).showAppointmentCommand(values),
  }),
  command({
    words: 'appointment book',
    summary: 'Record a booking by telephone, for an order with a request or without an appointment.',
    examples: [
      'phial appointment book --team ID --order ID --start 2027-01-31T09:00-07:00',
      'phial appointment book --team ID --order ID --start 2027-01-31T09:00-07:00 --minutes 30 --site PHX01',
    ],
    flags: {
      ...ofOrder,
      ...time,
      provider: {
        value: 'NAME',
        meaning: 'Provider of the appointment. For a request: the provider of the request.',
        choices: APPOINTMENT_PROVIDERS,
      },
      site: { value: 'CODE', meaning: 'Site code of the patient service center, for an appointment there.' },
      reference: { value: 'TEXT', meaning: 'Number of the appointment at the provider.' },
      json: JSON_FLAG,
    },
    run: async (values) => (await import('./appointment.ts')).bookAppointmentCommand(values),
  }),
  command({
    words: 'appointment reschedule',
    summary: 'Record that an appointment was moved by telephone.',
    examples: [
      'phial appointment show --team ID --order ID',
      'phial appointment reschedule --team ID --order ID --start 2027-02-01T10:30-07:00',
    ],
    flags: { ...ofOrder, ...time, json: JSON_FLAG },
    run: async (values) => (await import('./appointment.ts')).moveAppointmentCommand(values),
  }),
  command({
    words: 'appointment cancel',
    summary: 'Record a cancellation by telephone, or the call about a cancellation that was made here.',
    examples: [
      'phial appointment cancel --team ID --order ID',
      'phial appointment cancel --team ID --order ID --reason no_show',
    ],
    flags: {
      ...ofOrder,
      reason: { value: 'CODE', meaning: 'Reason in one word, such as no_show.', default: 'cancelled_by_telephone' },
      json: JSON_FLAG,
    },
    run: async (values) => (await import('./appointment.ts')).cancelAppointmentCommand(values),
  }),
  command({
    words: 'appointment complete',
    summary: 'Record that the sample was taken at an appointment.',
    examples: ['phial appointment list', 'phial appointment complete --team ID --order ID'],
    flags: { ...ofOrder, json: JSON_FLAG },
    run: async (values) => (await import('./appointment.ts')).completeAppointmentCommand(values),
  }),
];
