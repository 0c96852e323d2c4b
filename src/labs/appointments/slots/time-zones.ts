// Converts local times to moments, also on days on which clocks change to or from summer time.

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/**
 * Formatters by time zone. It takes 50 µs to make one, so we cache them: about twenty zones are in use. We use the
 * Swedish locale because it formats a time as YYYY-MM-DD HH:mm.
 */
const formatters = new Map<string, Intl.DateTimeFormat>();

function formatterOf(timeZone: string): Intl.DateTimeFormat {
  let formatter = formatters.get(timeZone);
  if (!formatter) {
    formatter = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' });
    formatters.set(timeZone, formatter);
  }
  return formatter;
}

/** Returns the local time in the zone as `YYYY-MM-DD HH:mm`. */
export const localTime = (at: number, timeZone: string): string => formatterOf(timeZone).format(at);

/** Returns the local day in the zone as `YYYY-MM-DD`. */
export const localDay = (at: number, timeZone: string): string => localTime(at, timeZone).slice(0, 10);

export const daysAfter = (date: string, days: number): string =>
  new Date(Date.parse(date) + days * DAY_MS).toISOString().slice(0, 10);

/**
 * Returns the moment at which local clocks are this many minutes after midnight of a day. When clocks go back, they
 * show a time twice: the function returns the first moment. When clocks go forward, they skip a time, for example 2:30:
 * the function returns null.
 */
export function momentOfLocalTime(date: string, minutes: number, timeZone: string): number | null {
  const asUtc = Date.parse(date) + minutes * MINUTE_MS;
  const wanted = new Date(asUtc).toISOString().slice(0, 16).replace('T', ' ');
  // Clocks change at most once between the day before and the day after, so the offset of one of these two days
  // applies.
  const candidates = [asUtc - DAY_MS, asUtc + DAY_MS].map((near) => asUtc - offsetAt(near, timeZone));
  return candidates.toSorted((a, b) => a - b).find((at) => localTime(at, timeZone) === wanted) ?? null;
}

/** Returns the zone's offset in milliseconds, positive east of UTC. `at` must be a whole minute. */
const offsetAt = (at: number, timeZone: string): number =>
  Date.parse(`${localTime(at, timeZone).replace(' ', 'T')}:00Z`) - at;
