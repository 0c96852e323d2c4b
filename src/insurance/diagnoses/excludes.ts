import { EXCLUDES_1, EXCLUDES_2, type Note } from './notes.ts';

export const areExcluded = (one: string, other: string): boolean => EXCLUDES_1.some(isNoteOf(one, other));
export const mayOverlap = (one: string, other: string): boolean => EXCLUDES_2.some(isNoteOf(one, other));

/** Notes hold both ways, wherever the classification prints them. */
const isNoteOf =
  (one: string, other: string) =>
  ([at, against]: Note): boolean =>
    (isWithin(one, at) && against.some((each) => isWithin(other, each))) ||
    (isWithin(other, at) && against.some((each) => isWithin(one, each)));

/** Whether a code begins like `E11`, or from the one to the other as `E08-E13`: codes are sorted as text. */
export function isWithin(code: string, codes: string): boolean {
  const [first = '', last = first] = codes.split('-');
  return code.slice(0, first.length) >= first && code.slice(0, last.length) <= last;
}
