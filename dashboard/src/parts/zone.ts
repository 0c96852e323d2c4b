// Days of the calendar of a place: a day's total belongs to its date, wherever somebody looks at it.

const DAY_MS = 86_400_000;

/** The zone of the person who looks. */
export const VIEWERS_ZONE: string = Intl.DateTimeFormat().resolvedOptions().timeZone;

const clocks = new Map<string, Intl.DateTimeFormat>();

function clockOf(zone: string): Intl.DateTimeFormat {
  const known = clocks.get(zone);
  if (known) return known;
  const parts = { year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' } as const;
  const made = new Intl.DateTimeFormat('en-US', { timeZone: zone, hourCycle: 'h23', second: '2-digit', ...parts });
  clocks.set(zone, made);
  return made;
}

/** What clocks in the zone show at a moment, as if it were UTC, in milliseconds. */
function shownAt(moment: number, zone: string): number {
  const of = Object.fromEntries(
    clockOf(zone)
      .formatToParts(moment)
      .map(({ type, value }) => [type, value]),
  );
  return Date.parse(`${of['year']}-${of['month']}-${of['day']}T${of['hour']}:${of['minute']}:${of['second']}Z`);
}

/** The calendar date in the zone, such as `2026-11-27`. */
export const dateAt = (moment: number, zone: string): string =>
  new Date(shownAt(moment, zone)).toISOString().slice(0, 10);

/** The moment at which a date begins in the zone, in milliseconds. */
export function startOf(date: string, zone: string): number {
  const wanted = Date.parse(`${date}T00:00:00Z`);
  // The offset at the moment itself counts, and the first guess may lie on the other side of a change of clocks.
  const guess = wanted - (shownAt(wanted, zone) - wanted);
  return guess - (shownAt(guess, zone) - wanted);
}

export const daysAfter = (date: string, days: number): string =>
  new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);

/** The noon of a date in seconds since 1970: where a chart draws the total of a day. */
export const middleOf = (date: string, zone: string): number =>
  (startOf(date, zone) + startOf(daysAfter(date, 1), zone)) / 2_000;
