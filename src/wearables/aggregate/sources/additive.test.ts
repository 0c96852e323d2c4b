import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/test-app.ts';
import { makeUser } from '../../../../test/factories.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Kinds of device, the better ones first. All samples have one provider, so that the device decides. */
const DEVICES = ['chest_strap', 'watch', 'ring', 'phone'] as const;
type Device = (typeof DEVICES)[number];

/** A sample. `start` and `stop` are milliseconds since 1970. */
type Measured = { device: Device; start: number; stop: number; value: number };

type SourceOf = (device: Device) => object;
const byKind: SourceOf = (device) => ({ source_type: device });
/** Makes each device an app on a phone. The names of the apps have the order of DEVICES. */
const byApp: SourceOf = (device) => ({ source_type: 'phone', app_id: `com.example.app${DEVICES.indexOf(device)}` });

const sampleOf = ({ device, start, stop, value }: Measured, sourceOf: SourceOf) => ({
  resource: 'steps',
  provider: 'apple_health_kit',
  ...sourceOf(device),
  start: new Date(start).toISOString(),
  end: new Date(stop).toISOString(),
  unit: 'count',
  value,
});

async function userWith(measured: readonly Measured[], sourceOf = byKind, atOnce = 5_000): Promise<string> {
  const { user_id } = await makeUser(app.team);
  for (let from = 0; from < measured.length; from += atOnce) {
    const samples = measured.slice(from, from + atOnce).map((each) => sampleOf(each, sourceOf));
    const { status } = await app.api('POST', `/v2/timeseries/${user_id}/samples`, samples);
    expect(status).toBe(200);
  }
  return user_id;
}

type QueryOptions = { unit?: 'hour' | 'day'; anchor?: string; days?: number; sources?: boolean; config?: object };

/** The values of each column of a query for sums. */
async function sumsOf(
  userId: string,
  { unit = 'day', anchor = '2026-01-05', days = 1, sources, config }: QueryOptions = {},
) {
  const { status, body } = await app.api<{ results: { table: Record<string, (number | string)[]> }[] }>(
    'POST',
    `/aggregate/v1/user/${userId}/query`,
    {
      timeframe: { type: 'relative', anchor, past: { unit: 'day', value: days } },
      queries: [
        {
          select: [{ group_key: '*' }, { func: 'sum', arg: { timeseries: 'steps' } }],
          group_by: [{ date_trunc: { unit, value: 1 } }, ...(sources ? [{ source: 'source_type' }] : [])],
        },
      ],
      config,
    },
  );
  expect([status, body]).toEqual([200, expect.anything()]);
  return Object.values(body.results[0]?.table ?? {});
}

const at = (clock: string, day = '2026-01-05'): number => Date.parse(`${day}T${clock}Z`);
const from = (device: Device, start: string, stop: string, value: number): Measured => ({
  device,
  start: at(start),
  stop: at(stop),
  value,
});
const sumOf = async (...measured: Measured[]) => (await sumsOf(await userWith(measured)))[1]?.[0];

