import { APPOINTMENT_PROVIDERS } from '../../labs/schedulers/providers.ts';
import { command, type Command } from '../command.ts';

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
    flags: {
      file: { value: 'FILE', meaning: 'The file that docs/guides/connect-a-scheduler.md describes.', required: true },
    },
    run: async (values) => (await import('./scheduler.ts')).connectSchedulerCommand(values),
  }),
  command({
    words: 'scheduler disconnect',
    summary: 'Disconnect a scheduler. Its appointments stay.',
    flags: {
      provider: { value: 'NAME', meaning: 'Name of the connection.', required: true, choices: APPOINTMENT_PROVIDERS },
    },
    run: async (values) => (await import('./scheduler.ts')).disconnectSchedulerCommand(values),
  }),
  command({
    words: 'appointment list',
    summary: 'List requests and cancellations that need a telephone call, by ids.',
    flags: { team: { value: 'ID', meaning: 'Only this team.', isId: true } },
    run: async (values) => (await import('./appointment.ts')).listAppointmentsCommand(values),
  }),
  command({
    words: 'appointment show',
    summary: 'Print an appointment with the patient and the address. The output holds personal data.',
    flags: { ...ofOrder },
    run: async (values) => (await import('./appointment.ts')).showAppointmentCommand(values),
  }),
  command({
    words: 'appointment book',
    summary: 'Record a booking by telephone, for an order with a request or without an appointment.',
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
    },
    run: async (values) => (await import('./appointment.ts')).bookAppointmentCommand(values),
  }),
  command({
    words: 'appointment reschedule',
    summary: 'Record that an appointment was moved by telephone.',
    flags: { ...ofOrder, ...time },
    run: async (values) => (await import('./appointment.ts')).moveAppointmentCommand(values),
  }),
  command({
    words: 'appointment cancel',
    summary: 'Record a cancellation by telephone, or the call about a cancellation that was made here.',
    flags: {
      ...ofOrder,
      reason: { value: 'CODE', meaning: 'Reason in one word, such as no_show.', default: 'cancelled_by_telephone' },
    },
    run: async (values) => (await import('./appointment.ts')).cancelAppointmentCommand(values),
  }),
  command({
    words: 'appointment complete',
    summary: 'Record that the sample was taken at an appointment.',
    flags: { ...ofOrder },
    run: async (values) => (await import('./appointment.ts')).completeAppointmentCommand(values),
  }),
];
