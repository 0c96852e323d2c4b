// Counts the deliveries that start in every period of one second. The test passes the times itself.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { maxPerSecond } from '../../../test/most-per-second.ts';
import { Rate } from './rate.ts';

/** Starts all deliveries that the rate allows at each of these times. */
function beginAt(rate: Rate, moments: number[], perSecond: number): number[] {
  return moments.flatMap((now) => {
    const times: number[] = [];
    while (rate.allows(now, perSecond)) {
      rate.take(now, perSecond);
      times.push(now);
    }
    return times;
  });
}

const pauses = fc.array(fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 3_000 })), {
  minLength: 1,
  maxLength: 400,
});

test('no second has more starts than the rate, however the process is delayed and the queue changes its owner', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 500 }),
      fc.array(pauses, { minLength: 1, maxLength: 4 }),
      (perSecond, owners) => {
        let now = 0;
        const times = owners.flatMap((waits) => {
          const moments = waits.map((wait) => (now += wait));
          return beginAt(new Rate(), moments, perSecond);
        });
        expect(maxPerSecond(times)).toBeLessThanOrEqual(perSecond);
      },
    ),
    { numRuns: 300 },
  );
});

test.each([1, 5, 19, 20, 100, 1_000])(
  'at a rate of %i, with a look each 2 ms, at least nine tenths of the rate start',
  (perSecond) => {
    const moments = Array.from({ length: 5_000 }, (_, n) => n * 2);
    const times = beginAt(new Rate(), moments, perSecond);
    expect(times.length).toBeGreaterThanOrEqual(0.9 * perSecond * 10 - 1);
    expect(maxPerSecond(times)).toBeLessThanOrEqual(perSecond);
  },
);

test('without a rate all deliveries may start at once, also those that waited for a rate that was removed', () => {
  const rate = new Rate();
  expect(rate.allows(0, 1)).toBe(false);
  expect(rate.startsAt).toBe(1_000);
  expect(rate.allows(1, null)).toBe(true);
  expect(rate.startsAt).toBe(0);
});
