// Makes the columns of a sleep stream. A sleep stream has the values that were measured during one sleep.
import type { Measured } from './fitting.ts';
import { secondsOf } from './read-response.ts';

/** A stage, in seconds since 1970. The schema of sleep streams explains the numbers. */
export type Stage = { start: number; end: number; value: number };

/**
 * Returns the hypnogram (the stages of the night); null if there are no stages. Equal stages that follow each other
 * become one.
 */
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
