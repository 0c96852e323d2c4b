// Series that add up, for example steps. If several sources measured at the same time, only the best of them counts. So
// a sample counts only with the part of its interval in which no better source measured. All times are whole
// milliseconds since 1970.
import { sql, type RawBuilder } from 'kysely';
import type { Series } from '../../series-type.ts';
import { LONGEST_MS } from '../../timeseries/sample-input.ts';
import { localTimeOfSample } from '../columns/local-time.ts';
import type { QueryScope } from '../query-scope.ts';

type Expression = RawBuilder<unknown>;

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** A sample that begins up to this many days outside the timeframe may overlap a sample within the timeframe. */
const DAYS_AROUND = LONGEST_MS / DAY_MS + 1;

const AT_MS = sql`round(date_part('epoch', at) * 1000)`;
const HOUR = sql`floor(date_part('epoch', at) * 1000 / ${sql.lit(HOUR_MS)}) * ${sql.lit(HOUR_MS)}`;

/** SQL for the start and end of the interval that a sample represents. */
const STRETCH: Record<NonNullable<Series['additive']>, { start: Expression; stop: Expression }> = {
  'as measured': { start: AT_MS, stop: sql`${AT_MS} + coalesce(duration_ms, 0)` },
  'by the hour': { start: HOUR, stop: sql`${HOUR} + ${sql.lit(HOUR_MS)}` },
};

/**
 * Returns the common table expressions `covers` and `counted`, which follow `sources`. `covers` has, for each position
 * in the order of sources, the time that all better sources have measured together. It stores this time as separate
 * intervals: their starts, their ends, and the sum of their lengths so far. One search (`width_bucket`) then finds how
 * much time was measured up to a moment. A sample counts with the share of its interval that no better source measured.
 * Without `offset 0`, PostgreSQL would sort the rows together with the long arrays of `covers`.
 */
export function additiveSamples(
  additive: NonNullable<Series['additive']>,
  { from, until, timeZone }: QueryScope,
): Expression {
  const { start, stop } = STRETCH[additive];
  return sql`
    covers (rank_group, position, starts, stops, lengths) as (
      select distinct rank_group, 1, null::float8[], null::float8[], null::float8[] from sources
      union all
      select covers.rank_group, covers.position + 1, wider.*
        from covers join sources using (rank_group, position) cross join lateral (
          select array_agg(start order by start, stop), array_agg(stop order by start, stop),
                 array_agg(length order by start, stop)
            from (
              select start, stop, sum(stop - start) over (order by start, stop rows unbounded preceding) as length
                from (
                  select start, lead(reached) over (order by start, reached) as stop
                    from (
                      select start, stop, max(stop) over (
                               order by start, stop rows between unbounded preceding and 1 preceding) as reached
                        from (
                          select ${start} as start, ${stop} as stop from samples
                           where samples.stream_id = sources.stream_id
                             and at >= ${from}::timestamptz - make_interval(days => ${sql.lit(DAYS_AROUND)})
                             and at < ${until}::timestamptz + make_interval(days => ${sql.lit(DAYS_AROUND)})
                          union all
                          select * from unnest(covers.starts, covers.stops)
                          union all
                          select 'infinity', 'infinity'
                        ) as measured
                    ) as measured
                   where reached is null or start > reached or start = reached and stop = start
                ) as separate
               where start < 'infinity'
            ) as separate
        ) as wider
       where exists (
         select from sources as s where s.rank_group = covers.rank_group and s.position = covers.position + 1)
    ), counted as (
      select stream_id, provider, source_type, app_id, device_id, kind, at, value * share as value,
             duration_ms * share as duration_ms, timezone_offset, extra, local_at
        from (
          select stream_id, provider, source_type, app_id, device_id, kind, at, value, duration_ms, timezone_offset,
                 extra, local_at, case
                 when starts is null then 1
                 when stop = start then (first = 0 or (stops[first] <= start and starts[first] < start))::integer
                 else 1 - (case when last = 0 then 0 else lengths[last] - greatest(0, stops[last] - stop) end
                         - case when first = 0 then 0 else lengths[first] - greatest(0, stops[first] - start) end)
                          / (stop - start)
                 end as share
            from (
              select *, width_bucket(start, starts) as first, width_bucket(stop, starts) as last
                from (
                  select stream_id, provider, source_type, app_id, device_id, kind, at, value, duration_ms,
                         timezone_offset, extra, starts, stops, lengths, ${start} as start, ${stop} as stop,
                         ${localTimeOfSample(timeZone)} as local_at
                    from sources join covers using (rank_group, position) join samples using (stream_id)
                   where at >= ${from}::timestamptz - interval '1 day'
                     and at < ${until}::timestamptz + interval '1 day'
                  offset 0
                ) as local
               where local_at >= ${from}::timestamp and local_at < ${until}::timestamp
              offset 0
            ) as found
          offset 0
        ) as shared
       where share > 0
    )`;
}
