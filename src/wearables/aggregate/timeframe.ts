import { isCalendarDate } from '../../wire/birth-date.ts';
import { firstMoment, millisecondsOf } from '../../wire/moment.ts';
import type { Breach } from '../../wire/rule.ts';
import type { Unit } from './read-query.ts';
import type { QueryScope } from './query-scope.ts';

/** A timeframe. `anchor` is its end: a day, which is included, or a moment. */
export type Timeframe = { anchor: string; past: Past };
type Past = { unit: Unit; value?: number };

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** A little more than three years with a leap day. */
export const MAX_DAYS = 1_100;
/** The largest `value` that the schema accepts: the minutes of MAX_DAYS. */
export const MAX_UNITS = (MAX_DAYS * DAY_MS) / MINUTE_MS;

/**
 * Returns the first local day of a timeframe, and the day after the last one. A timeframe that ends at a moment, or
 * that is given in hours or minutes, may cover only parts of its days. Then also returns the window that it covers.
 */
export function daysOf({ anchor, past }: Timeframe, timeZone: string): Pick<QueryScope, 'from' | 'until' | 'window'> {
  if (!isCalendarDate(anchor)) return upToMoment(anchor, past, timeZone);
  const end = Date.parse(anchor) + DAY_MS;
  const begin = before(end, past);
  const days = { from: dateOf(begin), until: dateOf(end) };
  if (!isShort(past)) return { ...days, window: null };
  return { ...days, window: { kind: 'local', from: localTextOf(begin), until: localTextOf(end) } };
}

/**
 * Returns the days and the window of a timeframe that ends at a moment. Minutes and hours are elapsed time. Longer
 * units follow the user's calendar.
 */
function upToMoment(anchor: string, past: Past, timeZone: string): Pick<QueryScope, 'from' | 'until' | 'window'> {
  const end = millisecondsOf(firstMoment(anchor) as string);
  const localEnd = localAt(end, timeZone);
  const localBegin = isShort(past) ? localAt(before(end, past), timeZone) : before(localEnd, past);
  const begin = isShort(past) ? before(end, past) : momentAt(localBegin, timeZone);
  return {
    from: dateOf(localBegin),
    until: dateOf(localEnd + DAY_MS),
    window: {
      kind: 'moments',
      from: localTextOf(localBegin),
      until: localTextOf(localEnd),
      begin: new Date(begin).toISOString(),
      end: new Date(end).toISOString(),
    },
  };
}

const isShort = ({ unit }: Past): boolean => unit === 'minute' || unit === 'hour';

/** Returns the time that is `past` before `at`, on a calendar on which every day has 24 hours. */
function before(at: number, { unit, value = 1 }: Past): number {
  switch (unit) {
    case 'minute':
      return at - value * MINUTE_MS;
    case 'hour':
      return at - value * HOUR_MS;
    case 'day':
      return at - value * DAY_MS;
    case 'week':
      return at - value * 7 * DAY_MS;
    case 'month':
      return monthsBefore(at, value);
    default:
      return monthsBefore(at, value * 12);
  }
}

/**
 * Returns the same day and time, `months` months earlier. If the earlier month has no such day, returns its last day:
 * one month before 31 March is 28 or 29 February.
 */
function monthsBefore(at: number, months: number): number {
  const day = new Date(at);
  const first = new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth() - months, 1));
  const lastDay = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0)).getUTCDate();
  first.setUTCDate(Math.min(day.getUTCDate(), lastDay));
  return first.getTime() + (at - Date.UTC(day.getUTCFullYear(), day.getUTCMonth(), day.getUTCDate()));
}

/** Returns the local time of a zone at a moment, in milliseconds since 1970, as if this local time were UTC. */
function localAt(at: number, timeZone: string): number {
  const text = new Intl.DateTimeFormat('sv-SE', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  }).format(at);
  return Date.parse(`${text.replace(' ', 'T')}Z`) + (((at % 1_000) + 1_000) % 1_000);
}

/**
 * Returns the moment at which clocks in a zone show this local time. If clocks show this time twice or never, because
 * they are changed, returns a moment within an hour of it.
 */
function momentAt(local: number, timeZone: string): number {
  const guess = local - (localAt(local, timeZone) - local);
  return local - (localAt(guess, timeZone) - guess);
}

const dateOf = (at: number): string => new Date(at).toISOString().slice(0, 10);
/** Returns a local time as text without a zone. */
const localTextOf = (at: number): string => new Date(at).toISOString().slice(0, -1);

const UNITS = new Set<unknown>(['minute', 'hour', 'day', 'week', 'month', 'year']);

function isPast(past: unknown): past is Past {
  const { unit, value = 1 } = (past ?? {}) as Record<string, unknown>;
  return UNITS.has(unit) && typeof value === 'number' && value >= 1 && value <= MAX_UNITS;
}

export function timeframeBreaches(value: Record<string, unknown>): Breach[] {
  const { anchor, past } = value;
  if (typeof anchor !== 'string' || anchor === '') return [];
  const moment = firstMoment(anchor);
  const wrong = (type: string, msg: string): Breach[] => [{ at: ['anchor'], type, msg }];
  if (moment === null)
    return wrong('date_parsing', 'Input should be a date as 2026-01-05, or a moment as 2026-01-05T07:00:00Z');
  if (anchor < '1900-01-01' || anchor > '2200-01-01')
    return wrong('value_error', 'Value should be between 1900-01-01 and 2200-01-01');
  return pastBreaches(anchor.slice(0, 10), past, MAX_DAYS);
}

/**
 * Checks that a timeframe has at most `maxDays` days. The schema reports an invalid `past`, so this function does not.
 */
export function pastBreaches(day: string, past: unknown, maxDays: number): Breach[] {
  if (!isPast(past)) return [];
  const end = Date.parse(day) + DAY_MS;
  if (end - before(end, past) <= maxDays * DAY_MS) return [];
  return [{ at: ['past'], type: 'value_error', msg: `A timeframe can have at most ${maxDays} days` }];
}
