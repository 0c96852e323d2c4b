// Makes the columns of a sleep stream.
import type { Measured } from './fitting.ts';
import { secondsOf } from './read-response.ts';

/** A stage. Times are seconds since 1970. The schema of sleep streams explains the values. */
export type Stage = { start: number; end: number; value: number };

/** Returns the hypnogram, in which consecutive equal stages are joined; null if there are no stages. */
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
