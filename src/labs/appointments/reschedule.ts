import { isDeepStrictEqual } from 'node:util';
import type { Static } from 'typebox';
import type { TeamCtx } from '../../context.ts';
import { inTransaction } from '../../db/transaction.ts';
import { AppError } from '../../errors.ts';
import { openSlotFor, type Booked } from './book-appointment.ts';
import { findAppointment } from './find.ts';
import { changeAppointment } from './change-appointment.ts';
import { lockOrderFor, moveOrder, refuseUnlessTakes } from './order-rules.ts';
import { canReschedule } from './render.ts';
import type { AppointmentType, RescheduleInput } from './schemas.ts';
import type { LoadedAppointment } from './sealed.ts';
import type { Slot } from './slots/booking-key.ts';
import { refuseWithoutScheduler } from '../schedulers/find-schedulers.ts';
import { addSchedulerCall, hasOpenCall } from './scheduler-calls/add-scheduler-call.ts';

/**
 * Moves a confirmed appointment to another appointment slot. Throws if the current slot begins too soon. If the request
 * contains no notes, the stored notes stay.
 * A client that did not receive the response can repeat the request. If the appointment already has the slot, the
 * function changes only the notes.
 * If a connected scheduler booked the appointment, we send it the move after the commit. Until that scheduler responds,
 * the appointment keeps its time.
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
        `This appointment cannot be moved now: it is ${appointment.status}, begins too soon, is being moved, ` +
          'or was booked by telephone.',
      );
    }
    refuseUnlessTakes(order, 'appointment_scheduled');
    const slot = await openSlotFor(ctx, order, type, booking_key);
    const notes = appointment_notes ?? appointment.appointment_notes;
    const stays = isIn(slot, appointment);
    if (stays && notes === appointment.appointment_notes) return { appointment, order: order.row };
    if (slot.by !== appointment.booked_by) throw otherScheduler();
    if (slot.by === 'scheduler') {
      await addSchedulerCall(ctx, appointment, 'reschedule', { slot, notes, reason: null });
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
    'The scheduler that offers this slot is not the one that booked the appointment. Cancel it, then book ' +
      'the slot.',
  );

/**
 * Returns whether the appointment already has this time, provider and site. All fields of the address must be equal.
 */
const isIn = ({ provider, site, start_at }: Slot, appointment: LoadedAppointment): boolean =>
  start_at === appointment.start_at && provider === appointment.provider && isDeepStrictEqual(site, appointment.site);
