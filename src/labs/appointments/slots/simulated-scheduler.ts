// The scheduler of the sandbox. It computes its appointment slots from the provider, the site and the local hour, so
// every request gets the same slots. The database stores only which slots are taken.
import { createHash } from 'node:crypto';
import { AppError } from '../../../errors.ts';
import type { Slot } from './booking-key.ts';
import type { AppointmentType } from '../schemas.ts';
import { daysAfter, localDay, momentOfLocalTime } from './time-zones.ts';

const HOUR_MS = 3_600_000;
const OPENS_HOUR = 7;
const CLOSES_HOUR = 17;
const DAYS_OFFERED = 7;
const MAX_DAYS_AHEAD = 60;
const SUNDAY = 0;

/** A client must book or move an appointment at least this long before it begins. */
const NOTICE_MS: Readonly<Record<AppointmentType, number>> = {
  phlebotomy: 24 * HOUR_MS,
  patient_service_center: 2 * HOUR_MS,
};

/**
 * Returns the slots of a day, each one hour long, from 7:00 to 17:00 local time, Monday to Saturday. About one hour in
 * four has no slot.
 */
export function slotsOfDay(offer: Omit<Slot, 'start_at' | 'end_at'>, date: string): Slot[] {
  if (new Date(date).getUTCDay() === SUNDAY) return [];
  const slots: Slot[] = [];
  for (let hour = OPENS_HOUR; hour < CLOSES_HOUR; hour += 1) {
    const at = momentOfLocalTime(date, hour * 60, offer.iana_timezone);
    if (at === null || !isOffered(offer, date, hour)) continue;
    slots.push({ ...offer, start_at: new Date(at).toISOString(), end_at: new Date(at + HOUR_MS).toISOString() });
  }
  return slots;
}

function isOffered({ provider, site }: Omit<Slot, 'start_at' | 'end_at'>, date: string, hour: number): boolean {
  const digest = createHash('sha256').update(`${provider} ${site.code} ${date} ${hour}`).digest();
  return (digest[0] as number) % 4 !== 0;
}

/**
 * Returns the days that one response covers: the week that begins on `startDate`, or today in local time if that is
 * later.
 */
export function daysFrom(startDate: string | undefined, timeZone: string, now: number): string[] {
  const today = localDay(now, timeZone);
  const first = startDate === undefined || startDate < today ? today : startDate;
  if (first > daysAfter(today, MAX_DAYS_AHEAD)) {
    throw new AppError('start_date_too_far', `The service has slots for the next ${MAX_DAYS_AHEAD} days.`);
  }
  return Array.from({ length: DAYS_OFFERED }, (_, n) => daysAfter(first, n));
}

/** Returns the first day of each week for which the simulated scheduler has slots. */
export function weeksKnown(timeZone: string): string[] {
  const today = localDay(Date.now(), timeZone);
  return Array.from({ length: Math.ceil((MAX_DAYS_AHEAD + 1) / DAYS_OFFERED) }, (_, n) =>
    daysAfter(today, n * DAYS_OFFERED),
  );
}

/**
 * Returns whether a client can still book a slot. The simulated scheduler has a notice period. A connected scheduler
 * checks its own, so for its slots we only check that the slot has not begun.
 */
export const isInTime = ({ type, by, start_at }: Pick<Slot, 'type' | 'by' | 'start_at'>, now: number): boolean =>
  Date.parse(start_at) >= now + (by === 'simulated' ? NOTICE_MS[type] : 0);
