import { Type, type Static } from 'typebox';
import { US_ZIP } from '../../wire/address.ts';
import {
  CalendarDate,
  nullable,
  oneOf,
  optional,
  Prose,
  Text,
  Timestamp,
  Uuid,
  WordFilter,
} from '../../wire/schema.ts';
import { AllowedRadius, LngLat, ZipCode } from '../locations/schemas.ts';
import { APPOINTMENT_PROVIDERS } from '../schedulers/providers.ts';
import { shape } from '../../wire/shape.ts';

const APPOINTMENT_TYPES = ['phlebotomy', 'patient_service_center'] as const;
export type AppointmentType = (typeof APPOINTMENT_TYPES)[number];

const STATUSES = ['confirmed', 'pending', 'reserved', 'in_progress', 'completed', 'cancelled'] as const;
export type AppointmentStatus = (typeof STATUSES)[number];

const EVENT_STATUSES = ['pending', 'reserved', 'scheduled', 'completed', 'cancelled', 'in_progress'] as const;
export type AppointmentEventStatus = (typeof EVENT_STATUSES)[number];

const UNIT = 'Apartment or suite; use second_line instead.';

/** The address that the provider visits to take the sample. */
export const UsAddressInput = shape('UsAddressInput', {
  first_line: Text(200),
  second_line: optional(Text(200, { minLength: 0 })),
  city: Text(100),
  state: Type.String({ format: 'us-state' }),
  zip_code: Type.String({ maxLength: 10, pattern: US_ZIP }),
  unit: optional(Text(100, { minLength: 0, deprecated: true, description: UNIT })),
  access_notes: optional(Prose(1000, { minLength: 0 })),
});

export const UsAddress = shape('UsAddress', {
  first_line: Type.String(),
  second_line: nullable(Type.String()),
  city: Type.String(),
  state: Type.String(),
  zip_code: Type.String(),
  unit: nullable(Type.String({ deprecated: true, description: UNIT })),
  access_notes: nullable(Type.String()),
});

const Notes = optional(Prose(1000, { minLength: 0, description: 'For the person who takes the sample.' }));

/** The maximum is longer than any booking key that the service makes. */
const BookingKey = Type.String({ minLength: 1, maxLength: 16_384, description: '`booking_key` of a slot.' });

const timeout = (minimum: number, maximum: number) =>
  optional(
    Type.Integer({
      minimum,
      maximum,
      description:
        'How long the scheduler may take. Accepted without effect: the simulated scheduler reserves the slot ' +
        'at once.',
    }),
  );

export const BookingInput = shape('BookingInput', {
  booking_key: BookingKey,
  appointment_notes: Notes,
  async_confirmation: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'Reserves the slot; the appointment is confirmed later, and an event says so. In a sandbox it is ' +
        'confirmed when you move its order to appointment_scheduled.',
    }),
  ),
  sync_confirmation_timeout_millisecond: timeout(1_000, 10_000),
  async_confirmation_timeout_millisecond: timeout(60_000, 172_800_000),
});

export const RequestInput = shape('RequestInput', {
  address: { ...UsAddressInput, description: 'The address of the visit.' },
  provider: oneOf(APPOINTMENT_PROVIDERS, { description: 'The provider that is asked to come.' }),
  appointment_notes: Notes,
});

export const RescheduleInput = shape('RescheduleInput', { booking_key: BookingKey, appointment_notes: Notes });

const reason = { ...Uuid, description: 'Id of one of the cancellation reasons.' };
const note = optional(Prose(1000, { minLength: 0, description: 'A note that says why; some reasons need it.' }));

export const PhlebotomyCancelInput = shape('PhlebotomyCancelInput', { cancellation_reason_id: reason, notes: note });
export const CenterCancelInput = shape('CenterCancelInput', { cancellationReasonId: reason, note });

export const StartDate = Type.Optional({
  ...CalendarDate,
  description: 'First day of the listed week, in local time; default: today. At most 60 days ahead.',
});

