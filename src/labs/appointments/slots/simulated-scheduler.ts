// The scheduler of the sandbox. What it offers follows from who books, the place and the local hour, so that a test can
// expect it; nothing of it is kept but which slots are taken.
import { createHash } from 'node:crypto';
import { AppError } from '../../../errors.ts';
import type { Slot } from './booking-key.ts';
import type { AppointmentType } from '../schemas.ts';
import { daysAfter, localDay, momentOfWallClock } from './wall-clock.ts';

const HOUR_MS = 3_600_000;
const OPENS_HOUR = 7;
const CLOSES_HOUR = 17;
const DAYS_TOLD = 7;
const MOST_DAYS_AHEAD = 60;
const SUNDAY = 0;

/** How long before it begins an appointment is booked, or moved, at the latest. */
const NOTICE_MS: Readonly<Record<AppointmentType, number>> = {
  phlebotomy: 24 * HOUR_MS,
  patient_service_center: 2 * HOUR_MS,
};

/** Three of four hours from 7 to 16 o'clock local time, Monday to Saturday, an hour each. */
export function slotsOfDay(offer: Omit<Slot, 'start_at' | 'end_at'>, date: string): Slot[] {
  if (new Date(date).getUTCDay() === SUNDAY) return [];
  const slots: Slot[] = [];
  for (let hour = OPENS_HOUR; hour < CLOSES_HOUR; hour += 1) {
    const at = momentOfWallClock(date, hour * 60, offer.iana_timezone);
    if (at === null || !isOffered(offer, date, hour)) continue;
    slots.push({ ...offer, start_at: new Date(at).toISOString(), end_at: new Date(at + HOUR_MS).toISOString() });
  }
  return slots;
}

function isOffered({ provider, place }: Omit<Slot, 'start_at' | 'end_at'>, date: string, hour: number): boolean {
  const digest = createHash('sha256').update(`${provider} ${place.code} ${date} ${hour}`).digest();
  return (digest[0] as number) % 4 !== 0;
}

/** The days that are told: a week from `start_date` on, or from today at the place. */
export function daysFrom(startDate: string | undefined, timeZone: string, now: number): string[] {
  const today = localDay(now, timeZone);
  const first = startDate === undefined || startDate < today ? today : startDate;
  if (first > daysAfter(today, MOST_DAYS_AHEAD)) {
    throw new AppError('start_date_too_far', `Slots are known for the next ${MOST_DAYS_AHEAD} days.`);
  }
  return Array.from({ length: DAYS_TOLD }, (_, n) => daysAfter(first, n));
}

/** The first days of the weeks for which slots are known. */
export function weeksKnown(timeZone: string): string[] {
  const today = localDay(Date.now(), timeZone);
  return Array.from({ length: Math.ceil((MOST_DAYS_AHEAD + 1) / DAYS_TOLD) }, (_, n) =>
    daysAfter(today, n * DAYS_TOLD),
  );
}

/**
 * Whether a slot can still be booked in time; of a connected scheduler's own slots that one knows more than that they
 * have begun.
 */
export const isInTime = ({ type, by, start_at }: Pick<Slot, 'type' | 'by' | 'start_at'>, now: number): boolean =>
  Date.parse(start_at) >= now + (by === 'simulated' ? NOTICE_MS[type] : 0);
