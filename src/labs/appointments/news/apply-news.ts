import type { TeamCtx, TxCtx } from '../../../context.ts';
import { AppError } from '../../../errors.ts';
import { lockOrderIfPresent, type LoadedOrder } from '../../orders/load.ts';
import { appendOrderEvents } from '../../orders/status/append-events.ts';
import { progressOfOrder } from '../../orders/status/progress.ts';
import { advance } from '../../orders/status/rules.ts';
import { momentOrNull, type SchedulerNews } from '../../schedulers/messages.ts';
import { isUnderWay, newestAppointmentOrNull } from '../find.ts';
import { changeAppointment } from '../keep.ts';
import { moveOrderIfItTakes } from '../order-rules.ts';
import type { LoadedAppointment } from '../sealed.ts';
import type { Slot } from '../slots/booking-key.ts';

/**
 * Has an appointment and its order follow what the scheduler tells, in the caller's transaction. News that is older
 * than what it told before, told again, or of an appointment that has ended changes nothing.
 */
export async function applyNews(ctx: TxCtx<TeamCtx>, orderId: string, news: SchedulerNews): Promise<void> {
  const order = await lockOrderIfPresent(ctx, orderId);
  if (!order) throw new AppError('not_ready', 'The user of this appointment is leaving. Send this again later.');
  const appointment = await newestAppointmentOrNull(ctx, order.row, news.appointment_id.toLowerCase());
  const occurredAt = momentOrNull(news.occurred_at) as string;
  if (!appointment || !isUnderWay(appointment)) return;
  if (appointment.told_at !== null && appointment.told_at >= occurredAt) return;
  await ctx.db
    .updateTable('appointments')
    .set({ told_at: occurredAt })
    .where('user_id', '=', appointment.user_id)
    .where('order_id', '=', appointment.order_id)
    .where('id', '=', appointment.id)
    .execute();
  await BY_STATUS[news.status](ctx, order, appointment, news);
}

type Follow = (
  ctx: TxCtx<TeamCtx>,
  order: LoadedOrder,
  appointment: LoadedAppointment,
  news: SchedulerNews,
) => Promise<void>;

const BY_STATUS: Readonly<Record<SchedulerNews['status'], Follow>> = {
  reserved: hold,
  confirmed: confirm,
  in_progress: begin,
  completed: complete,
  cancelled: cancel,
};

async function hold(...[ctx, order, appointment, news]: Parameters<Follow>): Promise<void> {
  if (appointment.status !== 'pending') return;
  await changeAppointment(ctx, order, appointment, {
    status: 'reserved',
    slot: timeOf(appointment, news),
    ...idOf(news),
  });
}

/** Also at another time than before: a scheduler may move an appointment by itself. */
async function confirm(...[ctx, order, appointment, news]: Parameters<Follow>): Promise<void> {
  const slot = timeOf(appointment, news);
  const { status, start_at, end_at } = appointment;
  if (status === 'in_progress') return;
  if (status === 'confirmed' && slot.start_at === start_at && slot.end_at === end_at) return;
  await changeAppointment(ctx, order, appointment, { status: 'confirmed', slot, ...idOf(news) });
  await moveOrderIfItTakes(ctx, order, 'appointment_scheduled');
}

async function begin(...[ctx, order, appointment]: Parameters<Follow>): Promise<void> {
  if (appointment.status !== 'confirmed') return;
  await changeAppointment(ctx, order, appointment, { status: 'in_progress' });
}

/** The sample was taken: of a visit the order says so; at a service center its laboratory tells what comes next. */
async function complete(...[ctx, order, appointment, news]: Parameters<Follow>): Promise<void> {
  const slot = timeOf(appointment, news);
  await changeAppointment(ctx, order, appointment, { status: 'completed', slot });
  if (appointment.type === 'phlebotomy' && advance(progressOfOrder(order), 'draw_completed'))
    await appendOrderEvents(ctx, order, [{ status: 'draw_completed' }]);
}

async function cancel(...[ctx, order, appointment, { reason = null }]: Parameters<Follow>): Promise<void> {
  await changeAppointment(ctx, order, appointment, {
    status: 'cancelled',
    data: { cancelled_by: 'scheduler', reason },
    toldBy: 'scheduler',
  });
  await moveOrderIfItTakes(ctx, order, 'appointment_cancelled');
}

const idOf = ({ external_id }: SchedulerNews): { external_id?: string } => (external_id ? { external_id } : {});

/** When it is; refuses what was never given a time. */
function timeOf(
  { provider, place, iana_timezone, ...appointment }: LoadedAppointment,
  { start, end }: SchedulerNews,
): Pick<Slot, 'by' | 'provider' | 'place' | 'start_at' | 'end_at' | 'iana_timezone'> {
  const start_at = momentOrNull(start) ?? appointment.start_at;
  const end_at = momentOrNull(end) ?? appointment.end_at;
  if (start_at === null || end_at === null)
    throw new AppError('scheduler_news_invalid', 'The message is not as it should be: /start and /end are needed.');
  return { by: 'scheduler', provider, place, start_at, end_at, iana_timezone };
}
