import { defineEvent } from '../../events/define.ts';
import { Appointment } from './schemas.ts';

export const appointmentCreated = defineEvent({
  name: 'labtest.appointment.created',
  data: Appointment,
  summary: 'An appointment was booked or asked for. The data is the appointment.',
});

export const appointmentUpdated = defineEvent({
  name: 'labtest.appointment.updated',
  data: Appointment,
  summary: 'An appointment was confirmed, moved, cancelled or kept. The data is the appointment as it is since then.',
});
