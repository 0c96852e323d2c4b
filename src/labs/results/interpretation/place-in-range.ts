import type { Interval } from './parse-range.ts';

/** Where a value lies for certain; null where it may lie on either side of an end. */
export type Place = 'below' | 'inside' | 'above' | null;

/**
 * `<0.2` lies below `0.4-4.0`, `<5` inside `0-99`, `>500` above `<100`; of `<5` nobody can say whether it lies in
 * `1-99`.
 */
export function placeInRange(value: Interval, range: Interval): Place {
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

/** True when every number up to `end` is smaller than every number from `begin` on. */
function isBehind(end: number | null, endIncluded: boolean, begin: number | null, beginIncluded: boolean): boolean {
  if (end === null || begin === null) return false;
  return end < begin || (end === begin && !(endIncluded && beginIncluded));
}

/** What is measured against a range without negative numbers has none: `<5` is from 0 on. */
function lowEndOf(value: Interval, range: Interval): Pick<Interval, 'min' | 'minIncluded'> {
  const neverNegative = range.min !== null && range.min >= 0 && value.min === null && (value.max ?? 0) > 0;
  return neverNegative ? { min: 0, minIncluded: true } : value;
}
