import type { Window } from '../importer.ts';

const DAY_MS = 86_400_000;

/** Days are the person's own, so the ones around belong to the window as well. */
export const daysAround = ({ from, to }: Window): { first: string; last: string } => ({
  first: new Date(Date.parse(from) - DAY_MS).toISOString().slice(0, 10),
  last: new Date(Date.parse(to) + DAY_MS).toISOString().slice(0, 10),
});
