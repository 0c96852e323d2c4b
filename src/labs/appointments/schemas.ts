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
import { AllowedRadius, LngLat, ZipCode } from '../places/schemas.ts';
import { APPOINTMENT_PROVIDERS } from '../schedulers/providers.ts';

const APPOINTMENT_TYPES = ['phlebotomy', 'patient_service_center'] as const;
export type AppointmentType = (typeof APPOINTMENT_TYPES)[number];

const STATUSES = ['confirmed', 'pending', 'reserved', 'in_progress', 'completed', 'cancelled'] as const;
export type AppointmentStatus = (typeof STATUSES)[number];

const EVENT_STATUSES = ['pending', 'reserved', 'scheduled', 'completed', 'cancelled', 'in_progress'] as const;
export type AppointmentEventStatus = (typeof EVENT_STATUSES)[number];

const UNIT = 'Apartment or suite; second_line takes its place.';

/** Where the patient is met. */
export const UsAddressInput = Type.Object({
  first_line: Text(200),
  second_line: optional(Text(200, { minLength: 0 })),
  city: Text(100),
  state: Type.String({ format: 'us-state' }),
  zip_code: Type.String({ maxLength: 10, pattern: US_ZIP }),
  unit: optional(Text(100, { minLength: 0, deprecated: true, description: UNIT })),
  access_notes: optional(Prose(1000, { minLength: 0 })),
});

export const UsAddress = Type.Object({
  first_line: Type.String(),
  second_line: nullable(Type.String()),
  city: Type.String(),
  state: Type.String(),
  zip_code: Type.String(),
  unit: nullable(Type.String({ deprecated: true, description: UNIT })),
  access_notes: nullable(Type.String()),
});

const Notes = optional(Prose(1000, { minLength: 0, description: 'For whoever takes the sample.' }));

/** Longer than any that the service makes. */
const BookingKey = Type.String({ minLength: 1, maxLength: 16_384, description: '`booking_key` of a slot.' });

const timeout = (minimum: number, maximum: number) =>
  optional(
    Type.Integer({
      minimum,
      maximum,
      description:
        'How long the scheduler may take. Taken and without effect: the simulated one holds the slot at once.',
    }),
  );

export const BookingInput = Type.Object({
  booking_key: BookingKey,
  appointment_notes: Notes,
  async_confirmation: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'The slot is held and the appointment reserved; it is confirmed later, which an event tells: in a sandbox when its order is walked to appointment_scheduled.',
    }),
  ),
  sync_confirmation_timeout_millisecond: timeout(1_000, 10_000),
  async_confirmation_timeout_millisecond: timeout(60_000, 172_800_000),
});

export const RequestInput = Type.Object({
  address: { ...UsAddressInput, description: 'Where the patient is met.' },
  provider: oneOf(APPOINTMENT_PROVIDERS, { description: 'Who is asked to come.' }),
  appointment_notes: Notes,
});

export const RescheduleInput = Type.Object({ booking_key: BookingKey, appointment_notes: Notes });

const reason = { ...Uuid, description: 'Id of one of the cancellation reasons.' };
const note = optional(Prose(1000, { minLength: 0, description: 'Why, in words; some reasons need it.' }));

export const PhlebotomyCancelInput = Type.Object({ cancellation_reason_id: reason, notes: note });
export const CenterCancelInput = Type.Object({ cancellationReasonId: reason, note });

export const StartDate = Type.Optional({
  ...CalendarDate,
  description: 'First day of the week that is told, in the time of the place; left out: today. At most 60 days ahead.',
});

export const CenterAvailabilityQuery = Type.Object(
  {
    lab: WordFilter({ description: 'Who books there: quest or sonora_quest.' }),
    start_date: StartDate,
    site_codes: Type.Optional(
      Type.Array(WordFilter(), { maxItems: 5, description: 'Exactly these places, at most five.' }),
    ),
    zip_code: Type.Optional({ ...ZipCode, description: 'The five nearest places around this zip code.' }),
    radius: AllowedRadius,
    allow_stale: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Taken and without effect: what is told is never older than the request.',
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
  expires_at: nullable({ ...Timestamp, description: 'Until when the booking_key can be used, UTC.' }),
  price: Type.Number({ description: 'Beside what the order costs, in US dollars.' }),
  is_priority: Type.Boolean({ description: 'Whether it costs more for being soon.' }),
  num_appointments_available: Type.Integer({ description: 'How many can be booked in it.' }),
});

const AppointmentLocation = Type.Object({
  location: LngLat,
  distance: nullable(Type.Integer({ description: 'Miles from the zip code; approximate.' })),
  address: UsAddress,
  code: Type.String({ description: "The laboratory's own code of the place." }),
  name: Type.String(),
  iana_timezone: nullable(Type.String()),
});

export const Availability = Type.Object({
  slots: Type.Array(
    Type.Object({
      location: nullable(AppointmentLocation),
      date: { ...CalendarDate, description: 'Day in the time of the place.' },
      slots: Type.Array(TimeSlot, { description: 'What is free that day.' }),
    }),
    { description: 'By place and day; days without a free slot are left out.' },
  ),
  timezone: nullable(Type.String({ description: 'IANA time zone of the place; of several places, of the first.' })),
});
export type Availability = Static<typeof Availability>;

const EventData = Type.Record(Type.String(), Type.Unknown(), {
  description: 'What there is to say of it, as why it was cancelled.',
});

export const Appointment = Type.Object({
  id: Uuid,
  user_id: Uuid,
  order_id: Uuid,
  order_transaction_id: nullable(Uuid),
  address: { ...UsAddress, description: 'Where it is.' },
  location: LngLat,
  start_at: nullable(Timestamp),
  end_at: nullable(Timestamp),
  iana_timezone: nullable(Type.String()),
  type: oneOf(APPOINTMENT_TYPES),
  provider: oneOf(APPOINTMENT_PROVIDERS, { description: 'Who takes the sample.' }),
  status: oneOf(STATUSES),
  provider_id: Type.String({
    description: 'Of a service center its code, else who comes, as the provider calls them.',
  }),
  external_id: nullable(Type.String()),
  can_reschedule: Type.Boolean(),
  appointment_notes: nullable(Type.String()),
  event_status: oneOf(EVENT_STATUSES, { description: 'Status of the newest event.' }),
  event_data: nullable(EventData),
  events: Type.Array(Type.Object({ created_at: Timestamp, status: oneOf(EVENT_STATUSES), data: nullable(EventData) }), {
    description: 'What happened to it, oldest first.',
  }),
});

export const CancellationReason = Type.Object({
  id: Uuid,
  name: Type.String({ description: 'The reason, for a person.' }),
  is_refundable: Type.Boolean({ description: 'Whether what was paid for the appointment is given back.' }),
});