export const CenterAvailabilityQuery = Type.Object(
  {
    lab: WordFilter({ description: 'The laboratory that books: quest or sonora_quest.' }),
    start_date: StartDate,
    site_codes: Type.Optional(
      Type.Array(WordFilter(), { maxItems: 5, description: 'Only these sites, at most five.' }),
    ),
    zip_code: Type.Optional({ ...ZipCode, description: 'The five nearest sites around this zip code.' }),
    radius: AllowedRadius,
    allow_stale: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Accepted without effect: slots are always read at the time of the request.',
      }),
    ),
  },
  {
    fulfils: {
      check: ({ site_codes, zip_code }: Record<string, unknown>) =>
        site_codes === undefined && zip_code === undefined
          ? [{ at: ['zip_code'], type: 'missing' as const, msg: 'Either zip_code or site_codes is needed' }]
          : [],
      words: 'Either `zip_code` or `site_codes` is needed.',
    },
  },
);

const TimeSlot = Type.Object({
  booking_key: nullable(Type.String({ description: 'Books the slot, for this team and until it expires.' })),
  start: Timestamp,
  end: Timestamp,
  expires_at: nullable({ ...Timestamp, description: 'When the booking_key expires, UTC.' }),
  price: Type.Number({ description: 'In addition to the price of the order, in US dollars.' }),
  is_priority: Type.Boolean({ description: 'Whether the slot costs more because it is soon.' }),
  num_appointments_available: Type.Integer({ description: 'How many appointments can be booked in the slot.' }),
});

const AppointmentLocation = Type.Object({
  location: LngLat,
  distance: nullable(Type.Integer({ description: 'Miles from the zip code; approximate.' })),
  address: UsAddress,
  code: Type.String({ description: "The laboratory's own code of the site." }),
  name: Type.String(),
  iana_timezone: nullable(Type.String()),
});

export const Availability = shape('Availability', {
  slots: Type.Array(
    Type.Object({
      location: nullable(AppointmentLocation),
      date: { ...CalendarDate, description: 'Day in local time.' },
      slots: Type.Array(TimeSlot, { description: 'The free slots of that day.' }),
    }),
    { description: 'By site and day; days without a free slot are left out.' },
  ),
  timezone: nullable(
    Type.String({ description: 'IANA time zone of the location; for several locations, of the first.' }),
  ),
});
export type Availability = Static<typeof Availability>;

const EventData = Type.Record(Type.String(), Type.Unknown(), {
  description: 'Details of the event, such as the reason of a cancellation.',
});

export const Appointment = shape('Appointment', {
  id: Uuid,
  user_id: Uuid,
  order_id: Uuid,
  order_transaction_id: nullable(Uuid),
  address: { ...UsAddress, description: 'The address of the appointment.' },
  location: LngLat,
  start_at: nullable(Timestamp),
  end_at: nullable(Timestamp),
  iana_timezone: nullable(Type.String()),
  type: oneOf(APPOINTMENT_TYPES, { description: 'At the address of the patient, or at a patient service center.' }),
  provider: oneOf(APPOINTMENT_PROVIDERS, { description: 'The provider that takes the sample.' }),
  status: oneOf(STATUSES),
  provider_id: Type.String({
    description: "For a service center, its code; otherwise the provider's own id.",
  }),
  external_id: nullable(Type.String()),
  can_reschedule: Type.Boolean(),
  appointment_notes: nullable(Type.String()),
  event_status: oneOf(EVENT_STATUSES, { description: 'Status of the newest event.' }),
  event_data: nullable(EventData),
  events: Type.Array(Type.Object({ created_at: Timestamp, status: oneOf(EVENT_STATUSES), data: nullable(EventData) }), {
    description: 'The events of the appointment, oldest first.',
  }),
});

export const CancellationReason = shape('CancellationReason', {
  id: Uuid,
  name: Type.String({ description: 'The reason, in words for a person.' }),
  is_refundable: Type.Boolean({ description: 'Whether the price of the appointment is refunded.' }),
});
