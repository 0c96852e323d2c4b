import type { FollowedOrder, TeamCtx, TxCtx } from '../../context.ts';
import type { LowLevelStatus } from '../orders/status/table.ts';
import { isUnderWay, newestAppointmentOrNull } from './find.ts';
import { changeAppointment } from './keep.ts';

/** Statuses of an order that say that its sample was taken, whatever came of it. */
const SAMPLE_TAKEN: ReadonlySet<string> = new Set<LowLevelStatus>([
  'draw_completed',
  'partial_results',
  'completed',
  'corrected',
  'sample_error',
  'redraw_available',
]);

/** An order's end ends its appointment: kept where the sample was taken, else cancelled, which frees its slot. */
export async function followOrder(ctx: TxCtx<TeamCtx>, order: FollowedOrder, statuses: string[]): Promise<void> {
  const { method } = order.row;
  if (method !== 'walk_in_test' && method !== 'at_home_phlebotomy') return;
  const wasTaken = statuses.some((status) => SAMPLE_TAKEN.has(status));
  if (!wasTaken && !statuses.includes('cancelled')) return;
  const appointment = await newestAppointmentOrNull(ctx, order.row);
  if (!appointment || !isUnderWay(appointment)) return;
  // Of one that was never confirmed nobody can say that it took place.
  const status = wasTaken && appointment.status !== 'pending' ? 'completed' : 'cancelled';
  await changeAppointment(ctx, order, appointment, { status });
}
