import type { TeamCtx, TxCtx } from '../../context.ts';
import { AppError } from '../../errors.ts';
import type { LoadedOrder } from '../orders/load-order.ts';
import { listBookableCenters } from '../locations/service-centers.ts';
import { findAreaOrNull } from '../locations/zip-codes.ts';
import { freeSlotsOf, visitAt, visitTo, type Offer } from './slots/availability.ts';
import type { Slot } from './slots/booking-key.ts';
import { weeksKnown } from './slots/simulated-scheduler.ts';
import { daysAfter, localDay, momentOfLocalTime } from './slots/time-zones.ts';
import { isUnderWay, newestAppointmentOrNull } from './find.ts';
import { changeAppointment, insertAppointment } from './change-appointment.ts';
import { appointmentTypeOf, moveOrder, type AppointmentStep } from './order-rules.ts';
import type { LoadedAppointment } from './sealed.ts';

const HOUR_MS = 3_600_000;
/** The local time of an appointment in the past, in minutes after midnight: 9:30, and up to 15:00. */
const PAST_FROM = 570;
const PAST_UNTIL = 900;

const STEPS: ReadonlySet<string> = new Set(['appointment_pending', 'appointment_scheduled', 'appointment_cancelled']);

/** Returns whether an order gets this status because its appointment changed. */
export const isAppointmentStep = (status: string): status is AppointmentStep => STEPS.has(status);

/**
 * Acts as the sandbox's scheduler when a client moves an order to a status that follows from an appointment. If there
 * is no appointment, the function makes one. Then it confirms the appointment in the first free slot, moves it to the
 * next free slot, or cancels it. Last it gives the order the new status.
 * If the order has no address, or if no provider visits the address, only the status of the order changes, because we
 * invent no address.
 */
export async function simulateAppointment(
  ctx: TxCtx<TeamCtx>,
  order: LoadedOrder,
  target: AppointmentStep,
): Promise<LoadedOrder> {
  const newest = await newestAppointmentOrNull(ctx, order.row);
  const current = newest && isUnderWay(newest) ? newest : null;
  const appointment = current ? await change(ctx, order, current, target) : await make(ctx, order, target);
  return moveOrder(ctx, appointment ? { ...order, appointment_id: appointment.id } : order, target);
}

async function make(
  ctx: TxCtx<TeamCtx>,
  order: LoadedOrder,
  target: AppointmentStep,
): Promise<LoadedAppointment | null> {
  const offer = target === 'appointment_cancelled' ? null : await offerTo(ctx, order);
  if (!offer) return null;
  const slot = target === 'appointment_scheduled' ? await slotFor(ctx, offer) : null;
  return insertAppointment(ctx, order, { ...offer, slot, status: slot ? 'confirmed' : 'pending', notes: null });
}

async function change(
  ctx: TxCtx<TeamCtx>,
  order: LoadedOrder,
  current: LoadedAppointment,
  target: AppointmentStep,
): Promise<LoadedAppointment> {
  if (target === 'appointment_cancelled') return changeAppointment(ctx, order, current, { status: 'cancelled' });
  if (target === 'appointment_pending') return changeAppointment(ctx, order, current, { status: 'pending' });
  const hasSlot = current.status !== 'confirmed' && current.start_at !== null;
  const { type, provider, site, iana_timezone } = current;
  const slot = hasSlot
    ? null
    : await slotFor(ctx, { type, provider, by: 'simulated', slot_id: null, site, iana_timezone, lab_id: null });
  return changeAppointment(ctx, order, current, { status: 'confirmed', ...(slot && { slot }) });
}

/**
 * Returns the site at which the sample would be taken: the patient's home, or the laboratory's nearest service center
 * that takes appointments.
 */
async function offerTo(ctx: TeamCtx, { row, labTest }: LoadedOrder): Promise<Offer | null> {
  const address = row.patient_address;
  const type = appointmentTypeOf(row.method);
  if (!address || type === null || !labTest.lab) return null;
  const zip_code = address.zip.slice(0, 5);
  const area = await findAreaOrNull(ctx, zip_code);
  if (!area) return null;
  if (type === 'phlebotomy') {
    const { first_line, second_line, city, state, zip, access_notes } = address;
    const home = { first_line, second_line, city, state, zip_code: zip, unit: null, access_notes };
    return visitTo(
      { code: zip_code, name: null, address: home, location: { lng: area.lng, lat: area.lat } },
      area,
      'getlabs',
    );
  }
  for (const provider of ['quest', 'sonora_quest'] as const) {
    const near = { provider, lab_id: labTest.lab.id, zip_code, radius: 100, most: 1 };
    const [center] = await listBookableCenters(ctx, near);
    if (center) return visitAt(center, provider);
  }
  return null;
}

/**
 * Books an appointment at a local time that the caller chooses. The simulated scheduler offers only what a client can
 * still book, but the demo clinic has appointments of the whole day.
 */
export async function simulateBooking(
  ctx: TxCtx<TeamCtx>,
  order: LoadedOrder,
  { date, minutes }: { date: string; minutes: number },
): Promise<void> {
  const offer = await offerTo(ctx, order);
  if (!offer) return;
  const slot = slotAt(offer, date, minutes);
  const appointment = await insertAppointment(ctx, order, { ...offer, slot, status: 'confirmed', notes: null });
  await moveOrder(ctx, { ...order, appointment_id: appointment.id }, 'appointment_scheduled');
}

function slotAt(offer: Offer, date: string, minutes: number): Slot {
  const at = momentOfLocalTime(date, minutes, offer.iana_timezone) ?? Date.parse(date);
  return { ...offer, start_at: new Date(at).toISOString(), end_at: new Date(at + HOUR_MS).toISOString() };
}

/** Returns the slot of an appointment that is booked now, or that was booked in the past for the day after. */
async function slotFor(ctx: TeamCtx, offer: Offer): Promise<Slot> {
  if (ctx.happenedAt === undefined) return firstFree(ctx, offer);
  const booked = Date.parse(ctx.happenedAt);
  const date = daysAfter(localDay(booked, offer.iana_timezone), 1);
  return slotAt(offer, date, PAST_FROM + (Math.floor(booked / 60_000) % (PAST_UNTIL - PAST_FROM)));
}

/** Returns the first free slot of all weeks for which the simulated scheduler has slots. */
async function firstFree(ctx: TeamCtx, offer: Offer): Promise<Slot> {
  for (const startDate of weeksKnown(offer.iana_timezone)) {
    const [slot] = await freeSlotsOf(ctx, [offer], startDate);
    if (slot) return slot;
  }
  throw new AppError(
    'slot_taken',
    'All slots that the sandbox has for this location are taken. Cancel or complete appointments.',
  );
}
