// Local times of day, for example bedtimes, as numbers of seconds. A plain mean of 23:30 and 00:30 would be noon. So
// the day of such a column begins at an hour at which the event is unlikely, and 00:30 counts as 24:30. Then the mean
// is midnight.
import { sql } from 'kysely';
import type { Expression } from './column.ts';

const DAY_SECONDS = 86_400;
const HOUR_SECONDS = 3_600;

/**
 * Returns SQL for the seconds of a local timestamp since midnight. The day begins at the hour `beginsAt`. Times between
 * midnight and this hour count as times after 24:00. For example, if the day begins at 12, then 00:30 becomes the
 * seconds of 24:30.
 */
export const timeOfDaySql = (local: Expression, beginsAt: number): Expression => sql`
  (mod(extract(epoch from (${local})::time) - ${beginsAt * HOUR_SECONDS}::integer + ${DAY_SECONDS}::integer,
       ${DAY_SECONDS}::integer)
   + ${beginsAt * HOUR_SECONDS}::integer)::float8`;

/** Returns the same number as timeOfDaySql for a text such as `23:30`; null if the text is not a time. */
export function clockOf(text: string, beginsAt: number): number | null {
  const [, hour, minute, second = '0'] = /^([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?$/.exec(text) ?? [];
  if (hour === undefined) return null;
  const seconds = Number(hour) * HOUR_SECONDS + Number(minute) * 60 + Number(second);
  const begin = beginsAt * HOUR_SECONDS;
  return ((seconds - begin + DAY_SECONDS) % DAY_SECONDS) + begin;
}

/** Returns the time of day as responses show it: HH:MM:SS. */
export function clockText(seconds: number): string {
  const ofDay = Math.round(seconds) % DAY_SECONDS;
  return new Date(ofDay * 1_000).toISOString().slice(11, 19);
}
