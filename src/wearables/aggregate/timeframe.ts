import { isCalendarDate } from '../../wire/birth-date.ts';
import { firstMoment, millisecondsOf } from '../../wire/moment.ts';
import type { Breach } from '../../wire/rule.ts';
import type { Unit } from './read-query.ts';
import type { QueryScope } from './scope.ts';

/** Up to the end of a day, or up to a moment. */
export type Timeframe = { anchor: string; past: Past };
type Past = { unit: Unit; value?: number };

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** Three years with their leap day, and a little more. */
export const MOST_DAYS = 1_100;
/** The longest `value` that the form takes: as many minutes. */
export const MOST_UNITS = (MOST_DAYS * DAY_MS) / MINUTE_MS;

/** The local days of a timeframe, the first and the one after the last, and what of them is meant where that is not all. */
export function daysOf({ anchor, past }: Timeframe, timeZone: string): Pick<QueryScope, 'from' | 'until' | 'window'> {
  if (!isCalendarDate(anchor)) return upToMoment(anchor, past, timeZone);
  const end = Date.parse(anchor) + DAY_MS;
  const begin = before(end, past);
  const days = { from: dateOf(begin), until: dateOf(end) };
  if (!isShort(past)) return { ...days, window: null };
  return { ...days, window: { kind: 'wall', from: wallOf(begin), until: wallOf(end) } };
}

/** Minutes and hours before a moment are counted as they pass, longer units by the user's calendar. */
function upToMoment(anchor: string, past: Past, timeZone: string): Pick<QueryScope, 'from' | 'until' | 'window'> {
  const end = millisecondsOf(firstMoment(anchor) as string);
  const wallEnd = wallAt(end, timeZone);
  const wallBegin = isShort(past) ? wallAt(before(end, past), timeZone) : before(wallEnd, past);
  const begin = isShort(past) ? before(end, past) : momentAt(wallBegin, timeZone);
  return {
    from: dateOf(wallBegin),
    until: dateOf(wallEnd + DAY_MS),
    window: {
      kind: 'moments',
      from: wallOf(wallBegin),
      until: wallOf(wallEnd),
      begin: new Date(begin).toISOString(),
      end: new Date(end).toISOString(),
    },
  };
}

const isShort = ({ unit }: Past): boolean => unit === 'minute' || unit === 'hour';

/** So much before, on a calendar whose days all have 24 hours. */
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

/** The same day and time of an earlier month, or of its last day where it is shorter. */
function monthsBefore(at: number, months: number): number {
  const day = new Date(at);
  const first = new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth() - months, 1));
  const lastDay = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0)).getUTCDate();
  first.setUTCDate(Math.min(day.getUTCDate(), lastDay));
  return first.getTime() + (at - Date.UTC(day.getUTCFullYear(), day.getUTCMonth(), day.getUTCDate()));
}

/** What clocks of a zone show at a moment, as if it were UTC. */
function wallAt(at: number, timeZone: string): number {
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

/** When clocks of a zone show that; where they show it twice or never, a moment within an hour of it. */
function momentAt(wall: number, timeZone: string): number {
  const guess = wall - (wallAt(wall, timeZone) - wall);
  return wall - (wallAt(guess, timeZone) - guess);
}

const dateOf = (at: number): string => new Date(at).toISOString().slice(0, 10);
/** Without a zone. */
const wallOf = (at: number): string => new Date(at).toISOString().slice(0, -1);

const UNITS = new Set<unknown>(['minute', 'hour', 'day', 'week', 'month', 'year']);

function isPast(past: unknown): past is Past {
  const { unit, value = 1 } = (past ?? {}) as Record<string, unknown>;
  return UNITS.has(unit) && typeof value === 'number' && value >= 1 && value <= MOST_UNITS;
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
  return pastBreaches(anchor.slice(0, 10), past, MOST_DAYS);
}

/** Whether it is longer than so many days; of what is no length, its own form says what is wrong. */
export function pastBreaches(day: string, past: unknown, mostDays: number): Breach[] {
  if (!isPast(past)) return [];
  const end = Date.parse(day) + DAY_MS;
  if (end - before(end, past) <= mostDays * DAY_MS) return [];
  return [{ at: ['past'], type: 'value_error', msg: `A timeframe has at most ${mostDays} days` }];
}
