// How a query groups rows, and how the response writes the key of a group.
import { sql } from 'kysely';
import { aheadOf, localTime } from './columns/local-time.ts';
import { offsetText, valueSql, type Expression } from './columns/column.ts';
import type { DatePart, Group, Unit } from './read-query.ts';
import type { QueryScope } from './query-scope.ts';
import type { Table } from './query-tables.ts';

/** Returns the expression by which PostgreSQL groups and orders rows of `counted`. */
export function groupSql(group: Group, scope: QueryScope): Expression {
  if ('trunc' in group) return startOfGroup(group.trunc, scope);
  if ('part' in group) return PARTS[group.part];
  return valueSql(group.column, scope);
}

const HOUR_MINUTES = 60;

/** Returns the length of a group in minutes; null if the query groups by a day or more, or not by time. */
function minutesOf(group: Group): number | null {
  const [unit, value] =
    'trunc' in group ? [group.trunc.unit, group.trunc.value] : 'part' in group ? [group.part, 1] : [];
  if (unit === 'minute') return value as number;
  return unit === 'hour' ? (value as number) * HOUR_MINUTES : null;
}

/**
 * Returns the length of a time slot in minutes. If several sources measured in a slot, the query uses one of them. A
 * slot is an hour, or shorter if the groups of the query are shorter.
 */
export const slotMinutesOf = (groups: readonly Group[]): number =>
  Math.min(...groups.map((group) => minutesOf(group) ?? HOUR_MINUTES), HOUR_MINUTES);

/**
 * Tells two equal local times apart when clocks are put back. `offset` is the number of seconds by which the local time
 * is ahead of UTC. `zone` is the time zone in which local times may repeat.
 */
export type OffsetKey = { offset: Expression; zone: Expression };

/**
 * Returns what tells two equal local times of rows of `counted` apart: offset and zone. In autumn clocks show one hour
 * twice, for example 02:00 to 03:00. With the offset, these two hours become two groups. Returns null if no two groups
 * can have the same local time: groups longer than an hour, groups that are no time spans, and tables without times of
 * day.
 */
export function offsetKeySql(group: Group, table: Table, { timeZone }: QueryScope): OffsetKey | null {
  const minutes = 'trunc' in group ? minutesOf(group) : null;
  if (minutes === null || minutes > HOUR_MINUTES || table.index.kind !== 'moment') return null;
  if (table.series) return { offset: aheadOf(sql`local_at`, sql`at`), zone: sql`${timeZone}::text` };
  // A source may assign a summary to another day than the day on which it starts. Then the summary counts at the
  // beginning of the assigned day, and has no offset.
  const begin = sql`coalesce(start_at, created_at)`;
  return {
    offset: sql`case when local_at = ${localTime(begin, timeZone)} then ${aheadOf(sql`local_at`, begin)} end`,
    zone: sql`coalesce("values" ->> 'time_zone', ${timeZone}::text)`,
  };
}

/**
 * Returns SQL that orders groups by time. Local times do not suffice: if an hour repeats, its two groups have equal
 * local times.
 */
export const orderSql = (key: Expression, offsetKey: OffsetKey | null, { timeZone }: QueryScope): Expression[] => {
  if (offsetKey === null) return [key];
  const { offset } = offsetKey;
  const begin = sql`
    coalesce(${key} - make_interval(secs => ${offset}), ${key} at time zone ${timeZone}::text at time zone 'UTC')`;
  return [begin, key, sql`${offset} desc`];
};

/**
 * Returns SQL that writes the key of a group. PostgreSQL computes the key once for each group and not for each row. If
 * the local time occurs twice in the zone, the key ends with the offset from UTC, even if only one of the two times has
 * a group. It also ends with the offset if another group has the same local time.
 */