describe('steps of several sources', () => {
  const hour = (device: Device, begin: number, value: number): Measured => ({
    device,
    start: at('00:00:00') + begin * HOUR_MS,
    stop: at('00:00:00') + (begin + 1) * HOUR_MS,
    value,
  });

  test('count from the watch in its hour, and from the phone in the other hours', async () => {
    const phone = Array.from({ length: 8 }, (_, n) => hour('phone', 9 + n, 1_000));
    expect(await sumOf(...phone, hour('watch', 16, 900))).toBe(7_900);
  });

  test('count with the part of an interval outside of better ones, to the millisecond', async () => {
    expect(await sumOf(from('phone', '10:00:00', '11:00:00', 3_600), from('watch', '10:15:00', '10:15:01', 7))).toBe(
      3_606,
    );
    expect(
      await sumOf(
        from('phone', '10:00:00.000', '10:00:01.000', 1_000),
        from('watch', '10:00:00.250', '10:00:00.375', 5),
      ),
    ).toBe(880);
    // Time that two better sources measured is subtracted once.
    expect(
      await sumOf(
        from('phone', '10:00:00', '11:00:00', 60),
        from('chest_strap', '10:10:00', '10:30:00', 1),
        from('watch', '10:20:00', '10:40:00', 4),
      ),
    ).toBe(30 + 1 + 2);
  });

  test('do not overlap if they touch, and a moment within a better interval does not count', async () => {
    expect(await sumOf(from('phone', '10:00:00', '11:00:00', 1), from('watch', '11:00:00', '12:00:00', 2))).toBe(3);
    expect(await sumOf(from('phone', '10:30:00', '10:30:00', 1), from('watch', '10:00:00', '11:00:00', 2))).toBe(2);
    expect(await sumOf(from('phone', '11:00:00', '11:00:00', 1), from('watch', '10:00:00', '11:00:00', 2))).toBe(3);
    expect(await sumOf(from('phone', '11:00:00', '11:00:00', 1), from('watch', '11:00:00', '11:00:00', 2))).toBe(2);
    expect(await sumOf(from('phone', '10:00:00', '11:00:00', 1), from('watch', '10:30:00', '10:30:00', 2))).toBe(3);
    const moment = from('watch', '11:00:00', '11:00:00', 4);
    expect(
      await sumOf(from('phone', '11:00:00', '11:00:00', 1), from('watch', '10:00:00', '11:00:00', 2), moment),
    ).toBe(6);
  });

  test('are replaced by a better interval also across midnight and the edge of the timeframe', async () => {
    const userId = await userWith([
      { device: 'watch', start: at('23:00:00', '2026-01-04'), stop: at('01:00:00'), value: 200 },
      { device: 'phone', start: at('00:00:00'), stop: at('02:00:00'), value: 100 },
    ]);
    expect(await sumsOf(userId)).toEqual([['2026-01-05'], [50]]);
    expect(await sumsOf(userId, { days: 2 })).toEqual([
      ['2026-01-04', '2026-01-05'],
      [200, 50],
    ]);
  });

  test('count whole for each source if a query groups by source', async () => {
    const userId = await userWith([
      from('phone', '10:00:00', '11:00:00', 60),
      from('watch', '10:00:00', '10:30:00', 20),
    ]);
    expect(await sumsOf(userId)).toEqual([['2026-01-05'], [50]]);
    expect(await sumsOf(userId, { sources: true })).toEqual([
      ['2026-01-05', '2026-01-05'],
      ['phone', 'watch'],
      [60, 20],
    ]);
  });
});

/**
 * A slow reference. It cuts each sample at all ends of better samples, and counts the parts that no better sample
 * covers.
 */
function slowly(measured: readonly Measured[]): Map<string, number> {
  const byDay = groupedBy(measured, ({ start }) => Math.floor(start / DAY_MS));
  const sums = new Map<string, number>();
  for (const sample of measured) {
    const day = Math.floor(sample.start / DAY_MS);
    const better = [day - 2, day - 1, day, day + 1, day + 2]
      .flatMap((near) => byDay.get(near) ?? [])
      .filter(({ device }) => DEVICES.indexOf(device) < DEVICES.indexOf(sample.device));
    const date = new Date(sample.start).toISOString().slice(0, 10);
    const share = shareOf(sample, better);
    if (share > 0) sums.set(date, (sums.get(date) ?? 0) + sample.value * share);
  }
  return sums;
}

function shareOf({ start, stop }: Measured, better: readonly Measured[]): number {
  if (start === stop) {
    const isCovered = better.some((other) => other.start <= start && (start < other.stop || other.start === start));
    return isCovered ? 0 : 1;
  }
  const within = better.flatMap((other) => [other.start, other.stop]).filter((end) => end > start && end < stop);
  const ends = [start, ...within.toSorted((a, b) => a - b), stop];
  let alone = 0;
  for (let n = 1; n < ends.length; n += 1) {
    const [begin, end] = [ends[n - 1] as number, ends[n] as number];
    if (!better.some((other) => other.start <= begin && end <= other.stop)) alone += end - begin;
  }
  return alone / (stop - start);
}

