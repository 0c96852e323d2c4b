// Values that Phial computes from a sleep. docs/guides/ask-aggregates.md has the formulas and their sources. Change the
// guide together with this file.
import { sql } from 'kysely';
import { BEGAN_OFFSET } from '../../summaries/new-summary.ts';
import { timeOfDaySql } from './clock-column.ts';
import { ofRow, type Column, type Columns, type Expression } from './column.ts';
import { localTime } from './local-time.ts';

const field = (name: string): Expression => sql`("values" ->> ${name}::text)::float8`;
/**
 * Returns SQL for a score from 0 to 1. The score is 0 if the value is `from` and 1 if the value is `to`, and rises
 * evenly between them. A null value gives null. We test for null, because `least` of PostgreSQL ignores nulls.
 */
const part = (value: Expression, from: number, to: number): Expression => sql`
  (case when ${value} is not null
   then least(greatest((${value} - ${from}::float8) / (${to}::float8 - ${from}::float8), 0), 1) end)`;

/**
 * The moment at which the person fell asleep: the start plus the latency, which is the time awake in bed before sleep.
 * If the latency is missing, this is the start.
 */
const asleep = sql`least(start_at + make_interval(secs => coalesce(${field('latency')}, 0)), end_at)`;

/**
 * Returns SQL for the local time of a moment in the night. A sleep stores only the offset from UTC at its end. If
 * clocks change in the night, the evening had another offset. So we check whether the user's time zone has the stored
 * offset at the end of the sleep. If the zone has it, we take all local times of the night from the zone.
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
    return timeOfDaySql(clockTime(asleep, timeZone, sql`coalesce(${byEvening}, ${localTime(asleep, timeZone)})`), NOON);
  },
};

const awakeAt: Column = {
  kind: 'clock',
  dayBeginsAt: EVENING,
  sql: ({ timeZone }) => timeOfDaySql(localTime(sql`end_at`, timeZone), EVENING),
};

const HOUR = 3_600;
/**
 * The part of the score for the time asleep. It is 1 for 7 to 9 hours, which is the advice for adults. It falls to 0 at
 * 4 hours and at 12 hours.
 */
const duration = sql`
  least(${part(field('total'), 4 * HOUR, 7 * HOUR)}, ${part(field('total'), 12 * HOUR, 9 * HOUR)})`;
/**
 * The part of the score for the efficiency, which is the time asleep in percent of the time in bed. The two limits are
 * percents.
 */
const efficiency = part(
  sql`coalesce(${field('efficiency')}, 100 * ${field('total')} / nullif(${field('duration')}, 0))`,
  65,
  85,
);
const latency = part(field('latency'), 60 * 60, 30 * 60);
/**
 * The part of the score for the time awake. A source that reports no sleep stages stores 0 here, although the person
 * may have been awake. So without stages we treat the time awake as unknown.
 */
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

/**
 * The weighted mean of those parts of the score that are known. The weights of the unknown parts go to the known ones.
 */
const score = sql`
  (select round(100 * sum(part * weight) filter (where part is not null)
                / sum(weight) filter (where part is not null))
     from (values ${sql.join(SCORE_PARTS.map(({ of, weight }) => sql`(${of}, ${weight}::float8)`))})
          as parts (part, weight))`;

/**
 * The hour at which a day begins when we compare the middles of sleeps: 16:15. The middle of an average sleep is 04:15.
 * The hour furthest from it is 16:15, so hardly any middle is near the border of two days.
 */
const AFTERNOON = 16.25;
const hoursAfterMidnight = (hours: number): number => (24 + hours) * HOUR;
const LATEST = 'extreme_late';
/**
 * The chronotypes: how early or late a person sleeps, by the local time of the middle of a sleep. A sleep has the first
 * chronotype whose `before` is later than its middle.
 */
const CHRONOTYPES: readonly (readonly [name: string, before: number])[] = [
  ['extreme_early', hoursAfterMidnight(1.75)],
  ['moderate_early', hoursAfterMidnight(2.75)],
  ['slight_early', hoursAfterMidnight(3.75)],
  ['normal', hoursAfterMidnight(4.75)],
  ['slight_late', hoursAfterMidnight(5.75)],
  ['moderate_late', hoursAfterMidnight(6.75)],
];

const MIDDLE = sql`(${asleep} + (end_at - ${asleep}) / 2)`;

/**
 * The chronotype, from long sleeps that ended on a Saturday or Sunday. On working days an alarm clock ends the sleep,
 * so only free days show the chronotype. We do not know a person's free days, so we take the weekend.
 */
const chronotype: Column = {
  kind: 'text',
  words: [...CHRONOTYPES.map(([name]) => name), LATEST],
  sql: ({ timeZone }) => sql`
    (case when "values" ->> 'type' = 'long_sleep' and extract(isodow from calendar_date) >= 6 then (
      select case ${sql.join(
        CHRONOTYPES.map(([name, before]) => sql`when middle < ${before}::float8 then ${name}::text`),
        sql` `,
      )} else ${LATEST}::text end
        from (select ${timeOfDaySql(clockTime(MIDDLE, timeZone), AFTERNOON)} as middle) as sleep
     ) end)`,
};

/** The values that queries ask for by `value_macro` from the table `sleep`. */
export const SLEEP_MACROS: Columns = {
  sleep_score: ofRow('number', score),
  chronotype,
  asleep_at: asleepAt,
  awake_at: awakeAt,
};
