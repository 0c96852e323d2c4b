import { operation } from '../../../operation/operation.ts';
import { listAppointments } from './list-appointments.ts';
import { AppointmentListQuery, AppointmentPage } from './schemas.ts';

export const appointmentListOperations = [
  operation({
    id: 'list_appointments',
    method: 'GET',
    path: '/v3/appointment',
    tag: 'appointments',
    query: AppointmentListQuery,
    response: AppointmentPage,
    summary: 'List the appointments of a day, or of up to 31 days, across orders',
    description:
      'The earliest first. An appointment that has no time yet is in no day. Texts that people wrote are shown only ' +
      'if the team setting full_patient_details_in_webhooks is on.',
    refusals: ['invalid_cursor'],
    handle: (ctx, { query }) => listAppointments(ctx, query),
  }),
];
