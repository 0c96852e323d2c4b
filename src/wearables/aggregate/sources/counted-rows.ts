// What stands between the rows as they are stored and the rows that a query counts: which of several sources is taken.
import { sql, type RawBuilder } from 'kysely';
import { localTime } from '../columns/local-time.ts';
import type { QueryScope } from '../scope.ts';
import { SOURCE_TYPE_ORDER } from './priority.ts';

type Expression = RawBuilder<unknown>;

/** What tells one source from another; `kind` is the type of a series that is keyed by it. */
export type SourceColumn = 'provider' | 'source_type' | 'app_id' | 'device_id' | 'workout_id' | 'sport' | 'kind';

/**
 * Of which rows: those of a kind of summaries, or those of a series and of one type of it, empty where it has none, null for
 * all, each by itself. `apart` are columns by which a query groups: what differs there is no rival. `sourceFilter`, a condition
 * on `provider`, `source_type`, `app_id`, `device_id` and, of a summary, its own row, says which sources take part.
 */
export type RowsAsked = ({ summary: string } | { series: string; type: string | null }) & {
  apart: SourceColumn[];
  sourceFilter: Expression | null;
};

/**
 * Common table expressions, the last of them `counted`: a row for each that is counted. All have `local_at`, `provider`,
 * `source_type`, `app_id` and `device_id`; samples `stream_id`, `kind`, `at`, `value`, `duration_ms`, `timezone_offset` and
 * `extra`; summaries `id`, `provider_id`, `calendar_date`, `start_at`, `end_at`, `created_at`, `updated_at` and `values`.
 */
export function countedRows(asked: RowsAsked, scope: QueryScope): Expression {
  const apart: SourceColumn[] = 'series' in asked && asked.type === null ? [...asked.apart, 'kind'] : asked.apart;
  return sql`${rowsOf(asked, scope, apart)}, counted as (${countedOf(apart, asked, scope)})`;
}

const COLUMNS: Record<SourceColumn, Expression> = {
  provider: sql`provider`,
  source_type: sql`source_type`,
  app_id: sql`app_id`,
  device_id: sql`device_id`,
  kind: sql`kind`,
  workout_id: sql`id`,
  sport: sql`"values" ->> 'sport'`,
};

/** Of which a source has one, so that they can be looked at before its rows. */
const OF_SOURCE = new Set<SourceColumn>(['provider', 'source_type', 'kind']);

const isEachByItself = (apart: SourceColumn[]): boolean => apart.includes('provider') && apart.includes('source_type');

function countedOf(apart: SourceColumn[], asked: RowsAsked, scope: QueryScope): Expression {
  // Samples know neither workout nor sport, and a profile belongs to no day.
  const columns = apart.filter((column) => 'summary' in asked || (column !== 'workout_id' && column !== 'sport'));
  if (isEachByItself(columns)) return sql`select * from measured`;
  if ('summary' in asked && asked.summary === 'profile') return bestOfEach(columns, null);
  return columns.length > 0 ? bestOfEach(columns, sql`day`) : chosen(scope);
}

/** As `chosen`, for each of what differs by itself; whose sources have no rivals there need no choice. */
const bestOfEach = (columns: SourceColumn[], day: Expression | null): Expression => {
  const within = [...(day ? [day] : []), ...columns.map((column) => COLUMNS[column])];
  return sql`
  select *, place as best from measured where rivals = 1
  union all
  select * from (
    select *, min(place) over (${within.length > 0 ? sql`partition by ${sql.join(within)}` : sql``}) as best
      from measured where rivals > 1
  ) as told where place = best`;
};

/**
 * Of each day the rows of the one source that counts for it: nothing is ever summed across sources. Rows of the best one count
 * wherever they are, so that the choice is never computed for whom there is no other (a year of minutes: 0.3 of the time).
 * It is one value, the place of the source of each day in turn, and no table to join: of a single user the planner expects
 * one row, and would choose anew for each sample. The last source counts where none of those before it tells of the day.
 */
