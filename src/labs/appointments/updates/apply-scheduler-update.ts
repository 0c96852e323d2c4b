import type { TeamCtx, TxCtx } from '../../../context.ts';
import { AppError } from '../../../errors.ts';
import { lockOrderIfPresent, type LoadedOrder } from '../../orders/load-order.ts';
import { appendOrderEvents } from '../../orders/status/append-events.ts';
import { progressOfOrder } from '../../orders/status/order-progress.ts';
import { advance } from '../../orders/status/status-rules.ts';
import { momentOrNull, type SchedulerUpdate } from '../../schedulers/scheduler-messages.ts';
import { isUnderWay, newestAppointmentOrNull } from '../find.ts';
import { changeAppointment } from '../change-appointment.ts';
import { moveOrderIfItTakes } from '../order-rules.ts';
import type { LoadedAppointment } from '../sealed.ts';
import type { Slot } from '../slots/booking-key.ts';

/**
 * Applies a scheduler's update to an appointment and its order, in the caller's transaction. An update changes nothing
 * if it is a repetition, if it is older than the newest stored update, or if the appointment has ended.
 */
export async function applySchedulerUpdate(
  ctx: TxCtx<TeamCtx>,
  orderId: string,
  update: SchedulerUpdate,
): Promise<void> {
  const order = await lockOrderIfPresent(ctx, orderId);
  if (!order)
    throw new AppError('not_ready', 'The user of this appointment is scheduled for deletion. Send this again later.');
  const appointment = await newestAppointmentOrNull(ctx, order.row, update.appointment_id.toLowerCase());
  const occurredAt = momentOrNull(update.occurred_at) as string;
  if (!appointment || !isUnderWay(appointment)) return;
  if (appointment.reported_at !== null && appointment.reported_at >= occurredAt) return;
  await ctx.db
    .updateTable('appointments')
    .set({ reported_at: occurredAt })
    .where('user_id', '=', appointment.user_id)
    .where('order_id', '=', appointment.order_id)
    .where('id', '=', appointment.id)
    .execute();
  await BY_STATUS[update.status](ctx, order, appointment, update);
}

type Follow = (
  ctx: TxCtx<TeamCtx>,
  order: LoadedOrder,
  appointment: LoadedAppointment,
  update: SchedulerUpdate,
) => Promise<void>;

const BY_STATUS: Readonly<Record<SchedulerUpdate['status'], Follow>> = {
  reserved: reserve,
  confirmed: confirm,
  in_progress: begin,
  completed: complete,
  cancelled: cancel,
};

async function reserve(...[ctx, order, appointment, update]: Parameters<Follow>): Promise<void> {
  if (appointment.status !== 'pending') return;
  await changeAppointment(ctx, order, appointment, {
    status: 'reserved',
    slot: timeOf(appointment, update),
    ...idOf(update),
  });
}

/**
 * Confirms the appointment. The scheduler may have moved it, so the time in the update may differ from the stored time.
 */
async function confirm(...[ctx, order, appointment, update]: Parameters<Follow>): Promise<void> {
  const slot = timeOf(appointment, update);
  const { status, start_at, end_at } = appointment;
  if (status === 'in_progress') return;
  if (status === 'confirmed' && slot.start_at === start_at && slot.end_at === end_at) return;
  await changeAppointment(ctx, order, appointment, { status: 'confirmed', slot, ...idOf(update) });
  await moveOrderIfItTakes(ctx, order, 'appointment_scheduled');
}

async function begin(...[ctx, order, appointment]: Parameters<Follow>): Promise<void> {
  if (appointment.status !== 'confirmed') return;
  await changeAppointment(ctx, order, appointment, { status: 'in_progress' });
}

/**
 * Records that the sample was taken. A blood draw at home moves its order to `draw_completed`. After a visit to a
 * service center, the laboratory reports the next status.
 */
async function complete(...[ctx, order, appointment, update]: Parameters<Follow>): Promise<void> {
  const slot = timeOf(appointment, update);
  await changeAppointment(ctx, order, appointment, { status: 'completed', slot });
  if (appointment.type === 'phlebotomy' && advance(progressOfOrder(order), 'draw_completed'))
    await appendOrderEvents(ctx, order, [{ status: 'draw_completed' }]);
}

async function cancel(...[ctx, order, appointment, { reason = null }]: Parameters<Follow>): Promise<void> {
  await changeAppointment(ctx, order, appointment, {
    status: 'cancelled',
    data: { cancelled_by: 'scheduler', reason },
    reportedBy: 'scheduler',
  });
  await moveOrderIfItTakes(ctx, order, 'appointment_cancelled');
}

const idOf = ({ external_id }: SchedulerUpdate): { external_id?: string } => (external_id ? { external_id } : {});

/** Returns the time in the update, or else the appointment's time. Throws if neither has a time. */
function timeOf(
  { provider, site, iana_timezone, ...appointment }: LoadedAppointment,
  { start, end }: SchedulerUpdate,
): Pick<Slot, 'by' | 'provider' | 'site' | 'start_at' | 'end_at' | 'iana_timezone'> {
  const start_at = momentOrNull(start) ?? appointment.start_at;
  const end_at = momentOrNull(end) ?? appointment.end_at;
  if (start_at === null || end_at === null)
    throw new AppError('scheduler_news_invalid', 'The message is not valid: /start and /end are needed.');
  return { by: 'scheduler', provider, site, start_at, end_at, iana_timezone };
}
