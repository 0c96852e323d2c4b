import type { Selectable } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx } from '../../context.ts';
import type { AppointmentEvents, Appointments } from '../../db/tables.ts';
import type { AppointmentProvider } from '../schedulers/providers.ts';
import type { AppointmentEventStatus, AppointmentStatus, AppointmentType, UsAddress } from './schemas.ts';

/** The location at which the sample is taken. `code` is the zip code of a visit, or the code of a service center. */
export type Site = {
  code: string;
  name: string | null;
  address: Static<typeof UsAddress>;
  location: { lng: number; lat: number };
};

export type EventData = Record<string, unknown>;

type AppointmentEvent = { created_at: string; status: AppointmentEventStatus; data: EventData | null };

/** A row of `appointments` with its sealed columns decrypted, and its events from the oldest to the newest. */
export type LoadedAppointment = Omit<
  Selectable<Appointments>,
  'type' | 'provider' | 'status' | 'site' | 'appointment_notes' | 'booked_by'
> & {
  type: AppointmentType;
  provider: AppointmentProvider;
  status: AppointmentStatus;
  site: Site;
  booked_by: 'simulated' | 'scheduler' | 'operator';
  appointment_notes: string | null;
  events: AppointmentEvent[];
};

export function openAppointment(
  { cipher }: TeamCtx,
  stored: Selectable<Appointments>,
  events: Pick<Selectable<AppointmentEvents>, 'id' | 'status' | 'data' | 'created_at'>[],
): LoadedAppointment {
  return {
    ...stored,
    type: stored.type as AppointmentType,
    provider: stored.provider as AppointmentProvider,
    status: stored.status as AppointmentStatus,
    booked_by: stored.booked_by as LoadedAppointment['booked_by'],
    site: cipher.openJson<Site>('appointments.site', stored, stored.site),
    appointment_notes:
      stored.appointment_notes && cipher.openText('appointments.appointment_notes', stored, stored.appointment_notes),
    events: events.map(({ id, status, data, created_at }) => ({
      created_at,
      status: status as AppointmentEventStatus,
      data: data && cipher.openJson<EventData>('appointment_events.data', eventRow(stored, id), data),
    })),
  };
}

export const sealNotes = (
  { cipher }: TeamCtx,
  row: { team_id: string; id: string },
  notes: string | null,
): Buffer | null => (notes === null ? null : cipher.sealText('appointments.appointment_notes', row, notes));

/**
 * Returns the row identity for an event's sealed data. The cipher binds each sealed value to such an identity, so
 * nobody can move the value to another row.
 */
export const eventRow = (
  appointment: { team_id: string; id: string },
  eventId: number,
): { team_id: string; id: string } => ({ team_id: appointment.team_id, id: `${appointment.id}/${eventId}` });
