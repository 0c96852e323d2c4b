// The fields that every incoming summary has beside those of its kind: its source, its id and its clock.
import { Type } from 'typebox';
import type { Breach } from '../../wire/rule.ts';
import type { Requirement } from '../../wire/rules.ts';
import { firstMoment, millisecondsOf } from '../../wire/moment.ts';
import { isCalendarDate } from '../../wire/birth-date.ts';
import { oneOf, optional, Text } from '../../wire/schema.ts';
import { latestDay } from '../calendar-date.ts';
import { PROVIDER_SLUGS } from '../providers/provider-catalogue.ts';
import { SOURCE_TYPES } from '../source.ts';
import { whole, type Fields } from './fields.ts';

const slug = oneOf(PROVIDER_SLUGS, { description: 'Slug of the provider that the data is from.' });

/** The source of a summary, and its id at this source. */
export const origin = {
  provider: slug,
  source_type: Type.Optional(
    oneOf(SOURCE_TYPES, { default: 'unknown', description: 'Kind of the device that measured.' }),
  ),
  app_id: optional(Text(200, { description: 'The app that wrote the data, by its bundle or package name.' })),
  device_id: optional(
    Type.String({
      format: 'uuid',
      description: 'Id of a device of the user, as GET /v2/user/{user_id}/device lists it.',
    }),
  ),
  provider_id: optional(
    Text(200, {
      description:
        'Id of this summary at its provider. With it, a later summary with the same id replaces this one ' +
        'whatever else changes. Without it, one of the same time does.',
    }),
  ),
  version: optional(
    Type.String({
      format: 'past-moment',
      description: 'When the provider last changed it. An older version never replaces a newer one.',
    }),
  ),
} satisfies Fields;

/** The largest offset from UTC that we accept, in seconds: 16 hours. */
const FURTHEST_OFFSET = 57_600;

export const timezoneOffset = whole(
  'Seconds east of UTC where the person was. Left out, it is the offset in the time itself, as in ' +
    '07:00:00-07:00, or unknown: Z and +00:00 do not say where the person was.',
  FURTHEST_OFFSET,
  -FURTHEST_OFFSET,
);

export const timeZone = optional(
  Type.String({ format: 'time-zone', description: 'Time zone where the person was, as America/Phoenix.' }),
);

export const ownDay = optional(
  Type.String({
    format: 'date',
    description:
      'The day that it belongs to, as the provider counts. Left out, it is the local day by the ' +
      "offset, else by the time zone, else by the user's fallback_time_zone, else in UTC.",
  }),
);

/** How many seconds a duration in a summary may be longer than its session, because sources round. */
export const ROUNDING_SECONDS = 60;

/** No device that stores health data existed before this day, so an earlier time is a mistake. */
const FIRST_DAY = '1900-01-01';
const HOUR_MS = 3_600_000;

/**
 * Checks that a summary can be a measurement. Its days and times must not be in the future. Its end must not be before
 * its start, and must be at most `maxHours` after it.
 */
export function measurable(
  {
    from,
    to,
    maxHours = 0,
    days = [],
    times = [],
  }: {
    from?: string;
    to?: string;
    maxHours?: number;
    days?: string[];
    times?: string[];
  },
  further: (value: Record<string, unknown>) => Breach[] = () => [],
  furtherWords?: string,
): Requirement {
  const moments = ['version', from, to, ...times].filter((name) => name !== undefined);
  const words = [
    'No day or time is before 1900 or in the future.',
    from && to && `\`${to}\` is not before \`${from}\` and at most ${maxHours} hours after it.`,
    furtherWords,
  ];
  return {
    words: words.filter(Boolean).join(' '),
    check: (value) => [
      ...['calendar_date', ...days].flatMap((name) => ofDay(name, value[name])),
      ...moments.flatMap((name) => ofMoment(name, value[name])),
      ...(from && to ? ofSpan(value, { from, to, maxHours }) : []),
      ...further(value),
    ],
  };
}

const tooEarly = (name: string): Breach => ({
  at: [name],
  type: 'value_error',
  msg: `Value should not be before ${FIRST_DAY}`,
});

function ofDay(name: string, day: unknown): Breach[] {
  if (typeof day !== 'string' || !isCalendarDate(day)) return [];
  if (day < FIRST_DAY) return [tooEarly(name)];
  return day > latestDay() ? [{ at: [name], type: 'value_error', msg: 'Value should not be in the future' }] : [];
}

const ofMoment = (name: string, moment: unknown): Breach[] =>
  typeof moment === 'string' && firstMoment(moment) !== null && moment < FIRST_DAY ? [tooEarly(name)] : [];

function ofSpan(
  value: Record<string, unknown>,
  { from, to, maxHours }: { from: string; to: string; maxHours: number },
): Breach[] {
  const [start, end] = [value[from], value[to]].map((moment) =>
    typeof moment === 'string' && firstMoment(moment) !== null ? millisecondsOf(firstMoment(moment) as string) : NaN,
  ) as [number, number];
  if (end < start) return [{ at: [to], type: 'value_error', msg: `Value should not be before ${from}` }];
  if (end - start <= maxHours * HOUR_MS || Number.isNaN(end - start)) return [];
  return [{ at: [to], type: 'value_error', msg: `Value should be at most ${maxHours} hours after ${from}` }];
}
