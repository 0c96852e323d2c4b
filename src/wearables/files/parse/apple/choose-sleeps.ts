// Two apps or two watches tell of one night: of those of one source type one is stored, so that a night counts once.
import type { SourceType } from '../../../source.ts';

export type Candidate = { source_type: SourceType; start: number; end: number; hasStages: boolean };

/** Which are stored, by start, and which are not since a better one is of the same time. */
export function chooseSleeps<T extends Candidate>(candidates: T[]): { chosen: T[]; others: T[] } {
  const chosen: T[] = [];
  const others: T[] = [];
  const sorted = candidates.toSorted((a, b) => compareText(a.source_type, b.source_type) || a.start - b.start);
  for (const each of sorted) {
    let rival = rivalOf(each, chosen);
    while (rival && isBetter(each, rival)) {
      others.push(rival);
      chosen.pop();
      rival = rivalOf(each, chosen);
    }
    (rival ? others : chosen).push(each);
  }
  return { chosen, others };
}

const compareText = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/** Two are one night where they overlap by half of the shorter, as for aggregates. By start, only the last comes into question. */
function rivalOf<T extends Candidate>({ source_type, start, end }: T, chosen: T[]): T | undefined {
  const last = chosen.at(-1);
  if (last?.source_type !== source_type) return undefined;
  const overlap = Math.min(last.end, end) - Math.max(last.start, start);
  return overlap * 2 >= Math.min(last.end - last.start, end - start) ? last : undefined;
}

/** Stages rather than unspecified sleep, then the longer, then the one that starts earlier. */
const isBetter = (each: Candidate, rival: Candidate): boolean =>
  each.hasStages === rival.hasStages ? each.end - each.start > rival.end - rival.start : each.hasStages;
