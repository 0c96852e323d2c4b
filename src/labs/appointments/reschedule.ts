import { isDeepStrictEqual } from 'node:util';
import type { Static } from 'typebox';
import type { TeamCtx } from '../../context.ts';
import { inTransaction } from '../../db/transaction.ts';
import { AppError } from '../../errors.ts';
import { openSlotFor, type Booked } from './book.ts';
import { findAppointment } from './find.ts';
import { changeAppointment } from './keep.ts';
import { lockOrderFor, moveOrder, refuseUnlessTakes } from './order-rules.ts';
import { canReschedule } from './render.ts';
import type { AppointmentType, RescheduleInput } from './schemas.ts';
import type { LoadedAppointment } from './sealed.ts';
import type { Slot } from './slots/booking-key.ts';
import { refuseWithoutScheduler } from '../schedulers/find-schedulers.ts';
import { addCall, hasOpenCall } from './calls/add-call.ts';

/**
 * Moves a confirmed appointment to another slot, as long as it could still be booked. Notes that are left out stay.
 * Where it has the slot already its order stays as it is: only new notes are a change then, so that a request whose
 * answer was lost can be sent again. A connected scheduler is asked after the commit: until it answers the appointment
 * stays where it is.
 */
export function rescheduleAppointment(
  ctx: TeamCtx,
  orderId: string,
  type: AppointmentType,
  { booking_key, appointment_notes }: Static<typeof RescheduleInput>,
): Promise<Booked> {
  return inTransaction(ctx, async (ctx) => {
    const order = await lockOrderFor(ctx, orderId, type);
    await refuseWithoutScheduler(ctx, type);
    const appointment = await findAppointment(ctx, order.row, type);
    if (!canReschedule(appointment, Date.now()) || (await hasOpenCall(ctx, appointment))) {
      throw new AppError(
        'appointment_not_reschedulable',
        `This appointment cannot be moved now: it is ${appointment.status}, too near, being moved, or booked by telephone.`,
      );
    }
    refuseUnlessTakes(order, 'appointment_scheduled');
    const slot = await openSlotFor(ctx, order, type, booking_key);
    const notes = appointment_notes ?? appointment.appointment_notes;
    const stays = isIn(slot, appointment);
    if (stays && notes === appointment.appointment_notes) return { appointment, order: order.row };
    if (slot.by !== appointment.booked_by) throw otherScheduler();
    if (slot.by === 'scheduler') {
      await addCall(ctx, appointment, 'reschedule', { slot, notes, reason: null });
      return { appointment, order: order.row };
    }
    const changed = await changeAppointment(ctx, order, appointment, {
      status: 'confirmed',
      notes,
      ...(!stays && { slot }),
    });
    if (stays) return { appointment: changed, order: order.row };
    return { appointment: changed, order: (await moveOrder(ctx, order, 'appointment_scheduled')).row };
  });
}

const otherScheduler = (): AppError =>
  new AppError(
    'appointment_not_reschedulable',
    'Another scheduler has booked this appointment than offers the slot. Cancel it, and book the slot then.',
  );

/** Whether this is when and where the appointment is already, to the words of the address. */
const isIn = ({ provider, place, start_at }: Slot, appointment: LoadedAppointment): boolean =>
  start_at === appointment.start_at && provider === appointment.provider && isDeepStrictEqual(place, appointment.place);
