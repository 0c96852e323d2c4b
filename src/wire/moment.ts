import { isCalendarDate } from './birth-date.ts';

const MOMENT =
  /^(\d{4}-\d{2}-\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?([Zz]|[+-](?:0\d|1[0-5]):?[0-5]\d)?)?$/;

const CLOCKS_DIFFER_MS = 5 * 60_000;

/** A point in time as ISO 8601; without an offset it is UTC, a date alone stands for `timeOfDay` of that day. */
function read(text: string, timeOfDay: string): string | null {
  if (!Number.isNaN(writtenMoment(text))) return text;
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
  const written = writtenMoment(moment);
  if (!Number.isNaN(written)) return written;
  if (moment[10] === 'T' && moment.endsWith('Z')) return Date.parse(moment);
  // `2026-01-05 09:30+0700` is ISO 8601 to PostgreSQL, but not to Date.
  const strict = moment.replace(/^(.{10})[t ]/, '$1T').replace(/([+-]\d{2})(\d{2})$/, '$1:$2');
  return Date.parse(strict.toUpperCase());
}

/** Such a moment as answers write it: UTC, three fractional digits, Z. */
export const toUtc = (moment: string): string => new Date(millisecondsOf(moment)).toISOString();

const DAY_CHARACTERS = 10;
const LENGTH = '2026-01-05T07:00:00.000Z'.length;

const [T, COLON, DOT, Z] = [0x54, 0x3a, 0x2e, 0x5a];
const ZERO = 0x30;

/** The day that was read last: those of a batch are mostly of one. */
let lastDay = { text: '1970-01-01', ms: 0 };

/**
 * Milliseconds since 1970 of a moment as it is stored and as most senders write it: UTC, three fractional digits, Z. NaN of any other
 * text. A batch has thousands of them, and the expression for all forms takes several times as long.
 */
export function writtenMoment(text: string): number {
  if (text.length !== LENGTH || text.charCodeAt(10) !== T || text.charCodeAt(23) !== Z) return NaN;
  if (text.charCodeAt(13) !== COLON || text.charCodeAt(16) !== COLON || text.charCodeAt(19) !== DOT) return NaN;
  const hour = pair(text, 11);
  const minute = pair(text, 14);
  const second = pair(text, 17);
  const hundredths = pair(text, 20);
  const last = text.charCodeAt(22) - ZERO;
  if (!(hour < 24 && minute < 60 && second < 60 && hundredths < 100 && last >= 0 && last < 10)) return NaN;
  if (!text.startsWith(lastDay.text)) {
    const day = text.slice(0, DAY_CHARACTERS);
    if (!isCalendarDate(day)) return NaN;
    lastDay = { text: day, ms: Date.parse(day) };
  }
  return lastDay.ms + ((hour * 60 + minute) * 60 + second) * 1_000 + hundredths * 10 + last;
}

/** The number of two digits; NaN where one of them is none. */
function pair(text: string, at: number): number {
  const tens = text.charCodeAt(at) - ZERO;
  const ones = text.charCodeAt(at + 1) - ZERO;
  return tens >= 0 && tens < 10 && ones >= 0 && ones < 10 ? tens * 10 + ones : NaN;
}
