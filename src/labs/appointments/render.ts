import type { Static } from 'typebox';
import type { PatientShown } from '../orders/render.ts';
import type { Appointment } from './schemas.ts';
import type { EventData, LoadedAppointment } from './sealed.ts';
import { isInTime } from './slots/simulated-scheduler.ts';

type OfOrder = { order_transaction_id: string };

/** `minimum` leaves out what people wrote: where the key lies, notes, and why somebody cancelled in words. */
export function renderAppointment(
  appointment: LoadedAppointment,
  { order_transaction_id }: OfOrder,
  shown: PatientShown,
): Static<typeof Appointment> {
  const { place, events, ...row } = appointment;
  const { address } = place;
  const all = shown === 'all';
  const told = events.map((event) => ({ ...event, data: all ? event.data : withoutWords(event.data) }));
  const last = told.at(-1);
  return {
    ...row,
    order_transaction_id,
    address: all ? address : { ...address, access_notes: null },
    location: place.location,
    provider_id: providerIdOf(appointment),
    can_reschedule: canReschedule(appointment, Date.now()),
    appointment_notes: all ? row.appointment_notes : null,
    event_status: last?.status ?? 'pending',
    event_data: last?.data ?? null,
    events: told,
  };
}

const withoutWords = (data: EventData | null): EventData | null =>
  data && Object.fromEntries(Object.entries(data).filter(([key]) => key !== 'notes'));

function providerIdOf({ type, place, provider, booked_by }: LoadedAppointment): string {
  if (type === 'patient_service_center') return place.code;
  return booked_by === 'simulated' ? `SIM-${provider}` : provider;
}

/**
 * A confirmed appointment can be moved as long as it could still be booked; one that was booked by telephone the
 * operator moves.
 */
export function canReschedule({ status, start_at, type, booked_by }: LoadedAppointment, now: number): boolean {
  if (status !== 'confirmed' || start_at === null || booked_by === 'operator') return false;
  return isInTime({ type, by: booked_by, start_at }, now);
}