const chosen = ({ from, until }: QueryScope): Expression => sql`
  select * from measured where place = 1 or place = (
    select array_agg(coalesce(place, (select count(*) from sources)) order by day)
      from generate_series(1, ${until}::date - ${from}::date) as days (day)
      left join (select day, min(place) as place from measured where place < (select count(*) from sources)
                  group by day) as told using (day)
  )[day]`;

/**
 * `sources` in the order in which they count, with how many `rivals` (itself included) are of one's group, and `measured`:
 * their rows, whose `day` is 1 on the first of the timeframe. A choice reads them again, which costs less than to keep them
 * all; `offset 0` has the local time of each computed once.
 */
function rowsOf(asked: RowsAsked, scope: QueryScope, apart: SourceColumn[]): Expression {
  const within = apart.filter((column) => OF_SOURCE.has(column)).map((column) => COLUMNS[column]);
  const rivals = sql`count(*) over (${within.length > 0 ? sql`partition by ${sql.join(within)}` : sql``}) as rivals`;
  const filter = asked.sourceFilter ? sql` and ${asked.sourceFilter}` : sql``;
  const day = sql`local_at::date - ${scope.from}::date + 1 as day`;
  if ('summary' in asked) {
    const isOfDays = asked.summary !== 'profile';
    const matching = sql`
      user_id = ${scope.userId} and team_id = ${scope.teamId} and resource = ${asked.summary}
       and ${
         isOfDays
           ? sql`calendar_date >= ${scope.from}::date and calendar_date < ${scope.until}::date`
           : sql`created_at at time zone ${scope.timeZone} < ${scope.until}::timestamp`
       }${filter}`;
    return sql`
      sources as (
        select provider, source_type, ${placeSql(scope.providers)} as place, ${rivals}
          from (select distinct provider, source_type from summaries where ${matching}) as told
      ), measured as not materialized (
        select id, provider, source_type, app_id, device_id, provider_id, calendar_date, start_at, end_at, created_at,
               updated_at, "values", place, rivals, local_at, ${day}
          from sources join summaries using (provider, source_type)
         cross join lateral (select ${localTimeOfSummary(isOfDays, scope)} as local_at) as local
         where ${matching}
      )`;
  }
  return sql`
    sources as (
      select id, provider, source_type, app_id, device_id, kind, ${placeSql(scope.providers)} as place, ${rivals}
        from streams
       where user_id = ${scope.userId} and team_id = ${scope.teamId} and resource = ${asked.series}
         ${asked.type === null ? sql`` : sql`and kind = ${asked.type}`}${filter}
    ), measured as not materialized (
      select *, ${day} from (
        select stream_id, provider, source_type, app_id, device_id, kind, place, rivals, at, value, duration_ms,
               timezone_offset, extra, case
               when timezone_offset is null then at at time zone ${scope.timeZone}
               else at at time zone 'UTC' + make_interval(secs => timezone_offset) end as local_at
          from sources join samples on samples.stream_id = sources.id
         where at >= ${scope.from}::timestamptz - interval '1 day' and at < ${scope.until}::timestamptz + interval '1 day'
        offset 0
      ) as local
       where local_at >= ${scope.from}::timestamp and local_at < ${scope.until}::timestamp
    )`;
}

/** Its day, at the hour at which it began where that lies on it; a profile belongs to no day and lies where it came in. */
const localTimeOfSummary = (isOfDays: boolean, { timeZone }: QueryScope): Expression =>
  isOfDays
    ? sql`
      case when resource in ('activity', 'sleep') or (${localTime(sql`start_at`, timeZone)})::date <> calendar_date
           then calendar_date::timestamp else ${localTime(sql`start_at`, timeZone)} end`
    : sql`created_at at time zone ${timeZone}`;

/** The place of a source among those of the user, 1 for the best. */
const placeSql = (providers: readonly string[]): Expression => sql`
  row_number() over (order by coalesce(array_position(${[...providers]}::text[], provider), 1000),
    coalesce(array_position(${[...SOURCE_TYPE_ORDER]}::text[], source_type), 99), provider, source_type)`;
