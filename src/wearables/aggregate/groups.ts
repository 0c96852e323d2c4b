// By what rows are grouped, and how the key of a group is told.
import { sql } from 'kysely';
import { valueSql, type Expression } from './columns/column.ts';
import type { DatePart, Group, Unit } from './read-query.ts';
import type { QueryScope } from './scope.ts';

/** What rows are grouped and ordered by, from a row of `counted`. */
export function groupSql(group: Group, scope: QueryScope): Expression {
  if ('trunc' in group) return startOfGroup(group.trunc, scope);
  if ('part' in group) return PARTS[group.part];
  return valueSql(group.column, scope);
}

/** How a beginning is told, made for groups alone and not for each row. */
export const toldStart = (start: Expression, unit: Unit): Expression =>
  unit === 'minute' || unit === 'hour'
    ? sql`to_char(${start}, 'YYYY-MM-DD"T"HH24:MI:SS')`
    : sql`to_char(${start}, 'YYYY-MM-DD')`;

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
