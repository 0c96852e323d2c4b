import type { Static } from 'typebox';
import type { PatientShown } from '../orders/render.ts';
import type { Appointment } from './schemas.ts';
import type { EventData, LoadedAppointment } from './sealed.ts';
import { isInTime } from './slots/simulated-scheduler.ts';

type OfOrder = { order_transaction_id: string };

/**
 * Renders an appointment for a client. With `minimum` the result contains no text that a person wrote: it omits access
 * notes, appointment notes and the note of a cancellation.
 */
export function renderAppointment(
  appointment: LoadedAppointment,
  { order_transaction_id }: OfOrder,
  shown: PatientShown,
): Static<typeof Appointment> {
  const { site, events, ...row } = appointment;
  const { address } = site;
  const all = shown === 'all';
  const shownEvents = events.map((event) => ({ ...event, data: all ? event.data : withoutWords(event.data) }));
  const last = shownEvents.at(-1);
  return {
    ...row,
    order_transaction_id,
    address: all ? address : { ...address, access_notes: null },
    location: site.location,
    provider_id: providerIdOf(appointment),
    can_reschedule: canReschedule(appointment, Date.now()),
    appointment_notes: all ? row.appointment_notes : null,
    event_status: last?.status ?? 'pending',
    event_data: last?.data ?? null,
    events: shownEvents,
  };
}

const withoutWords = (data: EventData | null): EventData | null =>
  data && Object.fromEntries(Object.entries(data).filter(([key]) => key !== 'notes'));

function providerIdOf({ type, site, provider, booked_by }: LoadedAppointment): string {
  if (type === 'patient_service_center') return site.code;
  return booked_by === 'simulated' ? `SIM-${provider}` : provider;
}

/**
 * Returns whether a client can move the appointment. It can if the appointment is confirmed and a client could still
 * book its current slot now. Only the operator can move an appointment that was booked by telephone.
 */
export function canReschedule({ status, start_at, type, booked_by }: LoadedAppointment, now: number): boolean {
  if (status !== 'confirmed' || start_at === null || booked_by === 'operator') return false;
  return isInTime({ type, by: booked_by, start_at }, now);
}
