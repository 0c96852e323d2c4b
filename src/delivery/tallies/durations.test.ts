import fc from 'fast-check';
import { expect, test } from 'vitest';
import { partOf, PARTS, percentile } from './durations.ts';

const countOf = (durations: number[]): number[] => {
  const counts = Array<number>(PARTS).fill(0);
  for (const ms of durations) counts[partOf(ms)] = (counts[partOf(ms)] as number) + 1;
  return counts;
};

test('a percentile is off by less than the width of its bucket', () => {
  const durations = fc.array(fc.integer({ min: 0, max: 120_000 }), { minLength: 1, maxLength: 200 });
  fc.assert(
    fc.property(durations, fc.constantFrom(0.5, 0.95, 0.99, 1), (all, share) => {
      const exact = all.toSorted((one, other) => one - other)[Math.ceil(share * all.length) - 1] as number;
      const estimate = percentile(countOf(all), share) as number;
      expect(partOf(Math.floor(estimate)) <= partOf(exact) && estimate <= Math.max(2 * exact, 1)).toBe(true);
      expect(partOf(Math.ceil(estimate))).toBeGreaterThanOrEqual(partOf(exact));
    }),
  );
});

test('a duration above the last bound counts as that bound, and without attempts there is no percentile', () => {
  expect(percentile(countOf([500_000]), 0.5)).toBe(120_000);
  expect(percentile(countOf([]), 0.5)).toBeNull();
  expect(percentile([], 0.5)).toBeNull();
});
