import { Type } from 'typebox';
import { isSortKey } from '../../../db/cursor.ts';
import { CalendarDate, Cursor, nullable, WordFilter, withDefault } from '../../../wire/schema.ts';
import type { Requirement } from '../../../wire/rules.ts';
import { shape } from '../../../wire/shape.ts';
import { ListedPatient } from '../../orders/schemas.ts';
import { Appointment } from '../schemas.ts';

const MAX_DAYS = 31;
const DAY_MS = 86_400_000;

export const isAppointmentKey = isSortKey('start_at');

const daysInRange: Requirement = {
  words:
    `Either \`date\`, or \`start_date\` and \`end_date\`: at most ${MAX_DAYS} days. ` +
    'Without any of them: today in the time zone.',
  check: ({ date, start_date, end_date }) => {
    const wrong = (name: string, msg: string) => [{ at: [name], type: 'value_error', msg }];
    if (date !== undefined && (start_date !== undefined || end_date !== undefined))
      return wrong('date', 'Send either date, or start_date and end_date');
    if (start_date === undefined && end_date === undefined) return [];
    if (end_date === undefined) return [{ at: ['end_date'], type: 'missing', msg: 'Field required' }];
    if (start_date === undefined) return [{ at: ['start_date'], type: 'missing', msg: 'Field required' }];
    const days = (Date.parse(String(end_date)) - Date.parse(String(start_date))) / DAY_MS;
    if (days < 0) return wrong('end_date', 'Value should not be before start_date');
    return days >= MAX_DAYS ? wrong('end_date', `A range has at most ${MAX_DAYS} days`) : [];
  },
};

const Words = (description: string) => Type.Array(WordFilter(), { maxItems: 10, description });

export const AppointmentListQuery = Type.Object(
  {
    date: Type.Optional({ ...CalendarDate, description: 'The day, in the time zone.' }),
    start_date: Type.Optional({ ...CalendarDate, description: 'The first day, in the time zone.' }),
    end_date: Type.Optional({ ...CalendarDate, description: 'The last day, in the time zone, inclusive.' }),
    time_zone: withDefault(
      Type.String({ format: 'time-zone', description: 'IANA time zone in which the days begin.' }),
      'UTC',
    ),
    status: Type.Optional(Words('Returns only appointments with one of these statuses.')),
    type: Type.Optional(Words('Returns only appointments of these types: phlebotomy, patient_service_center.')),
    limit: withDefault(Type.Integer({ minimum: 1, maximum: 100, description: 'Appointments in a page.' }), 50),
    next_cursor: Type.Optional(Cursor({ isKey: isAppointmentKey })),
  },
  { fulfils: daysInRange },
);

const ListedAppointment = shape('ListedAppointment', {
  ...Appointment.properties,
  client_user_id: Type.String(),
  order: Type.Object({
    lab_test_name: Type.String({ description: 'Name of the lab test.' }),
    patient: nullable(ListedPatient),
  }),
});

export const AppointmentPage = shape('AppointmentPage', {
  data: Type.Array(ListedAppointment),
  next_cursor: nullable(Type.String()),
});
