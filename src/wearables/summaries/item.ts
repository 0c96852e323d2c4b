// What every summary that comes in has beside its fields: where it is from, which one it is, and its clock.
import { Type } from 'typebox';
import type { Breach } from '../../wire/rule.ts';
import type { Requirement } from '../../wire/rules.ts';
import { firstMoment, millisecondsOf } from '../../wire/moment.ts';
import { isCalendarDate } from '../../wire/birth-date.ts';
import { oneOf, optional, Text } from '../../wire/schema.ts';
import { latestDay } from '../calendar-date.ts';
import { PROVIDER_SLUGS } from '../providers/catalogue.ts';
import { SOURCE_TYPES } from '../source.ts';
import { whole, type Fields } from './fields.ts';

const slug = oneOf(PROVIDER_SLUGS, { description: 'Slug of the provider that the data is from.' });

/** Where a summary is from and which of its source's it is. */
export const origin = {
  provider: slug,
  source_type: Type.Optional(
    oneOf(SOURCE_TYPES, { default: 'unknown', description: 'Kind of the device that measured.' }),
  ),
  app_id: optional(Text(200, { description: 'The app that wrote the data, as its bundle or package is called.' })),
  device_id: optional(
    Type.String({
      format: 'uuid',
      description: 'Id of a device of the user, as GET /v2/user/{user_id}/device lists it.',
    }),
  ),
  provider_id: optional(
    Text(200, {
      description:
        'Id of this summary at its provider. With it a later one replaces this one whatever else changes; without it the ' +
        'time does.',
    }),
  ),
  version: optional(
    Type.String({
      format: 'past-moment',
      description: 'When the provider changed it last: an older version never replaces a newer one.',
    }),
  ),
} satisfies Fields;

/** The furthest that clocks are from UTC, in seconds. */
const FURTHEST_OFFSET = 57_600;

export const timezoneOffset = whole(
  'Seconds east of UTC where the person was. Left out, it is that of the time itself, as in 07:00:00-07:00, or unknown: ' +
    'Z and +00:00 say nothing of the place.',
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
      'The day it belongs to, as the provider counts. Left out, it is the local day by the offset, else by the time zone, ' +
      "else by the user's fallback_time_zone, else in UTC.",
  }),
);

/** By how much the times of a session may be longer than it: sources round them. */
export const ROUNDING_SECONDS = 60;

/** No device has measured before; earlier times are mistakes. */
const FIRST_DAY = '1900-01-01';
const HOUR_MS = 3_600_000;

/**
 * What a summary has to fulfil to be one that can have been measured: days and times that have come, and of a span an
 * end that is not before its start nor longer after it than `mostHours`.
 */
export function measurable(
  {
    from,
    to,
    mostHours = 0,
    days = [],
    times = [],
  }: {
    from?: string;
    to?: string;
    mostHours?: number;
    days?: string[];
    times?: string[];
  },
  further: (value: Record<string, unknown>) => Breach[] = () => [],
  furtherWords?: string,
): Requirement {
  const moments = ['version', from, to, ...times].filter((name) => name !== undefined);
  const words = [
    'No day or time is before 1900 or in the future.',
    from && to && `\`${to}\` is not before \`${from}\` and at most ${mostHours} hours after it.`,
    furtherWords,
  ];
  return {
    words: words.filter(Boolean).join(' '),
    check: (value) => [
      ...['calendar_date', ...days].flatMap((name) => ofDay(name, value[name])),
      ...moments.flatMap((name) => ofMoment(name, value[name])),
      ...(from && to ? ofSpan(value, { from, to, mostHours }) : []),
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
  { from, to, mostHours }: { from: string; to: string; mostHours: number },
): Breach[] {
  const [start, end] = [value[from], value[to]].map((moment) =>
    typeof moment === 'string' && firstMoment(moment) !== null ? millisecondsOf(firstMoment(moment) as string) : NaN,
  ) as [number, number];
  if (end < start) return [{ at: [to], type: 'value_error', msg: `Value should not be before ${from}` }];
  if (end - start <= mostHours * HOUR_MS || Number.isNaN(end - start)) return [];
  return [{ at: [to], type: 'value_error', msg: `Value should be at most ${mostHours} hours after ${from}` }];
}
