// Which day of a person's calendar a moment belongs to, and when such a day begins and ends.
import { millisecondsOf } from '../wire/moment.ts';
import { timeZone } from '../wire/time-zone.ts';

/** How to tell local time from UTC, as far as anybody knows: the offset wins, then the zone; neither: UTC. */
export type Clock = {
  /** Seconds east of UTC at the moment in question; null: unknown, which is not 0. */
  timezone_offset: number | null;
  /** IANA name. */
  time_zone: string | null;
};

/** What a source told of its clock, with the user's own zone where it told none that there is. */
export function clockOf(
  told: { timezone_offset?: number | null | undefined; time_zone?: string | null | undefined },
  user: { fallback_time_zone: string | null },
): Clock {
  const zone = told.time_zone ? timeZone(told.time_zone) : null;
  return { timezone_offset: told.timezone_offset ?? null, time_zone: zone ?? user.fallback_time_zone };
}

/**
 * Seconds east of UTC that the text of a moment itself tells; null for Z, no offset and +00:00, as which most programs
 * write UTC whatever the place.
 */
export function offsetWithin(moment: string): number | null {
  const [, sign, hours = '0', minutes = '0'] = /([+-])(\d{2}):?(\d{2})$/.exec(moment.slice(10)) ?? [];
  const seconds = Number(hours) * 3_600 + Number(minutes) * 60;
  return seconds === 0 ? null : sign === '-' ? -seconds : seconds;
}

/** The day begins first at UTC+14. */
const EARLIEST_ZONE_MS = 14 * 3_600_000;

/** The latest day that has begun anywhere on earth. */
export const latestDay = (): string => new Date(Date.now() + EARLIEST_ZONE_MS).toISOString().slice(0, 10);

/** The local day of a moment, `YYYY-MM-DD`. */
export function calendarDateOf(moment: string, clock: Clock): string {
  return localDay(millisecondsOf(moment), clock);
}

/** When the local day begins and the next one does, as UTC timestamps: 23, 24 or 25 hours apart where clocks change. */
export function dayEdges(date: string, clock: Clock): { start: string; end: string } {
  const next = new Date(Date.parse(date) + DAY_MS).toISOString().slice(0, 10);
  return { start: beginOf(date, clock), end: beginOf(next, clock) };
}

const DAY_MS = 86_400_000;
const SMALL_HOURS_MS = 2 * 3_600_000;

/**
 * The moment at which a wall clock shows so many milliseconds since midnight. Where clocks change they do so in the small
 * hours: what is later counts back from the end of the day.
 */
export function momentOfClock(date: string, sinceMidnight: number, clock: Clock): string {
  const { start, end } = dayEdges(date, clock);
  const at =
    sinceMidnight < SMALL_HOURS_MS
      ? millisecondsOf(start) + sinceMidnight
      : millisecondsOf(end) - (DAY_MS - sinceMidnight);
  return new Date(at).toISOString();
}
/** No place on earth was ever further from UTC. */
const FURTHEST_MS = 16 * 3_600_000;

function localDay(at: number, { timezone_offset: offset, time_zone: zone }: Clock): string {
  if (offset === null && zone !== null) return formatterOf(zone).format(at);
  return new Date(at + (offset ?? 0) * 1_000).toISOString().slice(0, 10);
}

/** The first moment whose local day is `date`, or a later one where the place went without that day. */
function beginOf(date: string, clock: Clock): string {
  const midnight = Date.parse(date);
  const { timezone_offset: offset, time_zone: zone } = clock;
  if (offset !== null || zone === null) return new Date(midnight - (offset ?? 0) * 1_000).toISOString();
  let [before, after] = [midnight - FURTHEST_MS, midnight + FURTHEST_MS];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (localDay(middle, clock) < date) before = middle;
    else after = middle;
  }
  return new Date(after).toISOString();
}

/** Making one takes 50 µs; there are some 600 zones. Swedish writes dates as YYYY-MM-DD. */
const formatters = new Map<string, Intl.DateTimeFormat>();

function formatterOf(timeZone: string): Intl.DateTimeFormat {
  let formatter = formatters.get(timeZone);
  if (!formatter) {
    formatter = new Intl.DateTimeFormat('sv-SE', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' });
    formatters.set(timeZone, formatter);
  }
  return formatter;
}
