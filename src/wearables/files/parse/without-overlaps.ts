// Makes one sequence of the stages of a night, in which no two stages overlap.
import type { Stage } from './night.ts';

const UNSPECIFIED = -1;

/**
 * Returns the stages in the order of time. Of two stages that overlap, a known stage (such as deep sleep) wins over
 * unspecified sleep. If both are known, or both unspecified, the stage that starts later wins. If the other stage ends
 * after it, the other stage then continues.
 */
export function withoutOverlaps(stages: Stage[]): Stage[] {
  // Of two stages with the same start, the shorter one is more precise. So it is sorted last, as if it started later.
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

/** Removes stages from the end of `begun` that have ended by `at`. Returns the last stage that is left. */
function current(begun: Stage[], at: number): Stage | undefined {
  while ((begun.at(-1)?.end ?? Infinity) <= at) begun.pop();
  return begun.at(-1);
}
