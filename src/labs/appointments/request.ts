import type { Static } from 'typebox';
import type { TeamCtx } from '../../context.ts';
import { inTransaction } from '../../db/transaction.ts';
import { resolveAddress } from './slots/availability.ts';
import { refuseSecond, type Booked } from './book-appointment.ts';
import { insertAppointment } from './change-appointment.ts';
import { lockOrderFor, moveOrder, refuseUnlessTakes } from './order-rules.ts';
import type { RequestInput } from './schemas.ts';
import { findScheduler } from '../schedulers/find-schedulers.ts';
import { addSchedulerCall } from './scheduler-calls/add-scheduler-call.ts';

/**
 * Requests a visit without a time. A connected provider sets the time when it confirms the visit. If the operator books
 * by telephone, the operator enters the time.
 */
export function requestAppointment(
  ctx: TeamCtx,
  orderId: string,
  { address, provider, appointment_notes = null }: Static<typeof RequestInput>,
): Promise<Booked> {
  return inTransaction(ctx, async (ctx) => {
    const order = await lockOrderFor(ctx, orderId, 'phlebotomy');
    const { by } = await findScheduler(ctx, provider);
    await refuseSecond(ctx, order);
    refuseUnlessTakes(order, 'appointment_pending');
    const { area, site } = await resolveAddress(ctx, address, provider);
    const appointment = await insertAppointment(ctx, order, {
      type: 'phlebotomy',
      provider,
      site,
      iana_timezone: area.iana_timezone,
      slot: null,
      booked_by: by,
      status: 'pending',
      notes: appointment_notes,
    });
    if (by === 'scheduler')
      await addSchedulerCall(ctx, appointment, 'book', { slot: null, notes: appointment_notes, reason: null });
    const moved = await moveOrder(ctx, { ...order, appointment_id: appointment.id }, 'appointment_pending');
    return { appointment, order: moved.row };
  });
}
