import { sql, type RawBuilder } from 'kysely';

/**
 * Returns SQL that converts a moment of a summary into local time. It uses the offset or the time zone that the summary
 * states. If the summary states neither, it uses `timeZone`.
 */
export const localTime = (moment: RawBuilder<unknown>, timeZone: string): RawBuilder<unknown> => sql`
  (case when "values" ->> 'timezone_offset' is not null
   then ${moment} at time zone 'UTC' + make_interval(secs => ("values" ->> 'timezone_offset')::float8)
   else ${moment} at time zone coalesce("values" ->> 'time_zone', ${timeZone}::text) end)`;

/** Returns SQL for the local time of a sample: by its own offset, or by `timeZone` if it has none. */
export const localTimeOfSample = (timeZone: string): RawBuilder<unknown> => sql`
  case when timezone_offset is null then at at time zone ${timeZone}
       else at at time zone 'UTC' + make_interval(secs => timezone_offset) end`;

/**
 * Returns SQL for the offset of a clock from UTC in seconds, if the clock shows the local time `local` at the moment
 * `at`. For example, 3600 for a clock that shows 13:00 at 12:00 UTC.
 */
export const aheadOf = (local: RawBuilder<unknown>, at: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`extract(epoch from ${local} - (${at} at time zone 'UTC'))::integer`;
