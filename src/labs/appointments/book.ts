import type { Static } from 'typebox';
import type { TeamCtx, TxCtx } from '../../context.ts';
import { inTransaction } from '../../db/transaction.ts';
import { AppError } from '../../errors.ts';
import type { LoadedOrder } from '../orders/load.ts';
import { openBookingKey, type Slot } from './slots/booking-key.ts';
import { isUnderWay, newestAppointmentOrNull } from './find.ts';
import { insertAppointment } from './keep.ts';
import { lockOrderFor, moveOrder, refuseUnlessTakes } from './order-rules.ts';
import type { AppointmentType, BookingInput } from './schemas.ts';
import type { LoadedAppointment } from './sealed.ts';
import { findScheduler, refuseWithoutScheduler } from '../schedulers/find-schedulers.ts';
import { addCall } from './calls/add-call.ts';
import { isInTime } from './slots/simulated-scheduler.ts';

/** What the verbs of an order's appointment answer with. */
export type Booked = { appointment: LoadedAppointment; order: LoadedOrder['row'] };

/**
 * Books a slot for an order. The sandbox's scheduler confirms it at once, or holds it with `async_confirmation`; a
 * connected one is asked after the commit, and until it answers the appointment is pending.
 */
export function bookAppointment(
  ctx: TeamCtx,
  orderId: string,
  type: AppointmentType,
  { booking_key, appointment_notes = null, async_confirmation = false }: Static<typeof BookingInput>,
): Promise<Booked> {
  return inTransaction(ctx, async (ctx) => {
    const order = await lockOrderFor(ctx, orderId, type);
    await refuseWithoutScheduler(ctx, type);
    await refuseSecond(ctx, order);
    refuseUnlessTakes(order, async_confirmation ? 'appointment_pending' : 'appointment_scheduled');
    const slot = await openSlotFor(ctx, order, type, booking_key);
    const isAsked = slot.by === 'scheduler';
    const target = isAsked || async_confirmation ? 'appointment_pending' : 'appointment_scheduled';
    const appointment = await insertAppointment(ctx, order, {
      ...slot,
      slot,
      booked_by: slot.by,
      status: isAsked ? 'pending' : async_confirmation ? 'reserved' : 'confirmed',
      notes: appointment_notes,
    });
    if (isAsked) await addCall(ctx, appointment, 'book', { slot, notes: appointment_notes, reason: null });
    const moved = await moveOrder(ctx, { ...order, appointment_id: appointment.id }, target);
    return { appointment, order: moved.row };
  });
}

/** An order has one appointment at a time. */
export async function refuseSecond(ctx: TxCtx<TeamCtx>, { row }: LoadedOrder): Promise<void> {
  const newest = await newestAppointmentOrNull(ctx, row);
  if (!newest || !isUnderWay(newest)) return;
  throw new AppError(
    'appointment_already_booked',
    'This order has an appointment already. Reschedule it, or cancel it first.',
  );
}

/** The slot of a key, where it is one that this order can have. */
export async function openSlotFor(
  ctx: TxCtx<TeamCtx>,
  order: LoadedOrder,
  type: AppointmentType,
  key: string,
): Promise<Slot> {
  const slot = openBookingKey(ctx, key);
  if (slot.type !== type || (slot.lab_id !== null && slot.lab_id !== order.lab.id)) {
    throw new AppError(
      'booking_key_mismatch',
      'This slot is of another kind of appointment, or at another laboratory.',
    );
  }
  const { by } = await findScheduler(ctx, slot.provider);
  // Another one books there since the slot was offered.
  if (by !== slot.by || !isInTime(slot, Date.now())) {
    throw new AppError('booking_key_expired', 'It is too late for this slot. Ask for the availability again.');
  }
  return slot;
}
