import type { FollowedOrder, TeamCtx, TxCtx } from '../../context.ts';
import type { LowLevelStatus } from '../orders/status/statuses.ts';
import { isUnderWay, newestAppointmentOrNull } from './find.ts';
import { changeAppointment } from './change-appointment.ts';

/** Statuses of an order that show that the sample was taken, whatever its result. */
const SAMPLE_TAKEN: ReadonlySet<string> = new Set<LowLevelStatus>([
  'draw_completed',
  'partial_results',
  'completed',
  'corrected',
  'sample_error',
  'redraw_available',
]);

/**
 * Ends an appointment when its order ends. If the sample was taken, the appointment becomes completed. Otherwise it
 * becomes cancelled, which frees its slot.
 */
export async function followOrder(ctx: TxCtx<TeamCtx>, order: FollowedOrder, statuses: string[]): Promise<void> {
  const { method } = order.row;
  if (method !== 'walk_in_test' && method !== 'at_home_phlebotomy') return;
  const wasTaken = statuses.some((status) => SAMPLE_TAKEN.has(status));
  if (!wasTaken && !statuses.includes('cancelled')) return;
  const appointment = await newestAppointmentOrNull(ctx, order.row);
  if (!appointment || !isUnderWay(appointment)) return;
  // A pending appointment was never confirmed, so we do not know that the visit happened.
  const status = wasTaken && appointment.status !== 'pending' ? 'completed' : 'cancelled';
  await changeAppointment(ctx, order, appointment, { status });
}
