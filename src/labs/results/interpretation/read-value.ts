import type { RESULT_TYPES } from '../schemas.ts';
import { ALONE, parseValue, plainOf } from './parse-range.ts';

type ResultType = (typeof RESULT_TYPES)[number];

/** What the interface takes for a range; the first look-ahead refuses the empty text and a dash alone. */
const RANGE = /^(?=.*\d)(?:[<>]=?\d{0,12}(?:\.\d{1,12})?|\d{0,12}(?:\.\d{1,12})?-\d{0,12}(?:\.\d{1,12})?)$/;

/**
 * A result by the type that its text bears out: a number with a unit is numeric although it came as text, `> 500` a
 * range, and what is called a number without being one a comment.
 */
export function readValue(
  kind: ResultType,
  text: string,
  unit: string | null,
): { type: ResultType; result: string; value: number } {
  if (kind === 'coded_value') return { type: kind, result: text, value: -1 };
  const plain = plainOf(text, unit);
  const parsed = plain === null ? null : parseValue(plain);
  if (plain === null || parsed === null) return { type: 'comment', result: text, value: -1 };
  if (ALONE.test(plain)) {
    return kind === 'comment' && unit === null
      ? { type: 'comment', result: text, value: -1 }
      : { type: 'numeric', result: plain.replace(/^\+/, ''), value: parsed.min as number };
  }
  return RANGE.test(plain) ? { type: 'range', result: plain, value: -1 } : { type: 'comment', result: text, value: -1 };
}
