// The days on which an invented person is ill or travels. Both repeat, so that every month has some of them.
import { dayEdges, type Clock } from '../../calendar-date.ts';
import { chanceOf } from './chance.ts';

const DAY_MS = 86_400_000;
/** After this number of days, illness and travel repeat. A demo has more days than this, so each demo shows both. */
const PERIOD_DAYS = 26;
/** How ill the person is on each day of the illness, from 0 to 1. */
const ILLNESS = [0.6, 1, 0.8, 0.4];
const TRIP_DAYS = 5;
const DAYS_FROM_TRIP_TO_ILLNESS = 13;
const FAR_ZONES = [
  'Europe/Lisbon',
  'America/New_York',
  'Asia/Tokyo',
  'America/Los_Angeles',
  'Asia/Dubai',
  'Pacific/Auckland',
];
const MIN_HOURS_AWAY = 3;
const MAX_HOURS_AWAY = 9;

type Person = { id: string; fallback_time_zone: string | null };

export const nextDate = (date: string, days = 1): string =>
  new Date(Date.parse(date) + days * DAY_MS).toISOString().slice(0, 10);

/**
 * Returns the position of a day in a period of `days` days. Where the period begins depends on the person and the
 * purpose, so that not all persons are ill on the same day.
 */
export function dayOfPeriod({ id }: Person, date: string, days: number, purpose: string): number {
  const from = chanceOf(id, 'round', purpose).whole(0, days - 1);
  return (Math.floor(Date.parse(date) / DAY_MS) + from) % days;
}

/** Returns how ill the person is on a day, from 0 (well) to 1. */
export function illnessOn(person: Person, date: string): number {
  const dayOfIllness = dayOfPeriod(person, date, PERIOD_DAYS, 'trip') - DAYS_FROM_TRIP_TO_ILLNESS;
  return ILLNESS[dayOfIllness] ?? 0;
}

/** Whether the day is a Saturday or Sunday. */
export const isWeekend = (date: string): boolean => [0, 6].includes(new Date(date).getUTCDay());

/**
 * Returns the clock (offset and zone) where the person goes to bed on a day. On a day of travel this differs from the
 * morning.
 */
export function clockOfEvening(person: Person, date: string): Clock {
  const home: Clock = { timezone_offset: null, time_zone: person.fallback_time_zone };
  if (dayOfPeriod(person, date, PERIOD_DAYS, 'trip') >= TRIP_DAYS) return home;
  return { timezone_offset: null, time_zone: awayFrom(person, date, home) };
}

/**
 * Returns a zone some hours from home. It is the same for each journey of a person, unless clocks change at home or
 * there.
 */
function awayFrom(person: Person, date: string, home: Clock): string {
  const hoursAway = (zone: string): number =>
    Math.abs(offsetOn(date, { timezone_offset: null, time_zone: zone }) - offsetOn(date, home)) / 3_600;
  const far = FAR_ZONES.filter((zone) => hoursAway(zone) >= MIN_HOURS_AWAY && hoursAway(zone) <= MAX_HOURS_AWAY);
  return far[chanceOf(person.id, 'away').whole(0, far.length - 1)] as string;
}

/** Returns the offset from UTC in seconds at the beginning of a day. */
export const offsetOn = (date: string, clock: Clock): number =>
  (Date.parse(date) - Date.parse(dayEdges(date, clock).start)) / 1_000;
