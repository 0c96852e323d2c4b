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
import { refuseWithoutScheduler } from './slots/simulated-scheduler.ts';

/** Moves a confirmed appointment to another slot, as long as it could still be booked. Notes that are left out stay. */
export function rescheduleAppointment(
  ctx: TeamCtx,
  orderId: string,
  type: AppointmentType,
  { booking_key, appointment_notes }: Static<typeof RescheduleInput>,
): Promise<Booked> {
  return inTransaction(ctx, async (ctx) => {
    const order = await lockOrderFor(ctx, orderId, type);
    refuseWithoutScheduler(ctx);
    const appointment = await findAppointment(ctx, order.row, type);
    if (!canReschedule(appointment, Date.now())) {
      throw new AppError(
        'appointment_not_reschedulable',
        `This appointment can no longer be moved: it is ${appointment.status}, or too near.`,
      );
    }
    refuseUnlessTakes(order, 'appointment_scheduled');
    const slot = openSlotFor(ctx, order, type, booking_key);
    const moved = await changeAppointment(ctx, order, appointment, {
      status: 'confirmed',
      slot,
      ...(appointment_notes === null || appointment_notes === undefined ? {} : { notes: appointment_notes }),
    });
    return { appointment: moved, order: (await moveOrder(ctx, order, 'appointment_scheduled')).row };
  });
}
