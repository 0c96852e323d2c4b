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
import { isInTime, refuseWithoutScheduler } from './slots/simulated-scheduler.ts';

/** What the verbs of an order's appointment answer with. */
export type Booked = { appointment: LoadedAppointment; order: LoadedOrder['row'] };

/** Books a slot for an order. With `async_confirmation` it is held until the scheduler confirms it. */
export function bookAppointment(
  ctx: TeamCtx,
  orderId: string,
  type: AppointmentType,
  { booking_key, appointment_notes = null, async_confirmation = false }: Static<typeof BookingInput>,
): Promise<Booked> {
  return inTransaction(ctx, async (ctx) => {
    const order = await lockOrderFor(ctx, orderId, type);
    refuseWithoutScheduler(ctx);
    const target = async_confirmation ? 'appointment_pending' : 'appointment_scheduled';
    await refuseSecond(ctx, order);
    refuseUnlessTakes(order, target);
    const slot = openSlotFor(ctx, order, type, booking_key);
    const appointment = await insertAppointment(ctx, order, {
      ...slot,
      slot,
      status: async_confirmation ? 'reserved' : 'confirmed',
      notes: appointment_notes,
    });
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
export function openSlotFor(ctx: TeamCtx, order: LoadedOrder, type: AppointmentType, key: string): Slot {
  const slot = openBookingKey(ctx, key);
  if (slot.type !== type || (slot.lab_id !== null && slot.lab_id !== order.lab.id)) {
    throw new AppError(
      'booking_key_mismatch',
      'This slot is of another kind of appointment, or at another laboratory.',
    );
  }
  if (!isInTime(slot, Date.now())) {
    throw new AppError('booking_key_expired', 'It is too late for this slot. Ask for the availability again.');
  }
  return slot;
}
