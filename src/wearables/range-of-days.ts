// The days that a request reads. The same rules apply to summaries and to series.
import { Type, type TOptional, type TString } from 'typebox';
import { isCalendarDate } from '../wire/birth-date.ts';
import { firstMoment, lastMoment, millisecondsOf } from '../wire/moment.ts';
import type { Requirement } from '../wire/rules.ts';

const MAX_DAYS = 365;
const DAY_MS = 86_400_000;

/**
 * Returns the query parameters `start_date` and `end_date`. `what` says in their descriptions what kind of value they
 * are, for example `calendar date`.
 */
export const rangeOfDays = (what: string): { start_date: TString; end_date: TOptional<TString> } => ({
  start_date: Type.String({
    format: 'lower-bound',
    description: `The first ${what}: at most ${MAX_DAYS} days before end_date, whether that is given or not.`,
  }),
  end_date: Type.Optional(
    Type.String({ format: 'upper-bound', description: `The last ${what}, inclusive. Default: today (UTC).` }),
  ),
});

/** We refuse a range that ends before it begins, because an empty response would hide the mistake. */
export const aYearAtMost: Requirement = {
  words:
    `\`end_date\` is not before \`start_date\`, and at most ${MAX_DAYS} days after it; ` +
    'left out, it is today (UTC).',
  check: ({ start_date, end_date }) => {
    if (typeof start_date !== 'string' || !isCalendarDate(start_date.slice(0, 10))) return [];
    if (end_date === undefined) {
      const days = daysBetween(start_date, new Date().toISOString());
      return days > MAX_DAYS
        ? [wrong('start_date', `Value should be at most ${MAX_DAYS} days before today where there is no end_date`)]
        : [];
    }
    const [from, to] = [firstMoment(start_date), typeof end_date === 'string' ? lastMoment(end_date) : null];
    if (from === null || to === null) return [];
    if (millisecondsOf(to) < millisecondsOf(from)) return [wrong('end_date', 'Value should not be before start_date')];
    return daysBetween(start_date, end_date as string) > MAX_DAYS
      ? [wrong('end_date', `Value should be at most ${MAX_DAYS} days after start_date`)]
      : [];
  },
};

/** Returns the number of calendar days between two dates. If a value is a moment, only the date in its text counts. */
const daysBetween = (from: string, to: string): number =>
  (Date.parse(to.slice(0, 10)) - Date.parse(from.slice(0, 10))) / DAY_MS;

const wrong = (name: string, msg: string) => ({ at: [name], type: 'value_error', msg });
