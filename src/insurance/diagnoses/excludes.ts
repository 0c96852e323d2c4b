import { EXCLUDES_1, EXCLUDES_2, type Note } from './notes.ts';

export const areExcluded = (one: string, other: string): boolean => EXCLUDES_1.some(isNoteOf(one, other));
export const mayOverlap = (one: string, other: string): boolean => EXCLUDES_2.some(isNoteOf(one, other));

/**
 * Returns whether a note excludes the pair of codes. A note applies in both directions, although ICD-10-CM prints it
 * only at one of the codes.
 */
const isNoteOf =
  (one: string, other: string) =>
  ([at, against]: Note): boolean =>
    (isWithin(one, at) && against.some((each) => isWithin(other, each))) ||
    (isWithin(other, at) && against.some((each) => isWithin(one, each)));

/**
 * Returns whether a code belongs to a category such as `E11` or to a range such as `E08-E13`. We compare codes as
 * texts.
 */
export function isWithin(code: string, codes: string): boolean {
  const [first = '', last = first] = codes.split('-');
  return code.slice(0, first.length) >= first && code.slice(0, last.length) <= last;
}
