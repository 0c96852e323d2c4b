import type { Interval } from './parse-range.ts';

/** The position of a value in a range. Null if the value may be inside or outside, for example `<5` in `1-99`. */
export type RangePosition = 'below' | 'inside' | 'above' | null;

/**
 * Returns the position of a value in a range. For example, `<0.2` is below `0.4-4.0`, `<5` is inside `0-99`, and `>500`
 * is above `<100`. `<5` may be inside `1-99` or below it, so the function returns null.
 */
export function positionInRange(value: Interval, range: Interval): RangePosition {
  if (isBehind(value.max, value.maxIncluded, range.min, range.minIncluded)) return 'below';
  if (isBehind(range.max, range.maxIncluded, value.min, value.minIncluded)) return 'above';
  const { min, minIncluded } = lowEndOf(value, range);
  const fromWithin =
    range.min === null ||
    (min !== null && (min > range.min || (min === range.min && (range.minIncluded || !minIncluded))));
  const toWithin =
    range.max === null ||
    (value.max !== null &&
      (value.max < range.max || (value.max === range.max && (range.maxIncluded || !value.maxIncluded))));
  return fromWithin && toWithin ? 'inside' : null;
}

/**
 * Returns whether every number of an interval that ends at `end` is smaller than every number of an interval that
 * begins at `begin`.
 */
function isBehind(end: number | null, endIncluded: boolean, begin: number | null, beginIncluded: boolean): boolean {
  if (end === null || begin === null) return false;
  return end < begin || (end === begin && !(endIncluded && beginIncluded));
}

/**
 * Returns the lower end of a value. A range without negative numbers shows that the value cannot be negative either.
 * Then the value `<5` begins at 0.
 */
function lowEndOf(value: Interval, range: Interval): Pick<Interval, 'min' | 'minIncluded'> {
  const neverNegative = range.min !== null && range.min >= 0 && value.min === null && (value.max ?? 0) > 0;
  return neverNegative ? { min: 0, minIncluded: true } : value;
}
