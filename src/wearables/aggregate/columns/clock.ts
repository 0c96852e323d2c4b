// Local times of day. As numbers they are seconds, on a day that begins at an hour when nobody does what is told: a mean of
// 23:30 and 00:30 is midnight, and not noon.
import { sql } from 'kysely';
import type { Expression } from './column.ts';

const DAY_SECONDS = 86_400;
const HOUR_SECONDS = 3_600;

/** The seconds of a local timestamp, on a day that begins at that hour; from there on, and up to a day more. */
export const clockSql = (local: Expression, beginsAt: number): Expression => sql`
  (mod(extract(epoch from (${local})::time) - ${beginsAt * HOUR_SECONDS}::integer + ${DAY_SECONDS}::integer, ${DAY_SECONDS}::integer)
   + ${beginsAt * HOUR_SECONDS}::integer)::float8`;

/** The same of a written time; null where it is none. */
export function clockOf(text: string, beginsAt: number): number | null {
  const [, hour, minute, second = '0'] = /^([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?$/.exec(text) ?? [];
  if (hour === undefined) return null;
  const seconds = Number(hour) * HOUR_SECONDS + Number(minute) * 60 + Number(second);
  const begin = beginsAt * HOUR_SECONDS;
  return ((seconds - begin + DAY_SECONDS) % DAY_SECONDS) + begin;
}

/** As answers write it: HH:MM:SS. */
export function clockText(seconds: number): string {
  const ofDay = Math.round(seconds) % DAY_SECONDS;
  return new Date(ofDay * 1_000).toISOString().slice(11, 19);
}
