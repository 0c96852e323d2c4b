import { sql } from 'kysely';
import type { FollowedOrder, TeamCtx, TxCtx } from '../../context.ts';
import { publishEvent } from '../../events/publish.ts';
import { newId } from '../../ids.ts';
import { shownWidely } from '../orders/render.ts';
import type { AppointmentProvider } from '../schedulers/providers.ts';
import { addCall } from './calls/add-call.ts';
import type { Slot } from './slots/booking-key.ts';
import { appointmentCreated, appointmentUpdated } from './events.ts';
import { renderAppointment } from './render.ts';
import type { AppointmentEventStatus, AppointmentStatus, AppointmentType } from './schemas.ts';
import { eventRow, openAppointment, sealNotes, type EventData, type LoadedAppointment, type Place } from './sealed.ts';
import { claimSlot, freeSlots } from './slots/claims.ts';

type NewAppointment = {
  type: AppointmentType;
  provider: AppointmentProvider;
  place: Place;
  iana_timezone: string;
  /** Null while only asked for. */
  slot: Slot | null;
  status: 'pending' | 'reserved' | 'confirmed';
  notes: string | null;
  /** Left out: the sandbox's own scheduler. */
  booked_by?: 'simulated' | 'scheduler' | 'operator';
};

/** What an event of an appointment is called that brings it to this status. */
const EVENT_OF: Readonly<Record<AppointmentStatus, AppointmentEventStatus>> = {
  pending: 'pending',
  reserved: 'reserved',
  confirmed: 'scheduled',
  in_progress: 'in_progress',
  completed: 'completed',
  cancelled: 'cancelled',
};

/** Writes an appointment of an order that the caller has locked, claims its slot and tells of it. */
export async function insertAppointment(
  ctx: TxCtx<TeamCtx>,
  order: FollowedOrder,
  { type, provider, place, iana_timezone, slot, status, notes, booked_by = 'simulated' }: NewAppointment,
): Promise<LoadedAppointment> {
  const id = newId();
  const row = { team_id: ctx.team.id, id };
  const stored = await ctx.db
    .insertInto('appointments')
    .values({
      ...row,
      user_id: order.row.user_id,
      order_id: order.row.id,
      type,
      provider,
      status,
      place: ctx.cipher.sealJson('appointments.place', row, place),
      appointment_notes: sealNotes(ctx, row, notes),
      start_at: slot?.start_at ?? null,
      end_at: slot?.end_at ?? null,
      iana_timezone,
      booked_by,
      external_id: booked_by === 'simulated' ? externalIdOf(id) : null,
      last_event_id: 1,
      created_at: sql<string>`date_trunc('milliseconds', clock_timestamp())`,
      updated_at: sql<string>`date_trunc('milliseconds', clock_timestamp())`,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  const appointment = openAppointment(ctx, stored, []);
  // Connected schedulers know themselves what of theirs is taken.
  if (slot?.by === 'simulated') await claimSlot(ctx, slot, appointment);
  return tellEvent(ctx, order, appointment, null);
}

/** When and where it is from now on. */
type NewTime = Pick<Slot, 'by' | 'provider' | 'place' | 'start_at' | 'end_at' | 'iana_timezone'>;

type Change = {
  status: AppointmentStatus;
  slot?: NewTime;
  notes?: string | null;
  data?: EventData | null;
  external_id?: string;
  /** Who says so: whom a cancellation has to be told is known by it. */
  toldBy?: 'scheduler' | 'operator';
};

/**
 * The one way by which an appointment changes: its status, and with a new slot its time and place. Every change is an
 * event of the appointment, and told. The caller holds the lock of its order.
 */
export async function changeAppointment(
  ctx: TxCtx<TeamCtx>,
  order: FollowedOrder,
  appointment: LoadedAppointment,
  { status, slot, notes, data = null, external_id, toldBy }: Change,
): Promise<LoadedAppointment> {
  const claimed = slot?.by === 'simulated' ? slot : null;
  if (claimed) await claimSlot(ctx, claimed, appointment);
  const moved = slot && {
    provider: slot.provider,
    place: slot.place,
    start_at: slot.start_at,
    end_at: slot.end_at,
    iana_timezone: slot.iana_timezone,
  };
  const last_event_id = appointment.last_event_id + 1;
  // Times rise by a millisecond at least, so that receivers can tell which event is the newest.
  const { updated_at } = await ctx.db
    .updateTable('appointments')
    .set({
      status,
      last_event_id,
      updated_at: sql<string>`greatest(date_trunc('milliseconds', clock_timestamp()), updated_at + interval '1 millisecond')`,
      ...(moved && { ...moved, place: ctx.cipher.sealJson('appointments.place', appointment, moved.place) }),
      ...(notes === undefined ? {} : { appointment_notes: sealNotes(ctx, appointment, notes) }),
      ...(external_id === undefined ? {} : { external_id }),
    })
    .where('user_id', '=', appointment.user_id)
    .where('order_id', '=', appointment.order_id)
    .where('id', '=', appointment.id)
    .returning('updated_at')
    .executeTakeFirstOrThrow();
  const changed = {
    ...appointment,
    ...moved,
    status,
    external_id: external_id ?? appointment.external_id,
    appointment_notes: notes === undefined ? appointment.appointment_notes : notes,
    last_event_id,
    updated_at,
  };
  // In a sandbox a visit is completed long before the time that it was booked for.
  if (claimed || status === 'cancelled' || status === 'completed') await freeSlots(ctx, appointment, claimed);
  if (status === 'cancelled' && toldBy === undefined) await tellOfCancellation(ctx, appointment, data);
  return tellEvent(ctx, order, changed, data);
}

/** Writes and tells the newest event of an appointment, which bears its number and time already. */
async function tellEvent(
  ctx: TxCtx<TeamCtx>,
  order: FollowedOrder,
  appointment: LoadedAppointment,
  data: EventData | null,
): Promise<LoadedAppointment> {
  const { last_event_id: id, updated_at } = appointment;
  const status = EVENT_OF[appointment.status];
  await ctx.db
    .insertInto('appointment_events')
    .values({
      user_id: appointment.user_id,
      order_id: appointment.order_id,
      appointment_id: appointment.id,
      id,
      team_id: ctx.team.id,
      status,
      data: data && ctx.cipher.sealJson('appointment_events.data', eventRow(appointment, id), data),
      created_at: updated_at,
    })
    .execute();
  const told: LoadedAppointment = {
    ...appointment,
    events: [...appointment.events, { created_at: updated_at, status, data }],
  };
  await publishEvent(ctx, id === 1 ? appointmentCreated : appointmentUpdated, {
    user: order.user,
    data: renderAppointment(told, order.row, shownWidely(ctx)),
  });
  return told;
}

/** Whoever booked has to hear of it, in a request that goes out after the commit or from the operator. */
async function tellOfCancellation(
  ctx: TxCtx<TeamCtx>,
  appointment: LoadedAppointment,
  data: EventData | null,
): Promise<void> {
  const { booked_by, start_at, external_id } = appointment;
  if (booked_by === 'simulated') return;
  // What was asked for and not booked yet has nobody to be told.
  if (booked_by === 'operator' && start_at === null && external_id === null) return;
  const reason = typeof data?.['cancellation_reason'] === 'string' ? data['cancellation_reason'] : null;
  await addCall(ctx, appointment, 'cancel', { slot: null, notes: null, reason });
}

/** The scheduler's own number of it: the simulated one's follows from the id. */
const externalIdOf = (id: string): string => `SIM-${id.slice(-12).toUpperCase()}`;
