import type { TeamCtx } from '../../context.ts';
import { notFound } from '../../errors.ts';
import { loadOrder } from '../orders/load-order.ts';
import type { AppointmentType } from './schemas.ts';
import { openAppointment, type LoadedAppointment } from './sealed.ts';

type OrderKey = { user_id: string; id: string };

/** Returns the newest appointment of an order, or its appointment with the given id; null if there is none. */
export async function newestAppointmentOrNull(
  ctx: TeamCtx,
  order: OrderKey,
  appointmentId: string | null = null,
): Promise<LoadedAppointment | null> {
  const stored = await ctx.db
    .selectFrom('appointments')
    .selectAll()
    .where('user_id', '=', order.user_id)
    .where('order_id', '=', order.id)
    .$if(appointmentId !== null, (query) => query.where('id', '=', appointmentId))
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (!stored) return null;
  const events = await ctx.db
    .selectFrom('appointment_events')
    .select(['id', 'status', 'data', 'created_at'])
    .where('user_id', '=', stored.user_id)
    .where('order_id', '=', stored.order_id)
    .where('appointment_id', '=', stored.id)
    .orderBy('id')
    .execute();
  return openAppointment(ctx, stored, events);
}

/** Returns the newest appointment of an order if it has this type. Throws not_found otherwise. */
export async function findAppointment(
  ctx: TeamCtx,
  order: OrderKey,
  type: AppointmentType,
): Promise<LoadedAppointment> {
  const appointment = await newestAppointmentOrNull(ctx, order);
  if (appointment?.type !== type) throw notFound('Appointment');
  return appointment;
}

/** Reads an order's newest appointment for a client. */
export async function readAppointment(
  ctx: TeamCtx,
  orderId: string,
  type: AppointmentType,
): Promise<{ appointment: LoadedAppointment; order: { order_transaction_id: string } }> {
  const { row } = await loadOrder(ctx, orderId);
  return { appointment: await findAppointment(ctx, row, type), order: row };
}

const UNDER_WAY: ReadonlySet<string> = new Set(['pending', 'reserved', 'confirmed', 'in_progress']);

export const isUnderWay = ({ status }: Pick<LoadedAppointment, 'status'>): boolean => UNDER_WAY.has(status);
