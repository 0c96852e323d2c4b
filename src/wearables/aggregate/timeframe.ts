import type { Breach } from '../../wire/rule.ts';

export type Timeframe = { anchor: string; past: { unit: 'day' | 'week' | 'month' | 'year'; value?: number } };

const DAY_MS = 86_400_000;
/** Three years with their leap day, and a little more. */
const MOST_DAYS = 1_100;

/** The local days of a timeframe: `from` is the first of them, `until` the one after the last. */
export function daysOf({ anchor, past: { unit, value = 1 } }: Timeframe): { from: string; until: string } {
  const until = new Date(Date.parse(anchor) + DAY_MS);
  const from =
    unit === 'day' || unit === 'week'
      ? new Date(until.getTime() - value * (unit === 'week' ? 7 : 1) * DAY_MS)
      : monthsBefore(until, value * (unit === 'year' ? 12 : 1));
  return { from: dateOf(from), until: dateOf(until) };
}

/** The same day of an earlier month, or its last one where it is shorter. */
function monthsBefore(day: Date, months: number): Date {
  const first = new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth() - months, 1));
  const lastDay = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0)).getUTCDate();
  first.setUTCDate(Math.min(day.getUTCDate(), lastDay));
  return first;
}

/** The longest `value` that the form takes. */
export const MOST_UNITS = 1_100;
const UNITS = new Set<unknown>(['day', 'week', 'month', 'year']);

function isPast(past: unknown): past is Timeframe['past'] {
  const { unit, value = 1 } = (past ?? {}) as Record<string, unknown>;
  return UNITS.has(unit) && typeof value === 'number' && value >= 1 && value <= MOST_UNITS;
}

const dateOf = (day: Date): string => day.toISOString().slice(0, 10);

export function timeframeBreaches(value: Record<string, unknown>): Breach[] {
  const { anchor, past } = value as unknown as Partial<Timeframe>;
  if (typeof anchor !== 'string' || Number.isNaN(Date.parse(anchor))) return [];
  if (anchor < '1900-01-01' || anchor > '2200-01-01')
    return [{ at: ['anchor'], type: 'value_error', msg: 'Value should be between 1900-01-01 and 2200-01-01' }];
  return pastBreaches(anchor, past, MOST_DAYS);
}

/** Whether it is longer than so many days; of what is no length, its own form says what is wrong. */
export function pastBreaches(anchor: string, past: unknown, mostDays: number): Breach[] {
  if (!isPast(past)) return [];
  const { from, until } = daysOf({ anchor, past });
  if (Date.parse(until) - Date.parse(from) <= mostDays * DAY_MS) return [];
  return [{ at: ['past'], type: 'value_error', msg: `A timeframe has at most ${mostDays} days` }];
}
