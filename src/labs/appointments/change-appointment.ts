import { sql, type RawBuilder } from 'kysely';
import type { FollowedOrder, TeamCtx, TxCtx } from '../../context.ts';
import { publishEvent } from '../../events/publish.ts';
import { newId } from '../../ids.ts';
import { shownWidely } from '../orders/render.ts';
import type { AppointmentProvider } from '../schedulers/providers.ts';
import { addSchedulerCall } from './scheduler-calls/add-scheduler-call.ts';
import type { Slot } from './slots/booking-key.ts';
import { appointmentCreated, appointmentUpdated } from './events.ts';
import { renderAppointment } from './render.ts';
import type { AppointmentEventStatus, AppointmentStatus, AppointmentType } from './schemas.ts';
import { eventRow, openAppointment, sealNotes, type EventData, type LoadedAppointment, type Site } from './sealed.ts';
import { claimSlot, freeSlots } from './slots/claims.ts';

type NewAppointment = {
  type: AppointmentType;
  provider: AppointmentProvider;
  site: Site;
  iana_timezone: string;
  /** Null if the client requested a visit without a time. */
  slot: Slot | null;
  status: 'pending' | 'reserved' | 'confirmed';
  notes: string | null;
  /** Default: the sandbox's own scheduler. */
  booked_by?: 'simulated' | 'scheduler' | 'operator';
};

/** For each new status of an appointment, the status of the event that we record. */
const EVENT_OF: Readonly<Record<AppointmentStatus, AppointmentEventStatus>> = {
  pending: 'pending',
  reserved: 'reserved',
  confirmed: 'scheduled',
  in_progress: 'in_progress',
  completed: 'completed',
  cancelled: 'cancelled',
};

/** The moment of a change: now, or the one in the past that the caller names. */
const momentOf = ({ happenedAt }: TeamCtx): RawBuilder<string> =>
  sql<string>`date_trunc('milliseconds', coalesce(${happenedAt ?? null}::timestamptz, clock_timestamp()))`;

/** Inserts an appointment, claims its slot and publishes its first event. The caller has locked the order. */
export async function insertAppointment(
  ctx: TxCtx<TeamCtx>,
  order: FollowedOrder,
  { type, provider, site, iana_timezone, slot, status, notes, booked_by = 'simulated' }: NewAppointment,
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
      site: ctx.cipher.sealJson('appointments.site', row, site),
      appointment_notes: sealNotes(ctx, row, notes),
      start_at: slot?.start_at ?? null,
      end_at: slot?.end_at ?? null,
      iana_timezone,
      booked_by,
      external_id: booked_by === 'simulated' ? externalIdOf(id) : null,
      last_event_id: 1,
      created_at: momentOf(ctx),
      updated_at: momentOf(ctx),
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  const appointment = openAppointment(ctx, stored, []);
  // Two appointments must not get the same slot. The simulated scheduler relies on our claims. A connected scheduler
  // itself knows which of its slots are taken.
  // A slot that has begun is no slot that somebody else could take.
  if (slot?.by === 'simulated' && Date.parse(slot.start_at) > Date.now()) await claimSlot(ctx, slot, appointment);
  return recordEvent(ctx, order, appointment, null);
}

/** The appointment's new time and location. */
type NewTime = Pick<Slot, 'by' | 'provider' | 'site' | 'start_at' | 'end_at' | 'iana_timezone'>;

type Change = {
  status: AppointmentStatus;
  slot?: NewTime;
  notes?: string | null;
  data?: EventData | null;
  external_id?: string;
  /** The party that reported the change. We do not send a cancellation back to the party that reported it. */
  reportedBy?: 'scheduler' | 'operator';
};

/**
 * Changes an appointment, and records and publishes an event about the change. Every change of status, time or location
 * goes through this function. The caller holds the lock of the order.
 */
export async function changeAppointment(
  ctx: TxCtx<TeamCtx>,
  order: FollowedOrder,
  appointment: LoadedAppointment,
  { status, slot, notes, data = null, external_id, reportedBy }: Change,
): Promise<LoadedAppointment> {
  const claimed = slot?.by === 'simulated' ? slot : null;
  if (claimed) await claimSlot(ctx, claimed, appointment);
  const moved = slot && {
    provider: slot.provider,
    site: slot.site,
    start_at: slot.start_at,
    end_at: slot.end_at,
    iana_timezone: slot.iana_timezone,
  };
  const last_event_id = appointment.last_event_id + 1;
  // Customers find the newest event by its time. Two changes in one millisecond would have the same time, so each
  // change is at least one millisecond later than the change before.
  const { updated_at } = await ctx.db
    .updateTable('appointments')
    .set({
      status,
      last_event_id,
      updated_at: sql<string>`greatest(${momentOf(ctx)}, updated_at + interval '1 millisecond')`,
      ...(moved && { ...moved, site: ctx.cipher.sealJson('appointments.site', appointment, moved.site) }),
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
  // In a sandbox, a client may complete a visit long before its booked time. The slot would then stay taken, so
  // completion frees it too.
  if (claimed || status === 'cancelled' || status === 'completed') await freeSlots(ctx, appointment, claimed);
  if (status === 'cancelled' && reportedBy === undefined) await notifyOfCancellation(ctx, appointment, data);
  return recordEvent(ctx, order, changed, data);
}

/**
 * Records and publishes the newest event of an appointment. The caller has already written the event's number and time
 * to the appointment's row.
 */
async function recordEvent(
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
  const recorded: LoadedAppointment = {
    ...appointment,
    events: [...appointment.events, { created_at: updated_at, status, data }],
  };
  await publishEvent(ctx, id === 1 ? appointmentCreated : appointmentUpdated, {
    user: order.user,
    data: renderAppointment(recorded, order.row, shownWidely(ctx)),
  });
  return recorded;
}

/**
 * Informs the party that booked an appointment of its cancellation. A scheduler gets a request after the commit. For
 * the operator we add a call to the list of calls to make.
 */
async function notifyOfCancellation(
  ctx: TxCtx<TeamCtx>,
  appointment: LoadedAppointment,
  data: EventData | null,
): Promise<void> {
  const { booked_by, start_at, external_id } = appointment;
  if (booked_by === 'simulated') return;
  // The appointment has no time, so the operator has not called the provider yet. The provider knows nothing of it.
  if (booked_by === 'operator' && start_at === null && external_id === null) return;
  const reason = typeof data?.['cancellation_reason'] === 'string' ? data['cancellation_reason'] : null;
  await addSchedulerCall(ctx, appointment, 'cancel', { slot: null, notes: null, reason });
}

/** Returns the number under which the simulated scheduler knows an appointment. It is derived from our id. */
const externalIdOf = (id: string): string => `SIM-${id.slice(-12).toUpperCase()}`;
