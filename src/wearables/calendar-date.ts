// Finds the day to which a moment belongs in a person's calendar, and the start and end of a day.
import { millisecondsOf } from '../wire/moment.ts';
import { timeZone } from '../wire/time-zone.ts';

/**
 * How a person's local time differs from UTC. If the offset is known, it decides, else the time zone. If both are null,
 * local time is UTC.
 */
export type Clock = {
  /** Seconds east of UTC at the moment. Null means that the offset is unknown; 0 means UTC. */
  timezone_offset: number | null;
  /** The IANA name of the time zone. */
  time_zone: string | null;
};

/**
 * Returns the clock that a source states. If the source states no valid zone, the clock has the time zone of the user.
 */
export function clockOf(
  stated: { timezone_offset?: number | null | undefined; time_zone?: string | null | undefined },
  user: { fallback_time_zone: string | null },
): Clock {
  const zone = stated.time_zone ? timeZone(stated.time_zone) : null;
  return { timezone_offset: stated.timezone_offset ?? null, time_zone: zone ?? user.fallback_time_zone };
}

/**
 * Returns the offset in the text of a moment, in seconds east of UTC: 3600 for `2026-03-01T09:00:00+01:00`. Returns
 * null for Z and for no offset. Also returns null for +00:00, because most programs write it for UTC and not for local
 * time.
 */
export function offsetWithin(moment: string): number | null {
  const [, sign, hours = '0', minutes = '0'] = /([+-])(\d{2}):?(\d{2})$/.exec(moment.slice(10)) ?? [];
  const seconds = Number(hours) * 3_600 + Number(minutes) * 60;
  return seconds === 0 ? null : sign === '-' ? -seconds : seconds;
}

/** A day begins first in UTC+14. */
const EARLIEST_ZONE_MS = 14 * 3_600_000;

/** Returns the latest day that has begun in any time zone. */
export const latestDay = (): string => new Date(Date.now() + EARLIEST_ZONE_MS).toISOString().slice(0, 10);

/** Returns the local day of a moment, as `YYYY-MM-DD`. */
export function calendarDateOf(moment: string, clock: Clock): string {
  return localDay(millisecondsOf(moment), clock);
}

/**
 * Returns the start of a local day and the start of the next day, as UTC timestamps. They are 23, 24 or 25 hours apart,
 * because clocks may change on the day.
 */
export function dayEdges(date: string, clock: Clock): { start: string; end: string } {
  const next = new Date(Date.parse(date) + DAY_MS).toISOString().slice(0, 10);
  return { start: beginOf(date, clock), end: beginOf(next, clock) };
}

const DAY_MS = 86_400_000;
const SMALL_HOURS_MS = 2 * 3_600_000;

/**
 * Returns the moment at which a clock shows this number of milliseconds since midnight. Clocks are changed in the first
 * hours of a day. So we count early times from the start of the day, and later times back from its end.
 */
export function momentOfClock(date: string, sinceMidnight: number, clock: Clock): string {
  const { start, end } = dayEdges(date, clock);
  const at =
    sinceMidnight < SMALL_HOURS_MS
      ? millisecondsOf(start) + sinceMidnight
      : millisecondsOf(end) - (DAY_MS - sinceMidnight);
  return new Date(at).toISOString();
}
/** More than any time zone has ever differed from UTC. */
const FURTHEST_MS = 16 * 3_600_000;

function localDay(at: number, { timezone_offset: offset, time_zone: zone }: Clock): string {
  if (offset === null && zone !== null) return formatterOf(zone).format(at);
  return new Date(at + (offset ?? 0) * 1_000).toISOString().slice(0, 10);
}

/**
 * Returns the first moment of a local day. If the zone never had that day, as Samoa never had 30 December 2011, returns
 * a later moment.
 */
function beginOf(date: string, clock: Clock): string {
  const midnight = Date.parse(date);
  const { timezone_offset: offset, time_zone: zone } = clock;
  if (offset !== null || zone === null) return new Date(midnight - (offset ?? 0) * 1_000).toISOString();
  // Every time zone differs from UTC by whole seconds, so a day begins at a whole second.
  let [before, after] = [(midnight - FURTHEST_MS) / 1_000, (midnight + FURTHEST_MS) / 1_000];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (localDay(middle * 1_000, clock) < date) before = middle;
    else after = middle;
  }
  return new Date(after * 1_000).toISOString();
}

/**
 * One formatter for each time zone, because making one takes 50 µs. There are some 600 zones. The Swedish locale writes
 * dates as YYYY-MM-DD.
 */
const formatters = new Map<string, Intl.DateTimeFormat>();

function formatterOf(timeZone: string): Intl.DateTimeFormat {
  let formatter = formatters.get(timeZone);
  if (!formatter) {
    formatter = new Intl.DateTimeFormat('sv-SE', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' });
    formatters.set(timeZone, formatter);
  }
  return formatter;
}
