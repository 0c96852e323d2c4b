// By what rows are grouped, and how the key of a group is told.
import { sql } from 'kysely';
import { aheadOf, localTime } from './columns/local-time.ts';
import { offsetText, valueSql, type Expression } from './columns/column.ts';
import type { DatePart, Group, Unit } from './read-query.ts';
import type { QueryScope } from './scope.ts';
import type { Table } from './tables.ts';

/** What rows are grouped and ordered by, from a row of `counted`. */
export function groupSql(group: Group, scope: QueryScope): Expression {
  if ('trunc' in group) return startOfGroup(group.trunc, scope);
  if ('part' in group) return PARTS[group.part];
  return valueSql(group.column, scope);
}

const HOUR_MINUTES = 60;

/** How many minutes a group lasts; null of what groups by a day or more, or not by time. */
function minutesOf(group: Group): number | null {
  const [unit, value] =
    'trunc' in group ? [group.trunc.unit, group.trunc.value] : 'part' in group ? [group.part, 1] : [];
  if (unit === 'minute') return value as number;
  return unit === 'hour' ? (value as number) * HOUR_MINUTES : null;
}

/** How long the slots are of which each has one source, in minutes: an hour, or what is grouped by where that is less. */
export const slotMinutesOf = (groups: readonly Group[]): number =>
  Math.min(...groups.map((group) => minutesOf(group) ?? HOUR_MINUTES), HOUR_MINUTES);

/** Of a row that is grouped by an hour or less: how many seconds its clock is ahead of UTC, and by which zone local times repeat. */
export type Clock = { offset: Expression; zone: Expression };

/**
 * What tells an hour that comes twice in autumn as two groups, from a row of `counted`. Null where that tells no groups apart:
 * of what is grouped by more than an hour, or has no hour.
 */
export function clockSql(group: Group, table: Table, { timeZone }: QueryScope): Clock | null {
  const minutes = 'trunc' in group ? minutesOf(group) : null;
  if (minutes === null || minutes > HOUR_MINUTES || table.index.kind !== 'moment') return null;
  if (table.series) return { offset: aheadOf(sql`local_at`, sql`at`), zone: sql`${timeZone}::text` };
  // What its source counts to another day than the one on which it began lies at the beginning of that day.
  const begin = sql`coalesce(start_at, created_at)`;
  return {
    offset: sql`case when local_at = ${localTime(begin, timeZone)} then ${aheadOf(sql`local_at`, begin)} end`,
    zone: sql`coalesce("values" ->> 'time_zone', ${timeZone}::text)`,
  };
}

/** In which order groups stand: that of time, which is not that of local times where an hour comes twice. */
export const orderSql = (key: Expression, clock: Clock | null, { timeZone }: QueryScope): Expression[] => {
  if (clock === null) return [key];
  const { offset } = clock;
  const begin = sql`coalesce(${key} - make_interval(secs => ${offset}), ${key} at time zone ${timeZone}::text at time zone 'UTC')`;
  return [begin, key, sql`${offset} desc`];
};

/**
 * How the key of a group is told, made for groups alone and not for each row: with its offset where its zone has that time twice,
 * whatever else came in, and where another group of the answer has the same time.
 */
export function toldKey(group: Group, key: Expression, clock: Clock | null): Expression {
  if (!('trunc' in group)) return key;
  const { unit } = group.trunc;
  if (unit !== 'minute' && unit !== 'hour') return sql`to_char(${key}, 'YYYY-MM-DD')`;
  const told = sql`to_char(${key}, 'YYYY-MM-DD"T"HH24:MI:SS')`;
  if (clock === null) return told;
  const { offset, zone } = clock;
  const same = sql`over (partition by ${key})`;
  const isLikeAnother = sql`min(${offset}) ${same} is distinct from max(${offset}) ${same}`;
  const isRepeated = comesTwice(key, minutesOf(group) as number, sql`max(${zone})`);
  return sql`${told} || coalesce(case when ${isLikeAnother} or ${isRepeated} then ${offsetText(offset)} end, '')`;
}

/** Longer than clocks were ever put back by. */
const AROUND = sql`interval '3 hours'`;

/** Whether a group that begins at a local time can lie before and after the moment at which clocks of the zone change. */
function comesTwice(key: Expression, minutes: number, zone: Expression): Expression {
  const ahead = (at: Expression): Expression => aheadOf(sql`(${at} at time zone zone)`, at);
  const moment = (local: Expression, offset: Expression): Expression =>
    sql`((${local} - make_interval(secs => ${offset})) at time zone 'UTC')`;
  const last = sql`${key} + make_interval(mins => ${minutes}::integer) - interval '1 microsecond'`;
  return sql`(
    select before <> after and ${ahead(moment(key, sql`before`))} = before and ${ahead(moment(last, sql`after`))} = after
      from (select zone, ${ahead(sql`(about - ${AROUND})`)} as before, ${ahead(sql`(about + ${AROUND})`)} as after
              from (select zone, ${key} at time zone zone as about from (select ${zone} as zone) as its) as its) as its)`;
}

const part = (field: Expression): Expression => sql`extract(${field} from local_at)::float8`;
/** Weeks are those of ISO 8601, and weekdays from 1, a Monday, to 7. */
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

/** Minutes, hours and days are counted from the first day that was asked for, weeks from the week that it lies in. */
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

/** Months are counted from a January, so that three of them are a quarter; years from a year that they divide. */
const startOfMonths = (many: number): Expression => sql`
  (date_trunc('month', local_at) - make_interval(months =>
    mod((extract(year from local_at) * 12 + extract(month from local_at) - 1)::integer, ${many}::integer)))`;

/** The first day of the week that a day lies in. */
function weekOf(day: string, startsOn: QueryScope['weekStartsOn']): string {
  const date = new Date(day);
  const since = startsOn === 'sunday' ? date.getUTCDay() : (date.getUTCDay() + 6) % 7;
  date.setUTCDate(date.getUTCDate() - since);
  return date.toISOString().slice(0, 10);
}
