// Which appointments an order can have, depending on its collection method and its status.
import type { TeamCtx, TxCtx } from '../../context.ts';
import { AppError } from '../../errors.ts';
import { lockOrder, type LoadedOrder } from '../orders/load-order.ts';
import { appendOrderEvents, hasLongHistory } from '../orders/status/append-events.ts';
import { progressOfOrder } from '../orders/status/order-progress.ts';
import { advance } from '../orders/status/status-rules.ts';
import type { CollectionMethod, LowLevelStatus } from '../orders/status/statuses.ts';
import type { AppointmentType } from './schemas.ts';

const METHOD_OF: Readonly<Record<AppointmentType, CollectionMethod>> = {
  phlebotomy: 'at_home_phlebotomy',
  patient_service_center: 'walk_in_test',
};

/** Returns the type of appointment for orders with this collection method; null if such orders have no appointments. */
export function appointmentTypeOf(method: CollectionMethod): AppointmentType | null {
  if (method === 'at_home_phlebotomy') return 'phlebotomy';
  return method === 'walk_in_test' ? 'patient_service_center' : null;
}

/** Locks an order and returns it. Throws if orders with its collection method do not have this type of appointment. */
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

/**
 * Returns the statuses that the order must get, one after another, to reach `target`. The last one is `target`. Returns
 * an empty list if the order already has this status, and null if the order cannot reach it.
 */
function stepsTo(order: LoadedOrder, target: AppointmentStep): LowLevelStatus[] | null {
  const progress = progressOfOrder(order);
  if (advance(progress, target)) return [target];
  const pending = target === 'appointment_scheduled' ? advance(progress, 'appointment_pending') : null;
  if (pending && advance(pending, target)) return ['appointment_pending', target];
  return target === progress.last ? [] : null;
}

/** Throws if the status table does not allow the order to move from its current status to `target`. */
export function refuseUnlessTakes(order: LoadedOrder, target: AppointmentStep): void {
  if (target !== 'appointment_cancelled' && hasLongHistory(order))
    throw new AppError(
      'order_takes_no_appointment',
      'Appointments of this order have been made and changed too often.',
    );
  if (stepsTo(order, target)) return;
  throw new AppError(
    'order_takes_no_appointment',
    'Appointments can be made and changed between the requisition and the sample; the status of this order ' +
      `is ${order.row.last_status}.`,
  );
}

/** Moves the order to `target`, the status that follows from a change of its appointment. */
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

/**
 * Like `moveOrder`, for updates that may arrive late. If the order can no longer move to `target`, it keeps its status.
 */
export const moveOrderIfItTakes = async (
  ctx: TxCtx<TeamCtx>,
  order: LoadedOrder,
  target: AppointmentStep,
): Promise<LoadedOrder> => (stepsTo(order, target) ? moveOrder(ctx, order, target) : order);
