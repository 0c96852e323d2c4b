// Several apps or watches may record the same night. Chooses one of their sleeps for each source type, so that a night
// does not count twice.
import type { SourceType } from '../../../source.ts';

export type RecordedSleep = { source_type: SourceType; start: number; end: number; hasStages: boolean };

/**
 * Splits sleeps into two lists. We store the `chosen` sleeps, which are ordered by source type and start. We skip the
 * `others`: for each of them, a better sleep covers the same night.
 */
export function chooseSleeps<T extends RecordedSleep>(sleeps: T[]): { chosen: T[]; others: T[] } {
  const chosen: T[] = [];
  const others: T[] = [];
  const sorted = sleeps.toSorted((a, b) => compareText(a.source_type, b.source_type) || a.start - b.start);
  for (const each of sorted) {
    let sameNight = chosenOfSameNight(each, chosen);
    while (sameNight && isBetter(each, sameNight)) {
      others.push(sameNight);
      chosen.pop();
      sameNight = chosenOfSameNight(each, chosen);
    }
    (sameNight ? others : chosen).push(each);
  }
  return { chosen, others };
}

const compareText = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/**
 * Returns the chosen sleep of the same night. Two sleeps are of the same night if they overlap by at least half of the
 * shorter one, as in aggregates. The sleeps come in the order of their start, so only the sleep that was chosen last
 * can overlap.
 */
function chosenOfSameNight<T extends RecordedSleep>({ source_type, start, end }: T, chosen: T[]): T | undefined {
  const last = chosen.at(-1);
  if (last?.source_type !== source_type) return undefined;
  const overlap = Math.min(last.end, end) - Math.max(last.start, start);
  return overlap * 2 >= Math.min(last.end - last.start, end - start) ? last : undefined;
}

/**
 * Whether a sleep is better than another one. A sleep with stages is better than one without. Otherwise the longer one
 * is better, and of two equally long ones the earlier.
 */
const isBetter = (each: RecordedSleep, other: RecordedSleep): boolean =>
  each.hasStages === other.hasStages ? each.end - each.start > other.end - other.start : each.hasStages;
