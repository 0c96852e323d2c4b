// From the clocks on the wall of a place to moments, also on days on which they change.

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** Making one takes 50 µs; there are some twenty zones. Swedish writes times as YYYY-MM-DD HH:mm. */
const formatters = new Map<string, Intl.DateTimeFormat>();

function formatterOf(timeZone: string): Intl.DateTimeFormat {
  let formatter = formatters.get(timeZone);
  if (!formatter) {
    formatter = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' });
    formatters.set(timeZone, formatter);
  }
  return formatter;
}

/** What clocks of the zone show, `YYYY-MM-DD HH:mm`. */
export const wallClock = (at: number, timeZone: string): string => formatterOf(timeZone).format(at);

/** The day of the calendar that it is in the zone, `YYYY-MM-DD`. */
export const localDay = (at: number, timeZone: string): string => wallClock(at, timeZone).slice(0, 10);

export const daysAfter = (date: string, days: number): string =>
  new Date(Date.parse(date) + days * DAY_MS).toISOString().slice(0, 10);

/**
 * The moment at which clocks of the zone show so many minutes after midnight of a day: the first of two where they show
 * it twice, null where they never do, as at 2:30 of a day on which they are put forward.
 */
export function momentOfWallClock(date: string, minutes: number, timeZone: string): number | null {
  const asUtc = Date.parse(date) + minutes * MINUTE_MS;
  const wanted = new Date(asUtc).toISOString().slice(0, 16).replace('T', ' ');
  // Clocks change at most once between a day before and a day after: these are all offsets that can hold.
  const candidates = [asUtc - DAY_MS, asUtc + DAY_MS].map((near) => asUtc - offsetAt(near, timeZone));
  return candidates.toSorted((a, b) => a - b).find((at) => wallClock(at, timeZone) === wanted) ?? null;
}

/** Milliseconds east of UTC at a moment of whole minutes. */
const offsetAt = (at: number, timeZone: string): number =>
  Date.parse(`${wallClock(at, timeZone).replace(' ', 'T')}:00Z`) - at;
