import type { RESULT_TYPES } from '../schemas.ts';
import { ALONE, parseValue, plainOf } from './parse-range.ts';

type ResultType = (typeof RESULT_TYPES)[number];

/** The form of a range in the API. The first look-ahead refuses an empty text and a text that is only a dash. */
const RANGE = /^(?=.*\d)(?:[<>]=?\d{0,12}(?:\.\d{1,12})?|\d{0,12}(?:\.\d{1,12})?-\d{0,12}(?:\.\d{1,12})?)$/;

/**
 * Returns a result with the type that fits its text. A number with a unit is numeric even if the laboratory sent it as
 * text. `> 500` is a range. If the laboratory sent a text as a number, but it is no number, the type is comment.
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
