import type { Ctx, TeamCtx, TxCtx } from '../../../context.ts';
import { AppError } from '../../../errors.ts';
import type { LoadedOrder } from '../../orders/load-order.ts';
import { appendOrderEvents } from '../../orders/status/append-events.ts';
import { progressOfOrder } from '../../orders/status/order-progress.ts';
import { advance } from '../../orders/status/status-rules.ts';
import { findAppointment, isUnderWay } from '../find.ts';
import { changeAppointment } from '../change-appointment.ts';
import { moveOrder, moveOrderIfItTakes, refuseUnlessTakes } from '../order-rules.ts';
import type { AppointmentType } from '../schemas.ts';
import type { LoadedAppointment } from '../sealed.ts';
import { withOrder, type OrderOfTeam } from './with-order.ts';

/** Moves an appointment that was booked by telephone, after the operator has agreed the new time by telephone. */
export const moveByTelephone = (
  ctx: Ctx,
  orderOfTeam: OrderOfTeam,
  { start_at, end_at }: { start_at: string; end_at: string },
): Promise<{ org_id: string }> =>
  withOrder(ctx, orderOfTeam, async (tx, order, type) => {
    const appointment = await bookedHere(tx, order, type);
    if (appointment.status !== 'confirmed') throw notNow('appointment_not_reschedulable', appointment);
    refuseUnlessTakes(order, 'appointment_scheduled');
    const { provider, site: where, iana_timezone } = appointment;
    const slot = { by: 'scheduler' as const, provider, site: where, iana_timezone, start_at, end_at };
    await changeAppointment(tx, order, appointment, { status: 'confirmed', slot });
    await moveOrder(tx, order, 'appointment_scheduled');
  });

/**
 * Records that the provider cancelled an appointment that was booked by telephone. If the team has already cancelled
 * the appointment, the function only records that the operator has told the provider about this cancellation.
 */
export const cancelByTelephone = (ctx: Ctx, orderOfTeam: OrderOfTeam, reason: string): Promise<{ org_id: string }> =>
  withOrder(ctx, orderOfTeam, async (tx, order, type) => {
    const answeredCalls = await tx.db
      .deleteFrom('scheduler_calls')
      .where('user_id', '=', order.row.user_id)
      .where('order_id', '=', order.row.id)
      .where('by_hand', '=', true)
      .returning('id')
      .execute();
    if (answeredCalls.length > 0) return;
    const appointment = await bookedHere(tx, order, type);
    if (!isUnderWay(appointment)) throw notNow('appointment_not_cancellable', appointment);
    const data = { cancelled_by: 'operator', reason };
    await changeAppointment(tx, order, appointment, { status: 'cancelled', data, reportedBy: 'operator' });
    await moveOrderIfItTakes(tx, order, 'appointment_cancelled');
  });

/** Records that the sample was taken. A blood draw at the patient's home moves its order to `draw_completed`. */
export const completeByTelephone = (ctx: Ctx, orderOfTeam: OrderOfTeam): Promise<{ org_id: string }> =>
  withOrder(ctx, orderOfTeam, async (tx, order, type) => {
    const appointment = await bookedHere(tx, order, type);
    if (appointment.status !== 'confirmed') throw notNow('appointment_not_reschedulable', appointment);
    await changeAppointment(tx, order, appointment, { status: 'completed' });
    if (type === 'phlebotomy' && advance(progressOfOrder(order), 'draw_completed'))
      await appendOrderEvents(tx, order, [{ status: 'draw_completed' }]);
  });

async function bookedHere(
  ctx: TxCtx<TeamCtx>,
  { row }: LoadedOrder,
  type: AppointmentType,
): Promise<LoadedAppointment> {
  const appointment = await findAppointment(ctx, row, type);
  if (appointment.booked_by === 'operator') return appointment;
  throw new AppError(
    'order_takes_no_appointment',
    'The appointment of this order was not booked by telephone. Its scheduler reports changes to it.',
  );
}

const notNow = (
  code: 'appointment_not_reschedulable' | 'appointment_not_cancellable',
  { status }: LoadedAppointment,
): AppError => new AppError(code, `The appointment of this order is ${status}.`);
