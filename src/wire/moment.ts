import { isCalendarDate } from './birth-date.ts';

const MOMENT =
  /^(\d{4}-\d{2}-\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?([Zz]|[+-](?:0\d|1[0-5]):?[0-5]\d)?)?$/;

const CLOCKS_DIFFER_MS = 5 * 60_000;

/** A point in time as ISO 8601; without an offset it is UTC, a date alone stands for `timeOfDay` of that day. */
function read(text: string, timeOfDay: string): string | null {
  const [, date, hour, minute, second = '00', offset] = MOMENT.exec(text) ?? [];
  if (date === undefined || !isCalendarDate(date)) return null;
  if (hour === undefined) return `${date}T${timeOfDay}Z`;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return null;
  return offset === undefined ? `${text}Z` : text;
}

/** The moment; of a date alone its first one. */
export const firstMoment = (text: string): string | null => read(text, '00:00:00.000');

/** The moment; of a date alone its last one. */
export const lastMoment = (text: string): string | null => read(text, '23:59:59.999');

/** A moment that has come, by this clock or one that is five minutes ahead of it. */
export function pastMoment(text: string, now = Date.now()): string | null {
  const moment = firstMoment(text);
  return moment !== null && millisecondsOf(moment) <= now + CLOCKS_DIFFER_MS ? moment : null;
}

const MOST_YEARS_AHEAD = 10;

/** A moment that is to come, within ten years. */
export function futureMoment(text: string, now = Date.now()): string | null {
  const moment = lastMoment(text);
  const at = moment === null ? NaN : millisecondsOf(moment);
  return at > now && at < new Date(now).setUTCFullYear(new Date(now).getUTCFullYear() + MOST_YEARS_AHEAD)
    ? moment
    : null;
}

/** Milliseconds since 1970 of a moment as the functions above give it. */
export function millisecondsOf(moment: string): number {
  if (moment[10] === 'T' && moment.endsWith('Z')) return Date.parse(moment);
  // `2026-01-05 09:30+0700` is ISO 8601 to PostgreSQL, but not to Date.
  const strict = moment.replace(/^(.{10})[t ]/, '$1T').replace(/([+-]\d{2})(\d{2})$/, '$1:$2');
  return Date.parse(strict.toUpperCase());
}

/** Such a moment as answers write it: UTC, three fractional digits, Z. */
export const toUtc = (moment: string): string => new Date(millisecondsOf(moment)).toISOString();