function groupedBy<T, K>(items: readonly T[], keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}

/** A random day of one to four devices. Samples at round minutes often touch each other, others are cut. */
const someLength = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 1, max: 120 }).map((minutes) => minutes * MINUTE_MS) },
  { weight: 3, arbitrary: fc.integer({ min: 1, max: 3 * HOUR_MS }) },
  { weight: 1, arbitrary: fc.constantFrom(0, DAY_MS, 30 * HOUR_MS) },
);
const someStart = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: 0, max: 24 * 12 - 1 }).map((fives) => fives * 5 * MINUTE_MS) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: DAY_MS - 1 }) },
);
const someDay = fc
  .array(fc.tuple(fc.constantFrom(...DEVICES), someStart, someLength, fc.integer({ min: 0, max: 2_000 })), {
    minLength: 1,
    maxLength: 8,
  })
  .map((samples) => {
    const known = new Map(samples.map((sample) => [`${sample[0]} ${sample[1]}`, sample]));
    return [...known.values()];
  });

/** A random day of apps that measure the same hours. Each sample begins with an hour and has its own length. */
const someHours = fc.uniqueArray(
  fc.tuple(
    fc.constantFrom(...DEVICES),
    fc.integer({ min: 0, max: 5 }),
    fc.integer({ min: 1, max: 60 }),
    fc.integer({ min: 0, max: 20 }),
  ),
  { minLength: 1, maxLength: 12, selector: ([device, hour]) => `${device} ${hour}` },
);

/**
 * The samples that are stored if all apps run on one kind of device. Of the samples with the same start, one is stored:
 * the sample with the largest value. If values are equal, the longest sample is stored; if these are equal too, the
 * sample of the first app by name.
 */
function oneOfEachStart(measured: readonly Measured[]): Measured[] {
  const best = (samples: readonly Measured[]): Measured =>
    samples.toSorted(
      (a, b) => b.value - a.value || b.stop - a.stop || DEVICES.indexOf(a.device) - DEVICES.indexOf(b.device),
    )[0] as Measured;
  return [...groupedBy(measured, ({ start }) => start).values()].map(best);
}

const FIRST_DAY = at('00:00:00', '2023-01-01');

/** Random days in a row. The same seed gives the same days. */
function randomDays(days: number, seed: number): Measured[] {
  return fc.sample(someDay, { numRuns: days, seed }).flatMap((samples, day) =>
    samples.map(([device, start, length, value]): Measured => ({
      device,
      start: FIRST_DAY + day * DAY_MS + start,
      stop: FIRST_DAY + day * DAY_MS + start + length,
      value,
    })),
  );
}

const DAYS = 500;
const whole: QueryOptions = { anchor: '2024-05-14', days: DAYS };
const answered = async (
  measured: readonly Measured[],
  sourceOf = byKind,
  atOnce = 5_000,
): Promise<Map<string, number>> => {
  const [days = [], sums = []] = await sumsOf(await userWith(measured, sourceOf, atOnce), whole);
  return new Map(days.map((day, n) => [day as string, sums[n] as number]));
};
const close = (sums: Map<string, number>): [string, unknown][] =>
  [...sums].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([day, sum]) => [day, expect.closeTo(sum, 6)]);
const inOrder = (sums: Map<string, number>): [string, number][] => [...sums].toSorted(([a], [b]) => (a < b ? -1 : 1));

