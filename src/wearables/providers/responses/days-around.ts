import type { TimeWindow } from '../importer.ts';

const DAY_MS = 86_400_000;

/**
 * Returns the first and last day of a window, with one more day before and after. A provider's days are local days of
 * the person.
 */
export const daysAround = ({ from, to }: TimeWindow): { first: string; last: string } => ({
  first: new Date(Date.parse(from) - DAY_MS).toISOString().slice(0, 10),
  last: new Date(Date.parse(to) + DAY_MS).toISOString().slice(0, 10),
});
