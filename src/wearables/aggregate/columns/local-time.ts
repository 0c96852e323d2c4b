import { sql, type RawBuilder } from 'kysely';

/** How what a summary tells as a moment reads on the clock of its place. */
export const localTime = (moment: RawBuilder<unknown>, timeZone: string): RawBuilder<unknown> => sql`
  (case when "values" ->> 'timezone_offset' is not null
   then ${moment} at time zone 'UTC' + make_interval(secs => ("values" ->> 'timezone_offset')::float8)
   else ${moment} at time zone coalesce("values" ->> 'time_zone', ${timeZone}::text) end)`;

/** The same of a sample. */
export const localTimeOfSample = (timeZone: string): RawBuilder<unknown> => sql`
  case when timezone_offset is null then at at time zone ${timeZone}
       else at at time zone 'UTC' + make_interval(secs => timezone_offset) end`;

/** How far a moment's clock is ahead of UTC, in seconds, where it shows `local`. */
export const aheadOf = (local: RawBuilder<unknown>, at: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`extract(epoch from ${local} - (${at} at time zone 'UTC'))::integer`;
