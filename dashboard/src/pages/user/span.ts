import { dateAt, daysAfter, startOf } from '../../parts/zone.ts';

/** Whole days in the zone of the patient. */
export type Span = {
  zone: string;
  /** The first and the last date. */
  first: string;
  last: string;
  /** The same as moments, in seconds since 1970. */
  axis: readonly [begin: number, end: number];
};

/** The span as samples are asked for. */
export const rangeOf = ({ axis: [begin, end] }: Span): { start: string; end: string } => ({
  start: new Date(begin * 1000).toISOString(),
  // The last moment belongs to the day after.
  end: new Date(end * 1000 - 1).toISOString(),
});

export function spanOf(days: number, zone: string): Span {
  const last = dateAt(Date.now(), zone);
  const first = daysAfter(last, 1 - days);
  return { zone, first, last, axis: [startOf(first, zone) / 1000, startOf(daysAfter(last, 1), zone) / 1000] };
}
