import type { TimeWindow } from '../importer.ts';

const DAY_MS = 86_400_000;

/**
 * Returns the first and last day to request for a window. A provider's days are local days of the person, so one day is
 * added on both sides.
 */
export const daysAround = ({ from, to }: TimeWindow): { first: string; last: string } => ({
  first: new Date(Date.parse(from) - DAY_MS).toISOString().slice(0, 10),
  last: new Date(Date.parse(to) + DAY_MS).toISOString().slice(0, 10),
});
