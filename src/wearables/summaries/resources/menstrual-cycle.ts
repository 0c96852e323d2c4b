import { Type, type TSchema } from 'typebox';
import { isCalendarDate } from '../../../wire/birth-date.ts';
import type { Breach } from '../../../wire/rule.ts';
import type { Requirement } from '../../../wire/rules.ts';
import { oneOf, optional } from '../../../wire/schema.ts';
import { dayEdges } from '../../calendar-date.ts';
import { day, list } from '../fields.ts';
import { measurable, origin, timeZone, timezoneOffset } from '../item.ts';
import { keyOf, type SummaryResource } from '../resource.ts';
import { flatSource, shapeOf } from '../shape.ts';

const MAX_ENTRIES = 100;
const DAY_MS = 86_400_000;
/** How many days in the future an expected day may be. */
const MAX_DAYS_AHEAD = 400;

const entries = (description: string, fields: Record<string, TSchema> = {}): TSchema =>
  list(Type.Object({ date: day('The day.'), ...fields }), MAX_ENTRIES, description);
const testResult = {
  test_result: oneOf(['negative', 'positive', 'indeterminate'], { description: 'The result.' }),
};

const observed = {
  menstrual_flow: entries('Flow by day.', {
    flow: oneOf(['unspecified', 'none', 'light', 'medium', 'heavy'], { description: 'The amount of flow.' }),
  }),
  cervical_mucus: entries('Cervical mucus by day.', {
    quality: oneOf(['dry', 'sticky', 'creamy', 'watery', 'egg_white'], { description: 'The quality of the mucus.' }),
  }),
  intermenstrual_bleeding: entries('Days of bleeding between periods.'),
  contraceptive: entries('Contraceptives by day.', {
    type: oneOf(['unspecified', 'implant', 'injection', 'iud', 'intravaginal_ring', 'oral', 'patch'], {
      description: 'The kind of contraceptive.',
    }),
  }),
  detected_deviations: entries('Deviations that were detected.', {
    deviation: oneOf(
      [
        'persistent_intermenstrual_bleeding',
        'prolonged_menstrual_periods',
        'irregular_menstrual_cycles',
        'infrequent_menstrual_cycles',
      ],
      { description: 'The kind of deviation.' },
    ),
  }),
  ovulation_test: entries('Ovulation tests by day.', {
    test_result: oneOf(['negative', 'positive', 'luteinizing_hormone_surge', 'estrogen_surge', 'indeterminate'], {
      description: 'The result.',
    }),
  }),
  home_pregnancy_test: entries('Pregnancy tests by day.', testResult),
  home_progesterone_test: entries('Progesterone tests by day.', testResult),
  sexual_activity: entries('Days of sexual activity.', {
    protection_used: optional(Type.Boolean({ description: 'Whether protection was used.' })),
  }),
  basal_body_temperature: entries('Basal body temperature by day.', {
    value: Type.Number({ minimum: 20, maximum: 50, description: 'The temperature, in degrees Celsius.' }),
  }),
};

const fields = {
  period_start: day('The first day of the period.'),
  period_end: optional(day('The last day of the period.')),
  cycle_end: optional(day('The last day of the cycle.')),
  is_predicted: Type.Optional(
    Type.Boolean({ default: false, description: 'Whether the cycle is expected rather than observed.' }),
  ),
  ...observed,
};

const fulfils: Requirement = {
  words:
    'No day is before 1900; the cycle has begun unless it is predicted, and ends at most 400 days ' +
    'from now. `period_end` and `cycle_end` are not before `period_start`.',
  check: (value) => [
    ...measurable({ days: value['is_predicted'] === true ? [] : ['period_start'] }).check(value),
    ...['period_start', 'period_end', 'cycle_end'].flatMap((name) => ofExpectedDay(value, name)),
  ],
};

function ofExpectedDay(value: Record<string, unknown>, name: string): Breach[] {
  const [first, date] = [value['period_start'], value[name]];
  if (typeof date !== 'string' || !isCalendarDate(date)) return [];
  const breach = (msg: string): Breach[] => [{ at: [name], type: 'value_error', msg }];
  if (date < '1900-01-01') return breach('Value should not be before 1900-01-01');
  if (Date.parse(date) > Date.now() + MAX_DAYS_AHEAD * DAY_MS)
    return breach(`Value should be at most ${MAX_DAYS_AHEAD} days ahead`);
  if (typeof first === 'string' && isCalendarDate(first) && date < first)
    return breach('Value should not be before period_start');
  return [];
}

const input = Type.Object({ ...origin, time_zone: timeZone, timezone_offset: timezoneOffset, ...fields }, { fulfils });

/** A cycle belongs to the day on which its period begins. Its observations are private, so they are encrypted. */
export const menstrualCycle: SummaryResource = {
  name: 'menstrual_cycle',
  title: 'MenstrualCycle',
  path: 'menstrual_cycle',
  one: 'menstrual cycle',
  many: 'menstrual cycles',
  list: 'menstrual_cycle',
  input,
  most: { items: 100, valuesEach: 400, bytes: 1024 * 1024 },
  shape: shapeOf(fields, flatSource),
  sealed: Object.keys(observed),
  keyAndTimesOf: (item, clock) => {
    const { period_start, period_end, cycle_end } = item as Record<string, string | null | undefined>;
    const first = period_start as string;
    return {
      key: keyOf(item, `on ${first}`),
      calendar_date: first,
      start_at: dayEdges(first, clock).start,
      end_at: dayEdges(cycle_end ?? period_end ?? first, clock).end,
    };
  },
};
