// We store a user's data only for the days from ingestion_start to ingestion_end, including both days. A day is a
// calendar day in the time zone in which the data were recorded. If one of the two is null, there is no limit on that
// side.
import type { UserRow } from './find.ts';

type Bounds = Pick<UserRow, 'ingestion_start' | 'ingestion_end'>;

export const isWithinIngestionDates = ({ ingestion_start: first, ingestion_end: last }: Bounds, day: string): boolean =>
  (first === null || day >= first) && (last === null || day <= last);

/** The hours from the beginning of a day in UTC until the day has ended everywhere. It ends last in UTC-12. */
export const DAY_ENDS_HOURS = 36;
