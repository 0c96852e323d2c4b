// A user's data is taken of the days between two bounds, both included, by the calendar of where it was taken; null is none.
import type { UserRow } from './find.ts';

type Bounds = Pick<UserRow, 'ingestion_start' | 'ingestion_end'>;

export const takesDay = ({ ingestion_start: first, ingestion_end: last }: Bounds, day: string): boolean =>
  (first === null || day >= first) && (last === null || day <= last);

/** After its beginning in UTC a day is over everywhere: it ends last where clocks are furthest behind. */
export const DAY_ENDS_HOURS = 36;
