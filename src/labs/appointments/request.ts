import type { Static } from 'typebox';
import type { TeamCtx } from '../../context.ts';
import { inTransaction } from '../../db/transaction.ts';
import { placeOfAddress } from './slots/availability.ts';
import { refuseSecond, type Booked } from './book.ts';
import { insertAppointment } from './keep.ts';
import { lockOrderFor, moveOrder, refuseUnlessTakes } from './order-rules.ts';
import type { RequestInput } from './schemas.ts';
import { refuseWithoutScheduler } from './slots/simulated-scheduler.ts';

/** Asks somebody to come, without a time: they tell it when they confirm. */
export function requestAppointment(
  ctx: TeamCtx,
  orderId: string,
  { address, provider, appointment_notes = null }: Static<typeof RequestInput>,
): Promise<Booked> {
  return inTransaction(ctx, async (ctx) => {
    const order = await lockOrderFor(ctx, orderId, 'phlebotomy');
    refuseWithoutScheduler(ctx);
    await refuseSecond(ctx, order);
    refuseUnlessTakes(order, 'appointment_pending');
    const { area, place } = await placeOfAddress(ctx, address, provider);
    const appointment = await insertAppointment(ctx, order, {
      type: 'phlebotomy',
      provider,
      place,
      iana_timezone: area.iana_timezone,
      slot: null,
      status: 'pending',
      notes: appointment_notes,
    });
    const moved = await moveOrder(ctx, { ...order, appointment_id: appointment.id }, 'appointment_pending');
    return { appointment, order: moved.row };
  });
}
