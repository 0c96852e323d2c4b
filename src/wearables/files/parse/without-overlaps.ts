// The stages of a night as one sequence, in which no minute counts twice.
import type { Stage } from './night.ts';

const UNSPECIFIED = -1;

/**
 * In their order. Where two overlap, a known stage replaces unspecified sleep; of two alike the one that starts later holds,
 * and the earlier goes on after it if it lasts longer.
 */
export function withoutOverlaps(stages: Stage[]): Stage[] {
  // Of one start the shorter says more.
  const sorted = stages.toSorted((a, b) => a.start - b.start || b.end - a.end);
  const known: Stage[] = [];
  const unspecified: Stage[] = [];
  const sequence: Stage[] = [];
  let from = -Infinity;
  let last: Stage | undefined;

  const emitUntil = (until: number): void => {
    for (;;) {
      const stage = current(known, from) ?? current(unspecified, from);
      if (!stage || from >= until) break;
      const end = Math.min(stage.end, until);
      const before = sequence.at(-1);
      if (before && stage === last) before.end = end;
      else sequence.push({ start: from, end, stage: stage.stage });
      last = stage;
      from = end;
    }
    from = until;
  };

  for (const stage of sorted) {
    emitUntil(stage.start);
    (stage.stage === UNSPECIFIED ? unspecified : known).push(stage);
  }
  emitUntil(Infinity);
  return sequence;
}

/** The one that started last of those that have not ended. */
function current(begun: Stage[], at: number): Stage | undefined {
  while ((begun.at(-1)?.end ?? Infinity) <= at) begun.pop();
  return begun.at(-1);
}
