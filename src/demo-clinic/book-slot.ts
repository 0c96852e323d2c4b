import type { TeamCtx, TxCtx } from '../context.ts';
import { bookAppointment } from '../labs/appointments/book-appointment.ts';
import { centerAvailability, phlebotomyAvailability } from '../labs/appointments/slots/availability.ts';
import { daysAfter, localDay } from '../labs/appointments/slots/time-zones.ts';
import type { CollectionMethod } from '../labs/orders/status/statuses.ts';
import type { Person } from './people.ts';

/** How far a patient goes to a service center, in miles. */
const RADIUS = 50;

/**
 * Books a free slot near the person, as a client does. The simulated scheduler has no slots on Sundays and needs some
 * notice: two hours at a service center, a day at home. So `soon` may be tomorrow.
 */
export async function bookSlot(
  ctx: TxCtx<TeamCtx>,
  orderId: string,
  { person, method, day }: { person: Person; method: CollectionMethod; day: 'soon' | 'tomorrow' },
): Promise<void> {
  const startDate = day === 'tomorrow' ? daysAfter(localDay(Date.now(), person.time_zone), 1) : undefined;
  const type = method === 'walk_in_test' ? 'patient_service_center' : 'phlebotomy';
  const free = await (type === 'phlebotomy' ? atHome : atCenter)(ctx, person, startDate);
  const slots = free.slots.flatMap((listed) => listed.slots);
  const [first] = slots.toSorted((a, b) => a.start.localeCompare(b.start));
  if (!first?.booking_key) return;
  await bookAppointment(ctx, orderId, type, { booking_key: first.booking_key });
}

type Free = Awaited<ReturnType<typeof phlebotomyAvailability>>;

function atHome(ctx: TeamCtx, { info }: Person, startDate: string | undefined): Promise<Free> {
  const { first_line, second_line, city, state, zip } = info.address;
  return phlebotomyAvailability(ctx, { first_line, second_line, city, state, zip_code: zip }, startDate);
}

const atCenter = (ctx: TeamCtx, { info }: Person, startDate: string | undefined): Promise<Free> =>
  centerAvailability(ctx, {
    lab: info.address.state === 'AZ' ? 'sonora_quest' : 'quest',
    zip_code: info.address.zip,
    radius: RADIUS,
    ...(startDate !== undefined && { start_date: startDate }),
  });
