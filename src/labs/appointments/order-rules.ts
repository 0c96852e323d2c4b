// What an order says to appointments.
import type { TeamCtx, TxCtx } from '../../context.ts';
import { AppError } from '../../errors.ts';
import { lockOrder, type LoadedOrder } from '../orders/load.ts';
import { appendOrderEvents, hasLongHistory } from '../orders/status/append-events.ts';
import { progressOfOrder } from '../orders/status/progress.ts';
import { advance } from '../orders/status/rules.ts';
import type { CollectionMethod, LowLevelStatus } from '../orders/status/table.ts';
import type { AppointmentType } from './schemas.ts';

const METHOD_OF: Readonly<Record<AppointmentType, CollectionMethod>> = {
  phlebotomy: 'at_home_phlebotomy',
  patient_service_center: 'walk_in_test',
};

/** The type of appointment that orders of a method have; null for those that have none. */
export function appointmentTypeOf(method: CollectionMethod): AppointmentType | null {
  if (method === 'at_home_phlebotomy') return 'phlebotomy';
  return method === 'walk_in_test' ? 'patient_service_center' : null;
}

/** An order whose sample is taken at such an appointment, locked. */
export async function lockOrderFor(ctx: TxCtx<TeamCtx>, orderId: string, type: AppointmentType): Promise<LoadedOrder> {
  const order = await lockOrder(ctx, orderId);
  const { method } = order.row;
  if (method !== METHOD_OF[type]) {
    throw new AppError(
      'order_method_mismatch',
      `This is an order by ${method}; such appointments are for orders by ${METHOD_OF[type]}.`,
    );
  }
  return order;
}

export type AppointmentStep = 'appointment_pending' | 'appointment_scheduled' | 'appointment_cancelled';

/** The statuses by which an order gets to that one, the last of them; null where none lead there. */
function stepsTo(order: LoadedOrder, target: AppointmentStep): LowLevelStatus[] | null {
  const progress = progressOfOrder(order);
  if (advance(progress, target)) return [target];
  const pending = target === 'appointment_scheduled' ? advance(progress, 'appointment_pending') : null;
  if (pending && advance(pending, target)) return ['appointment_pending', target];
  return target === progress.last ? [] : null;
}

/** Refuses an order that is not where a status of appointments can follow. */
export function refuseUnlessTakes(order: LoadedOrder, target: AppointmentStep): void {
  if (target !== 'appointment_cancelled' && hasLongHistory(order))
    throw new AppError(
      'order_takes_no_appointment',
      'Appointments of this order were made and changed too often already.',
    );
  if (stepsTo(order, target)) return;
  throw new AppError(
    'order_takes_no_appointment',
    `Appointments are made and changed between the requisition and the sample; the status of this order is ${order.row.last_status}.`,
  );
}

/** The order's statuses that follow from what became of its appointment. */
export async function moveOrder(
  ctx: TxCtx<TeamCtx>,
  order: LoadedOrder,
  target: AppointmentStep,
): Promise<LoadedOrder> {
  const steps = stepsTo(order, target) ?? [];
  return appendOrderEvents(
    ctx,
    order,
    steps.map((status) => ({ status })),
  );
}

/** The same for news that may come late: an order that has gone on stays where it is. */
export const moveOrderIfItTakes = async (
  ctx: TxCtx<TeamCtx>,
  order: LoadedOrder,
  target: AppointmentStep,
): Promise<LoadedOrder> => (stepsTo(order, target) ? moveOrder(ctx, order, target) : order);
