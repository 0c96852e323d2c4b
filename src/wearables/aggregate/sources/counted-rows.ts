// What stands between the rows as they are stored and the rows that a query counts: which of several sources is taken.
import { sql, type RawBuilder, type Sql } from 'kysely';
import type { QueryScope } from '../scope.ts';
import { SOURCE_TYPE_ORDER } from './priority.ts';

type Expression = RawBuilder<unknown>;

/** Of which rows: those of a kind of summaries, or those of a series and of one type of it, which is empty where it has none. */
export type RowsAsked = { summary: string } | { series: string; type: string };

/** A source is a provider and a type of device: who groups by both sums no two of them. */
export type Half = 'provider' | 'type';
export const halfSql = (half: Half): Expression => (sql as Sql).ref(half === 'type' ? 'source_type' : 'provider');

/**
 * Common table expressions, the last of them `counted`: a row for each that is counted, with `local_at`, `provider`,
 * `source_type` and, of a series, `value` and `extra`, of a summary `values`.
 */
export const countedRows = (asked: RowsAsked, scope: QueryScope, halves: Half[]): Expression =>
  sql`${rowsOf(asked, scope, halves)}, counted as (${countedOf(halves, scope)})`;

function countedOf([half, other]: Half[], scope: QueryScope): Expression {
  if (!half) return chosen(scope);
  return other ? sql`select * from measured` : chosenOfEach(half);
}

/** As `chosen`, for each provider or each type of device by itself; whose sources have no rivals there need no choice. */
const chosenOfEach = (half: Half): Expression => sql`
  select *, place as best from measured where rivals = 1
  union all
  select * from (
    select *, min(place) over (partition by day, ${halfSql(half)}) as best from measured where rivals > 1
  ) as told where place = best`;

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
function rowsOf(asked: RowsAsked, scope: QueryScope, halves: Half[]): Expression {
  const rivals = sql`count(*) over (${halves.length > 0 ? sql`partition by ${sql.join(halves.map(halfSql))}` : sql``}) as rivals`;
  const day = sql`local_at::date - ${scope.from}::date + 1 as day`;
  if ('summary' in asked) {
    const matching = sql`
      user_id = ${scope.userId} and team_id = ${scope.teamId} and resource = ${asked.summary}
       and calendar_date >= ${scope.from}::date and calendar_date < ${scope.until}::date`;
    return sql`
      sources as (
        select provider, source_type, ${placeSql(scope.providers)} as place, ${rivals}
          from (select distinct provider, source_type from summaries where ${matching}) as told
      ), measured as not materialized (
        select provider, source_type, place, rivals, local_at, ${day}, "values"
          from sources join summaries using (provider, source_type)
         cross join lateral (select calendar_date::timestamp as local_at) as local
         where ${matching}
      )`;
  }
  return sql`
    sources as (
      select id, provider, source_type, ${placeSql(scope.providers)} as place, ${rivals}
        from streams
       where user_id = ${scope.userId} and team_id = ${scope.teamId} and resource = ${asked.series}
         and kind = ${asked.type}
    ), measured as not materialized (
      select *, ${day} from (
        select provider, source_type, place, rivals, value, extra, case
               when timezone_offset is null then at at time zone ${scope.timeZone}
               else at at time zone 'UTC' + make_interval(secs => timezone_offset) end as local_at
          from sources join samples on samples.stream_id = sources.id
         where at >= ${scope.from}::timestamptz - interval '1 day' and at < ${scope.until}::timestamptz + interval '1 day'
        offset 0
      ) as local
       where local_at >= ${scope.from}::timestamp and local_at < ${scope.until}::timestamp
    )`;
}

/** The place of a source among those of the user, 1 for the best. */
const placeSql = (providers: readonly string[]): Expression => sql`
  row_number() over (order by coalesce(array_position(${[...providers]}::text[], provider), 1000),
    coalesce(array_position(${[...SOURCE_TYPE_ORDER]}::text[], source_type), 99), provider, source_type)`;