describe('random days', () => {
  const seeds = Array.from({ length: 5 }, () => Math.floor(Math.random() * 2 ** 31));

  test.each(seeds)(
    'of seed %d have the sums of the slow reference, between the best source alone and all sources',
    async (seed) => {
      const measured = randomDays(DAYS, seed);
      const sums = await answered(measured);
      expect(inOrder(sums)).toEqual(close(slowly(measured)));
      for (const [day, ofDay] of groupedBy(measured, ({ start }) => new Date(start).toISOString().slice(0, 10))) {
        const totalOf = (samples: readonly Measured[]): number => samples.reduce((sum, { value }) => sum + value, 0);
        const best = DEVICES.find((device) => ofDay.some((sample) => sample.device === device));
        // A better sample of the day before may reach over midnight and cover samples of the best source of this day.
        if (best === DEVICES[0]) {
          const alone = totalOf(ofDay.filter(({ device }) => device === best));
          expect(sums.get(day) ?? 0, day).toBeGreaterThanOrEqual(alone - 1e-6);
        }
        expect(sums.get(day) ?? 0, day).toBeLessThanOrEqual(totalOf(ofDay) + 1e-6);
      }
    },
  );

  test('of four apps on one phone have the sums of the slow reference, in any order of arrival', async () => {
    const measured = randomDays(DAYS, seeds[3] as number);
    const sums = await answered(measured, byApp);
    expect(inOrder(sums)).toEqual(close(slowly(oneOfEachStart(measured))));
    expect(inOrder(await answered(measured.toReversed(), byApp))).toEqual(close(sums));
  });

  test('of apps whose samples begin together have at least the sum of each app, in any order of arrival', async () => {
    const seed = seeds[4] as number;
    const measured = fc.sample(someHours, { numRuns: DAYS, seed }).flatMap((hours, day) =>
      hours.map(([device, hour, minutes, value]): Measured => {
        const start = FIRST_DAY + day * DAY_MS + hour * HOUR_MS;
        return { device, start, stop: start + minutes * MINUTE_MS, value };
      }),
    );
    const sums = await answered(measured, byApp);
    const byDay = groupedBy(measured, ({ start }) => new Date(start).toISOString().slice(0, 10));
    for (const [day, ofDay] of byDay) {
      for (const ofApp of groupedBy(ofDay, ({ device }) => device).values()) {
        const alone = ofApp.reduce((sum, { value }) => sum + value, 0);
        expect(sums.get(day), day).toBeGreaterThanOrEqual(alone - 1e-6);
      }
    }
    // Shuffled and in small requests, so that most samples that begin together come in different requests.
    const shuffled = fc.sample(fc.shuffledSubarray(measured, { minLength: measured.length }), { numRuns: 1, seed })[0];
    expect(inOrder(await answered(shuffled as Measured[], byApp, 500))).toEqual(close(sums));
  });

  test('have the same sums in any order of arrival', async () => {
    const measured = randomDays(DAYS, seeds[0] as number);
    expect(inOrder(await answered(measured.toReversed()))).toEqual(close(await answered(measured)));
  });

  test('have the same sums if an interval is one sample or several', async () => {
    const measured = randomDays(DAYS, seeds[1] as number);
    const starts = new Set(measured.map(({ device, start }) => `${device} ${start}`));
    const split = measured.flatMap((sample): Measured[] => {
      const { device, start, stop, value } = sample;
      const middle = start + Math.floor((stop - start) / 3);
      // A part that begins on another day would count on that day. A part that begins with another sample would replace
      // it.
      const isOfDay = Math.floor(middle / DAY_MS) === Math.floor(start / DAY_MS);
      if (middle === start || !isOfDay || starts.has(`${device} ${middle}`)) return [sample];
      starts.add(`${device} ${middle}`);
      const first = (value * (middle - start)) / (stop - start);
      return [
        { device, start, stop: middle, value: first },
        { device, start: middle, stop, value: value - first },
      ];
    });
    expect(split.length).toBeGreaterThan(measured.length * 1.5);
    expect(inOrder(await answered(split))).toEqual(close(await answered(measured)));
  });

  test('have sums that another source never makes lower than those of the best source alone', async () => {
    const measured = randomDays(DAYS, seeds[2] as number);
    const best = measured.filter(({ device }) => device === DEVICES[0]);
    const [alone, more] = [await answered(best), await answered(measured)];
    for (const [day, sum] of alone) expect(more.get(day), day).toBeGreaterThanOrEqual(sum - 1e-6);
  });
});
