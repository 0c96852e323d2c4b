import type { TeamCtx } from '../../context.ts';
import { inTransaction } from '../../db/transaction.ts';
import { AppError } from '../../errors.ts';
import type { Booked } from './book-appointment.ts';
import { findCancellationReason } from './cancellation-reasons.ts';
import { findAppointment, isUnderWay } from './find.ts';
import { changeAppointment } from './change-appointment.ts';
import { lockOrderFor, moveOrder, refuseUnlessTakes } from './order-rules.ts';
import type { AppointmentType } from './schemas.ts';

/** Cancels an appointment that has not begun, and frees its slot. A second call changes nothing. */
export function cancelAppointment(
  ctx: TeamCtx,
  orderId: string,
  type: AppointmentType,
  { reasonId, notes }: { reasonId: string; notes: string | null },
): Promise<Booked> {
  return inTransaction(ctx, async (ctx) => {
    const order = await lockOrderFor(ctx, orderId, type);
    const reason = findCancellationReason(type, reasonId, notes);
    const appointment = await findAppointment(ctx, order.row, type);
    if (appointment.status === 'cancelled') return { appointment, order: order.row };
    const hasBegun = appointment.start_at !== null && Date.parse(appointment.start_at) <= Date.now();
    if (!isUnderWay(appointment) || hasBegun) {
      const why = isUnderWay(appointment) ? 'has begun' : `is ${appointment.status}`;
      throw new AppError('appointment_not_cancellable', `This appointment can no longer be cancelled: it ${why}.`);
    }
    refuseUnlessTakes(order, 'appointment_cancelled');
    const cancelled = await changeAppointment(ctx, order, appointment, {
      status: 'cancelled',
      data: { cancellation_reason_id: reason.id, cancellation_reason: reason.name, notes },
    });
    return { appointment: cancelled, order: (await moveOrder(ctx, order, 'appointment_cancelled')).row };
  });
}