export function renderKey(group: Group, key: Expression, offsetKey: OffsetKey | null): Expression {
  if (!('trunc' in group)) return key;
  const { unit } = group.trunc;
  if (unit !== 'minute' && unit !== 'hour') return sql`to_char(${key}, 'YYYY-MM-DD')`;
  const text = sql`to_char(${key}, 'YYYY-MM-DD"T"HH24:MI:SS')`;
  if (offsetKey === null) return text;
  const { offset, zone } = offsetKey;
  const same = sql`over (partition by ${key})`;
  const isLikeAnother = sql`min(${offset}) ${same} is distinct from max(${offset}) ${same}`;
  const isRepeated = comesTwice(key, minutesOf(group) as number, sql`max(${zone})`);
  return sql`${text} || coalesce(case when ${isLikeAnother} or ${isRepeated} then ${offsetText(offset)} end, '')`;
}

/** Clocks go back by at most 3 hours, except in a zone that moves across the date line. */
const AROUND = sql`interval '3 hours'`;

/**
 * Returns SQL that is true if the local time at which the group begins occurs twice in the zone: before and after
 * clocks are put back.
 */
function comesTwice(key: Expression, minutes: number, zone: Expression): Expression {
  const ahead = (at: Expression): Expression => aheadOf(sql`(${at} at time zone zone)`, at);
  const moment = (local: Expression, offset: Expression): Expression =>
    sql`((${local} - make_interval(secs => ${offset})) at time zone 'UTC')`;
  const last = sql`${key} + make_interval(mins => ${minutes}::integer) - interval '1 microsecond'`;
  return sql`(
    select before <> after and ${ahead(moment(key, sql`before`))} = before
           and ${ahead(moment(last, sql`after`))} = after
      from (select zone, ${ahead(sql`(about - ${AROUND})`)} as before,
                   ${ahead(sql`(about + ${AROUND})`)} as after
              from (select zone, ${key} at time zone zone as about
                      from (select ${zone} as zone) as its) as its) as its)`;
}

const part = (field: Expression): Expression => sql`extract(${field} from local_at)::float8`;
/** Weeks are weeks of ISO 8601. Weekdays are numbers from 1 (Monday) to 7. */
const PARTS: Record<DatePart, Expression> = {
  minute: part(sql`minute`),
  hour: part(sql`hour`),
  day: part(sql`day`),
  week: part(sql`week`),
  month: part(sql`month`),
  year: part(sql`year`),
  weekday: part(sql`isodow`),
  week_of_year: part(sql`week`),
  day_of_year: part(sql`doy`),
};

/**
 * Returns SQL for the start of the group of a row. Groups of minutes, hours or days count from the first day of the
 * timeframe. Groups of weeks count from the week of this day.
 */
function startOfGroup(
  { unit, value: many }: { unit: Unit; value: number },
  { from, weekStartsOn }: QueryScope,
): Expression {
  if (unit === 'month' || unit === 'year') return startOfMonths(unit === 'year' ? many * 12 : many);
  const binned = (step: Expression, origin: string): Expression =>
    sql`date_bin(${step}, local_at, ${origin}::timestamp)`;
  if (unit === 'minute') return binned(sql`make_interval(mins => ${many}::integer)`, from);
  if (unit === 'hour') return binned(sql`make_interval(hours => ${many}::integer)`, from);
  if (unit === 'day') return binned(sql`make_interval(days => ${many}::integer)`, from);
  return binned(sql`make_interval(days => ${many * 7}::integer)`, weekOf(from, weekStartsOn));
}

/**
 * Returns SQL for the start of a group of months. Groups of months count from January, so groups of three months are
 * quarters. Groups of several years begin at a multiple of their length: groups of 10 years begin at 2020 and 2030.
 */
const startOfMonths = (many: number): Expression => sql`
  (date_trunc('month', local_at) - make_interval(months =>
    mod((extract(year from local_at) * 12 + extract(month from local_at) - 1)::integer, ${many}::integer)))`;

/** Returns the first day of the week to which a day belongs. */
function weekOf(day: string, startsOn: QueryScope['weekStartsOn']): string {
  const date = new Date(day);
  const since = startsOn === 'sunday' ? date.getUTCDay() : (date.getUTCDay() + 6) % 7;
  date.setUTCDate(date.getUTCDate() - since);
  return date.toISOString().slice(0, 10);
}
