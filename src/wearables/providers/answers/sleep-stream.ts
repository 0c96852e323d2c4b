// Columns of what was measured in a sleep.
import type { Measured } from './fitting.ts';
import { secondsOf } from './read-answer.ts';

/** In seconds since 1970; what the value means, the shape of sleep streams says. */
export type Stage = { start: number; end: number; value: number };

/** Equal stages that follow each other as one; null where there are none. */
export function hypnogramOf(stages: readonly Stage[]): object | null {
  const joined: Stage[] = [];
  for (const stage of stages.toSorted((a, b) => a.start - b.start)) {
    const before = joined.at(-1);
    if (before?.value === stage.value && before.end === stage.start) before.end = stage.end;
    else joined.push({ ...stage });
  }
  const columnOf = (name: keyof Stage): number[] => joined.map((stage) => stage[name]);
  return joined.length === 0 ? null : { start: columnOf('start'), end: columnOf('end'), value: columnOf('value') };
}

export const columnOf = (measured: readonly Measured[]): object | null =>
  measured.length === 0
    ? null
    : { time: measured.map(({ at }) => secondsOf(at)), value: measured.map(({ value }) => value) };
