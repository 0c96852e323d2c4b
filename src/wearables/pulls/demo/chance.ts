import { createHash } from 'node:crypto';

/** Numbers that look thrown and are the same for the same words. */
export type Chance = {
  /** From `least` up to `most`. */
  between: (least: number, most: number) => number;
  whole: (least: number, most: number) => number;
};

/** A generator of its own for each user, day and purpose: what one of them draws moves none of the others. */
export function chanceOf(...words: string[]): Chance {
  let state = createHash('sha256').update(words.join(' ')).digest().readUInt32LE(0);
  // Mulberry32: 32 bits of state are plenty for a day.
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (least: number, most: number): number => least + next() * (most - least);
  return { between, whole: (least, most) => Math.round(between(least, most)) };
}
