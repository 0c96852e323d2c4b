import { isCalendarDate } from './birth-date.ts';

const MOMENT =
  /^(\d{4}-\d{2}-\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?([Zz]|[+-](?:0\d|1[0-5]):?[0-5]\d)?)?$/;

/** How far the clock of a sender may be ahead of ours. */
export const CLOCKS_DIFFER_MS = 5 * 60_000;

/**
 * Reads a time in ISO 8601. Without an offset the time is in UTC. A date without a time means `timeOfDay` of that day.
 */
function read(text: string, timeOfDay: string): string | null {
  if (!Number.isNaN(writtenMoment(text))) return text;
  const [, date, hour, minute, second = '00', offset] = MOMENT.exec(text) ?? [];
  if (date === undefined || !isCalendarDate(date)) return null;
  if (hour === undefined) return `${date}T${timeOfDay}Z`;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return null;
  return offset === undefined ? `${text}Z` : text;
}

/** Reads a time. A date without a time means the start of that day. */
export const firstMoment = (text: string): string | null => read(text, '00:00:00.000');

/** Reads a time. A date without a time means the end of that day. */
export const lastMoment = (text: string): string | null => read(text, '23:59:59.999');

/**
 * Reads a time in the past. Our clock may be behind the sender's, so it accepts a time up to five minutes in the
 * future.
 */
export function pastMoment(text: string, now = Date.now()): string | null {
  const moment = firstMoment(text);
  return moment !== null && millisecondsOf(moment) <= now + CLOCKS_DIFFER_MS ? moment : null;
}

const MAX_YEARS_AHEAD = 10;

/** Reads a time in the future, within ten years. */
export function futureMoment(text: string, now = Date.now()): string | null {
  const moment = lastMoment(text);
  const at = moment === null ? NaN : millisecondsOf(moment);
  return at > now && at < new Date(now).setUTCFullYear(new Date(now).getUTCFullYear() + MAX_YEARS_AHEAD)
    ? moment
    : null;
}

/** Returns the milliseconds since 1970 of a time that one of the functions above returned. */
export function millisecondsOf(moment: string): number {
  const written = writtenMoment(moment);
  if (!Number.isNaN(written)) return written;
  if (moment[10] === 'T' && moment.endsWith('Z')) return Date.parse(moment);
  // PostgreSQL reads `2026-01-05 09:30+0700` as ISO 8601, but JavaScript's Date does not.
  const strict = moment.replace(/^(.{10})[t ]/, '$1T').replace(/([+-]\d{2})(\d{2})$/, '$1:$2');
  return Date.parse(strict.toUpperCase());
}

/** Returns the time in the form of responses: UTC, three fractional digits, Z. */
export const toUtc = (moment: string): string => new Date(millisecondsOf(moment)).toISOString();

const DAY_CHARACTERS = 10;
const LENGTH = '2026-01-05T07:00:00.000Z'.length;

const [T, COLON, DOT, Z] = [0x54, 0x3a, 0x2e, 0x5a];
const ZERO = 0x30;

/** The day of the previous call. Most times of a batch are on the same day. */
let lastDay = { text: '1970-01-01', ms: 0 };

/**
 * Returns the milliseconds since 1970 of a time in the form that we store and that most senders use: UTC, three
 * fractional digits, Z. Returns NaN for any other text. A batch has thousands of times. The regular expression for all
 * forms would take several times as long.
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

/** Returns the number that two digits form, or NaN if one of the characters is not a digit. */
function pair(text: string, at: number): number {
  const tens = text.charCodeAt(at) - ZERO;
  const ones = text.charCodeAt(at + 1) - ZERO;
  return tens >= 0 && tens < 10 && ones >= 0 && ones < 10 ? tens * 10 + ones : NaN;
}
