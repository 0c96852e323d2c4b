import type { Static } from 'typebox';
import type { TeamCtx, TxCtx } from '../../context.ts';
import { inTransaction } from '../../db/transaction.ts';
import { AppError } from '../../errors.ts';
import type { LoadedOrder } from '../orders/load-order.ts';
import { openBookingKey, type Slot } from './slots/booking-key.ts';
import { isUnderWay, newestAppointmentOrNull } from './find.ts';
import { insertAppointment } from './change-appointment.ts';
import { lockOrderFor, moveOrder, refuseUnlessTakes } from './order-rules.ts';
import type { AppointmentType, BookingInput } from './schemas.ts';
import type { LoadedAppointment } from './sealed.ts';
import { findScheduler, refuseWithoutScheduler } from '../schedulers/find-schedulers.ts';
import { addSchedulerCall } from './scheduler-calls/add-scheduler-call.ts';
import { isInTime } from './slots/simulated-scheduler.ts';

/** An appointment and its order, after a service function has booked, moved or cancelled the appointment. */
export type Booked = { appointment: LoadedAppointment; order: LoadedOrder['row'] };

/**
 * Books an appointment slot for an order. In a sandbox, the simulated scheduler confirms the appointment at once. If
 * the request has `async_confirmation`, that scheduler only reserves the slot. If the operator has connected a real
 * scheduler, we send it the booking after the commit. Until the real scheduler answers, the appointment is pending.
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
    if (isAsked) await addSchedulerCall(ctx, appointment, 'book', { slot, notes: appointment_notes, reason: null });
    const moved = await moveOrder(ctx, { ...order, appointment_id: appointment.id }, target);
    return { appointment, order: moved.row };
  });
}

/**
 * Throws if the order already has an appointment that is under way. An order has only one such appointment at a time.
 */
export async function refuseSecond(ctx: TxCtx<TeamCtx>, { row }: LoadedOrder): Promise<void> {
  const newest = await newestAppointmentOrNull(ctx, row);
  if (!newest || !isUnderWay(newest)) return;
  throw new AppError(
    'appointment_already_booked',
    'This order has an appointment already. Reschedule it, or cancel it first.',
  );
}

/** Decrypts a booking key and returns the slot that it contains. Throws if the slot does not fit this order. */
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
      'This slot is for another kind of appointment, or at another laboratory.',
    );
  }
  const { by } = await findScheduler(ctx, slot.provider);
  // The operator may have connected another scheduler for this provider since we offered this slot.
  if (by !== slot.by || !isInTime(slot, Date.now())) {
    throw new AppError('booking_key_expired', 'It is too late for this slot. Ask for the availability again.');
  }
  return slot;
}
