// Series that add up, as steps do: of each moment the best source counts that measured it, and of what others measured, the part
// that lies outside. All is computed with milliseconds since 1970, which are whole numbers.
import { sql, type RawBuilder } from 'kysely';
import type { Series } from '../../resources.ts';
import { LONGEST_MS } from '../../timeseries/sample-input.ts';
import { localTimeOfSample } from '../columns/local-time.ts';
import type { QueryScope } from '../scope.ts';

type Expression = RawBuilder<unknown>;

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** Samples that begin so far from the timeframe may reach into one that is counted. */
const DAYS_AROUND = LONGEST_MS / DAY_MS + 1;

const AT_MS = sql`round(date_part('epoch', at) * 1000)`;
const HOUR = sql`floor(date_part('epoch', at) * 1000 / ${sql.lit(HOUR_MS)}) * ${sql.lit(HOUR_MS)}`;

/** From when to when a sample tells of. */
const STRETCH: Record<NonNullable<Series['additive']>, { start: Expression; stop: Expression }> = {
  'as measured': { start: AT_MS, stop: sql`${AT_MS} + coalesce(duration_ms, 0)` },
  'by the hour': { start: HOUR, stop: sql`${HOUR} + ${sql.lit(HOUR_MS)}` },
};

/**
 * The common table expressions `covers` and `counted`, after `sources`. A cover is what the sources before a place have measured
 * together: separate intervals by their starts, with their ends, and how long they are together up to there. So the measured
 * time up to a moment is found by one search (`width_bucket`), and a sample keeps the share that was not measured between its
 * start and its end (record 401). `offset 0` keeps covers out of the rows that are sorted afterwards.
 */
export function additiveSamples(
  additive: NonNullable<Series['additive']>,
  { from, until, timeZone }: QueryScope,
): Expression {
  const { start, stop } = STRETCH[additive];
  return sql`
    covers (rivals, place, starts, stops, lengths) as (
      select distinct rivals, 1, null::float8[], null::float8[], null::float8[] from sources
      union all
      select covers.rivals, covers.place + 1, wider.*
        from covers join sources using (rivals, place) cross join lateral (
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
       where exists (select from sources as s where s.rivals = covers.rivals and s.place = covers.place + 1)
    ), counted as (
      select stream_id, provider, source_type, app_id, device_id, kind, at, value * share as value,
             duration_ms * share as duration_ms, timezone_offset, extra, local_at
        from (
          select stream_id, provider, source_type, app_id, device_id, kind, at, value, duration_ms, timezone_offset, extra,
                 local_at, case
                 when starts is null then 1
                 when stop = start then (first = 0 or (stops[first] <= start and starts[first] < start))::integer
                 else 1 - (case when last = 0 then 0 else lengths[last] - greatest(0, stops[last] - stop) end
                         - case when first = 0 then 0 else lengths[first] - greatest(0, stops[first] - start) end)
                          / (stop - start)
                 end as share
            from (
              select *, width_bucket(start, starts) as first, width_bucket(stop, starts) as last
                from (
                  select stream_id, provider, source_type, app_id, device_id, kind, at, value, duration_ms, timezone_offset,
                         extra, starts, stops, lengths, ${start} as start, ${stop} as stop,
                         ${localTimeOfSample(timeZone)} as local_at
                    from sources join covers using (rivals, place) join samples using (stream_id)
                   where at >= ${from}::timestamptz - interval '1 day' and at < ${until}::timestamptz + interval '1 day'
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
