// Makes one sequence from the stages of a night, so that no two stages cover the same minute.
import type { Stage } from './night.ts';

const UNSPECIFIED = -1;

/**
 * Returns the stages in the order of time. If two stages overlap, a known stage replaces unspecified sleep. If both are
 * known, or both are unspecified, the stage that starts later replaces the earlier one. If the earlier one ends later,
 * it continues after the other.
 */
export function withoutOverlaps(stages: Stage[]): Stage[] {
  // If two stages start at the same time, the shorter one is more specific. We treat it as the one that starts later.
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

/** Returns the stage that started last among those that have not ended. */
function current(begun: Stage[], at: number): Stage | undefined {
  while ((begun.at(-1)?.end ?? Infinity) <= at) begun.pop();
  return begun.at(-1);
}
