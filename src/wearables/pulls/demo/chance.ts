import { hash } from 'node:crypto';

/** A generator of numbers that look random. The same words always give the same numbers, so a demo can be repeated. */
export type Chance = {
  /** Returns a number from `least` up to and without `most`. */
  between: (least: number, most: number) => number;
  whole: (least: number, most: number) => number;
};

/**
 * Returns the generator of these words. Each user, day and purpose has a generator of its own. So a change of one
 * purpose does not change the numbers of another.
 */
export function chanceOf(...words: string[]): Chance {
  let state = hash('sha256', words.join(' '), 'buffer').readUInt32LE(0);
  // The generator Mulberry32. Its 32 bits of state suffice for the numbers of a day.
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (least: number, most: number): number => least + next() * (most - least);
  return { between, whole: (least, most) => Math.round(between(least, most)) };
}
