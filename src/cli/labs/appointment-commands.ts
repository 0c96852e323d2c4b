import { APPOINTMENT_PROVIDERS } from '../../labs/schedulers/providers.ts';
import { command, type Command } from '../command.ts';

const ofOrder = {
  team: { value: 'ID', meaning: 'Whose order it is.', required: true, isId: true },
  order: { value: 'ID', meaning: 'Id of the order.', required: true, isId: true },
} as const;
const time = {
  start: { value: 'TIME', meaning: 'When it begins, with its offset, as 2027-01-31T09:00-07:00.', required: true },
  minutes: { value: 'NUMBER', meaning: 'How long it lasts, 5 to 480.', default: '60' },
} as const;

/** Who books appointments, and what an operator books by telephone, in the order of the help. */
export const APPOINTMENT_COMMANDS: Command[] = [
  command({
    words: 'scheduler connect',
    summary: 'Connect who books appointments, or change how one is connected.',
    flags: { file: { value: 'FILE', meaning: 'What docs/guides/connect-a-scheduler.md describes.', required: true } },
    run: async (values) => (await import('./scheduler.ts')).connectSchedulerCommand(values),
  }),
  command({
    words: 'scheduler disconnect',
    summary: 'Book no more with a scheduler; what it has booked stays.',
    flags: {
      provider: { value: 'NAME', meaning: 'What it is connected as.', required: true, choices: APPOINTMENT_PROVIDERS },
    },
    run: async (values) => (await import('./scheduler.ts')).disconnectSchedulerCommand(values),
  }),
  command({
    words: 'appointment list',
    summary: 'List what waits for a telephone call: requests to book, and cancellations to tell; by ids.',
    flags: { team: { value: 'ID', meaning: 'Of one team only.', isId: true } },
    run: async (values) => (await import('./appointment.ts')).listAppointmentsCommand(values),
  }),
  command({
    words: 'appointment show',
    summary: 'Print an appointment with the patient and the address: it holds personal data.',
    flags: { ...ofOrder },
    run: async (values) => (await import('./appointment.ts')).showAppointmentCommand(values),
  }),
  command({
    words: 'appointment book',
    summary: 'Say that an appointment was booked by telephone, for an order that asked for one or has none.',
    flags: {
      ...ofOrder,
      ...time,
      provider: {
        value: 'NAME',
        meaning: 'Who takes the sample; of a request whom that was for.',
        choices: APPOINTMENT_PROVIDERS,
      },
      site: { value: 'CODE', meaning: 'The service center, where the patient goes to one.' },
      reference: { value: 'TEXT', meaning: 'Their own number of the appointment.' },
    },
    run: async (values) => (await import('./appointment.ts')).bookAppointmentCommand(values),
  }),
  command({
    words: 'appointment reschedule',
    summary: 'Say that an appointment was moved by telephone.',
    flags: { ...ofOrder, ...time },
    run: async (values) => (await import('./appointment.ts')).moveAppointmentCommand(values),
  }),
  command({
    words: 'appointment cancel',
    summary: 'Say that an appointment was cancelled by telephone, or that one that was cancelled here was told so.',
    flags: {
      ...ofOrder,
      reason: { value: 'CODE', meaning: 'Why, in a word, as no_show.', default: 'cancelled_by_telephone' },
    },
    run: async (values) => (await import('./appointment.ts')).cancelAppointmentCommand(values),
  }),
  command({
    words: 'appointment complete',
    summary: 'Say that the sample was taken at an appointment.',
    flags: { ...ofOrder },
    run: async (values) => (await import('./appointment.ts')).completeAppointmentCommand(values),
  }),
];
