import { defineEvent } from '../../events/define.ts';
import { Appointment } from './schemas.ts';

export const appointmentCreated = defineEvent({
  name: 'labtest.appointment.created',
  data: Appointment,
  summary: 'An appointment was booked or requested. The data is the appointment.',
});

export const appointmentUpdated = defineEvent({
  name: 'labtest.appointment.updated',
  data: Appointment,
  summary: 'An appointment was confirmed, moved, cancelled or completed. The data is the appointment after the change.',
});
