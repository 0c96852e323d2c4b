import type { Static } from 'typebox';
import type { TeamCtx } from '../../context.ts';
import { inTransaction } from '../../db/transaction.ts';
import { placeOfAddress } from './slots/availability.ts';
import { refuseSecond, type Booked } from './book.ts';
import { insertAppointment } from './keep.ts';
import { lockOrderFor, moveOrder, refuseUnlessTakes } from './order-rules.ts';
import type { RequestInput } from './schemas.ts';
import { findScheduler } from '../schedulers/find-schedulers.ts';
import { addCall } from './calls/add-call.ts';

/**
 * Asks somebody to come, without a time: they tell it when they confirm, or the operator who books by telephone does.
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
    const { area, place } = await placeOfAddress(ctx, address, provider);
    const appointment = await insertAppointment(ctx, order, {
      type: 'phlebotomy',
      provider,
      place,
      iana_timezone: area.iana_timezone,
      slot: null,
      booked_by: by,
      status: 'pending',
      notes: appointment_notes,
    });
    if (by === 'scheduler')
      await addCall(ctx, appointment, 'book', { slot: null, notes: appointment_notes, reason: null });
    const moved = await moveOrder(ctx, { ...order, appointment_id: appointment.id }, 'appointment_pending');
    return { appointment, order: moved.row };
  });
}
