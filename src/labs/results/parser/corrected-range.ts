import type { Requirement } from '../../../wire/rules.ts';
import { isReversed, parseRange } from '../interpretation/parse-range.ts';

export type RangeInput = {
  units?: string | null;
  reference_range?: string | null;
  min_reference_range?: number | null;
  max_reference_range?: number | null;
};

/**
 * Returns the reference range of a corrected result as a report prints it. The ends of a range do not say whether they
 * are within it. So a range with one end is written as most reports print it, without the end.
 */
export function rangeOf(result: RangeInput): string | null {
  const { reference_range: printed, min_reference_range: min = null, max_reference_range: max = null } = result;
  if (printed) return printed;
  if (min !== null && max !== null) return `${min}-${max}`;
  if (max !== null) return `<${max}`;
  return min === null ? null : `>${min}`;
}

/** Two ends that cannot be a range would otherwise be lost, and the result would have no interpretation. */
export const RANGE_AGREES: Requirement = {
  words:
    'A range has its lower end first. If `reference_range` is given with `min_reference_range` or ' +
    '`max_reference_range`, they must agree.',
  check: (value) => {
    const result = value as RangeInput;
    const { reference_range: printed, min_reference_range: min, max_reference_range: max } = result;
    // The value may have wrong types. The schema refuses these.
    const units = typeof result.units === 'string' ? result.units : null;
    const at = printed ? 'reference_range' : 'min_reference_range';
    const range = rangeOf(result);
    if (typeof range !== 'string') return [];
    if (isReversed(range, units)) {
      return [{ at: [at], type: 'value_error', msg: 'The lower end of a range should not be above its upper end' }];
    }
    const parsed = parseRange(range, units);
    const agrees = (end: number | null | undefined, of: number | null | undefined): boolean =>
      typeof end !== 'number' || end === of;
    if (agrees(min, parsed?.min) && agrees(max, parsed?.max)) return [];
    const msg = printed
      ? 'Value should agree with min_reference_range and max_reference_range, or stand alone'
      : 'Ends should be numbers that a report can print';
    return [{ at: [at], type: 'value_error', msg }];
  },
};
