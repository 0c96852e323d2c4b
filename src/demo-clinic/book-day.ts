import type { TeamCtx, TxCtx } from '../context.ts';
import { simulateBooking } from '../labs/appointments/simulate.ts';
import { daysAfter, localDay } from '../labs/appointments/slots/time-zones.ts';
import { lockOrder } from '../labs/orders/load-order.ts';

/** The clinic itself is in Phoenix, so its day is the day that people call today. */
const CLINIC_ZONE = 'America/Phoenix';

/** Books the appointment of an order, on the day of the clinic and at the local time of the visit. */
export async function bookDay(
  ctx: TxCtx<TeamCtx>,
  orderId: string,
  { inDays, minutes }: { inDays: number; minutes: number },
): Promise<void> {
  const date = daysAfter(localDay(Date.now(), CLINIC_ZONE), inDays);
  await simulateBooking(ctx, await lockOrder(ctx, orderId), { date, minutes });
}
