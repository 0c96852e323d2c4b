// Values that are made of a sleep. docs/guides/ask-aggregates.md tells the formulas and where they come from: a change here
// is a change there.
import { sql } from 'kysely';
import { BEGAN_OFFSET } from '../../summaries/candidate.ts';
import { clockSql } from './clock.ts';
import { ofRow, type Column, type Columns, type Expression } from './column.ts';
import { localTime } from './local-time.ts';

const field = (name: string): Expression => sql`("values" ->> ${name}::text)::float8`;
/** Between 0 and 1, rising from the first number to the second; null of what is unknown, which `least` would pass over. */
const part = (value: Expression, from: number, to: number): Expression => sql`
  (case when ${value} is not null
   then least(greatest((${value} - ${from}::float8) / (${to}::float8 - ${from}::float8), 0), 1) end)`;

/** Whoever is told no latency fell asleep at once. */
const asleep = sql`least(start_at + make_interval(secs => coalesce(${field('latency')}, 0)), end_at)`;

/**
 * What a clock beside the bed shows. A sleep keeps how far clocks were from UTC as the person woke, which in the nights in which they
 * change is not what they were in the evening: where the user's zone has that offset in the morning, it tells all of the night.
 */
const clockTime = (
  moment: Expression,
  timeZone: string,
  otherwise: Expression = localTime(moment, timeZone),
): Expression => sql`
  (case when ("values" ->> 'timezone_offset')::float8 =
             extract(epoch from (end_at at time zone ${timeZone}::text) - (end_at at time zone 'UTC'))
   then ${moment} at time zone ${timeZone}::text else ${otherwise} end)`;

const NOON = 12;
const EVENING = 18;

const asleepAt: Column = {
  kind: 'clock',
  dayBeginsAt: NOON,
  sql: ({ timeZone }) => {
    const byEvening = sql`${asleep} at time zone 'UTC' + make_interval(secs => ${field(BEGAN_OFFSET)})`;
    return clockSql(clockTime(asleep, timeZone, sql`coalesce(${byEvening}, ${localTime(asleep, timeZone)})`), NOON);
  },
};

const awakeAt: Column = {
  kind: 'clock',
  dayBeginsAt: EVENING,
  sql: ({ timeZone }) => clockSql(localTime(sql`end_at`, timeZone), EVENING),
};

const HOUR = 3_600;
/** Hours asleep: all that adults are advised from 7 to 9, nothing at 4 and at 12. */
const duration = sql`least(${part(field('total'), 4 * HOUR, 7 * HOUR)}, ${part(field('total'), 12 * HOUR, 9 * HOUR)})`;
/** Part of the time in bed that was slept, in percent. */
const efficiency = part(
  sql`coalesce(${field('efficiency')}, 100 * ${field('total')} / nullif(${field('duration')}, 0))`,
  65,
  85,
);
const latency = part(field('latency'), 60 * 60, 30 * 60);
/** A source that tells no stages tells no time awake either, though 0 is kept. */
const awake = part(
  sql`
    (case when coalesce(${field('light')}, 0) + coalesce(${field('rem')}, 0) + coalesce(${field('deep')}, 0)
               + coalesce(${field('awake')}, 0) > 0 then ${field('awake')} end)`,
  60 * 60,
  20 * 60,
);

const SCORE_PARTS = [
  { of: duration, weight: 50 },
  { of: efficiency, weight: 30 },
  { of: latency, weight: 10 },
  { of: awake, weight: 10 },
];

/** What is unknown is left out, and the rest weighs as much more. */
const score = sql`
  (select round(100 * sum(part * weight) filter (where part is not null) / sum(weight) filter (where part is not null))
     from (values ${sql.join(SCORE_PARTS.map(({ of, weight }) => sql`(${of}, ${weight}::float8)`))}) as parts (part, weight))`;

/** The hour that is furthest from 04:15, the middle of the sleep of the average person. */
const AFTERNOON = 16.25;
const hoursAfterMidnight = (hours: number): number => (24 + hours) * HOUR;
const LATEST = 'extreme_late';
/** Until when the middle of a sleep belongs to a class; what is later is of the latest. */
const CHRONOTYPES: readonly (readonly [name: string, before: number])[] = [
  ['extreme_early', hoursAfterMidnight(1.75)],
  ['moderate_early', hoursAfterMidnight(2.75)],
  ['slight_early', hoursAfterMidnight(3.75)],
  ['normal', hoursAfterMidnight(4.75)],
  ['slight_late', hoursAfterMidnight(5.75)],
  ['moderate_late', hoursAfterMidnight(6.75)],
];

/** Of a long sleep from which somebody woke on a Saturday or Sunday; nobody tells which days are free. */
const chronotype: Column = {
  kind: 'text',
  words: [...CHRONOTYPES.map(([name]) => name), LATEST],
  sql: ({ timeZone }) => sql`
    (case when "values" ->> 'type' = 'long_sleep' and extract(isodow from calendar_date) >= 6 then (
      select case ${sql.join(
        CHRONOTYPES.map(([name, before]) => sql`when middle < ${before}::float8 then ${name}::text`),
        sql` `,
      )} else ${LATEST}::text end
        from (select ${clockSql(clockTime(sql`(${asleep} + (end_at - ${asleep}) / 2)`, timeZone), AFTERNOON)} as middle) as sleep
     ) end)`,
};

/** Value macros of the table sleep, by name. */
export const SLEEP_MACROS: Columns = {
  sleep_score: ofRow('number', score),
  chronotype,
  asleep_at: asleepAt,
  awake_at: awakeAt,
};
