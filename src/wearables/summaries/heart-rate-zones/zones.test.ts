import { describe, expect, test } from 'vitest';
import { zonesOf } from './zones.ts';

const AT = Date.UTC(2026, 0, 5) / 1_000;
/** One rate every ten seconds. */
const rates = (...heartrate: (number | null)[]) => ({ time: heartrate.map((_, n) => AT + n * 10), heartrate });
const zones = (heartrate: (number | null)[], birthDate: string | null = null) =>
  zonesOf(rates(...heartrate), AT + heartrate.length * 10, birthDate);

describe('seconds in heart rate zones', () => {
  test('begin at 50, 60, 70 and 80 percent of 220 less the age, and above 90', () => {
    // At the age of 20, 100 percent is 200 beats a minute. So two beats are one percent.
    const born = '2006-01-05';
    const one = (rate: number) => zones([rate], born)?.indexOf(10);
    expect([1, 99, 100, 119, 120, 139, 140, 159, 160, 180, 181, 350].map(one)).toEqual([
      0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5,
    ]);
  });

  test('use an age of 30 where no birth date is known, and full years on the day of the workout', () => {
    expect(zones([171])).toEqual([0, 0, 0, 0, 10, 0]);
    expect(zones([172])).toEqual([0, 0, 0, 0, 0, 10]);
    expect(zones([181], '2006-01-06')).toEqual([0, 0, 0, 0, 0, 10]);
    expect(zones([180], '2006-01-06')).toEqual([0, 0, 0, 0, 10, 0]);
    expect(zones([180], '2006-01-05')).toEqual([0, 0, 0, 0, 10, 0]);
  });

  test('count until the next rate, at most a minute, and for the last rate until the end', () => {
    const time = [AT, AT + 5, AT + 605, AT + 610];
    expect(zonesOf({ time, heartrate: [100, 100, 180, 180] }, AT + 613, null)).toEqual([0, 65, 0, 0, 0, 8]);
  });

  test('leave out times without a rate, and are null without any rate', () => {
    expect(zones([100, 0, 0, 180])).toEqual([0, 10, 0, 0, 0, 10]);
    expect([zones([null, 0]), zones([])]).toEqual([null, null]);
  });

  test('continue over a point without a rate until the next rate, at most a minute', () => {
    expect(zones([100, null, null, 180])).toEqual([0, 30, 0, 0, 0, 10]);
    expect(zones([100, null, 0, 180])).toEqual([0, 20, 0, 0, 0, 10]);
    const time = [AT, AT + 1, AT + 90];
    expect(zonesOf({ time, heartrate: [100, null, 100] }, AT + 100, null)).toEqual([0, 70, 0, 0, 0, 0]);
  });

  test('sum up to the length of the workout with uneven rates', () => {
    const heartrate = Array.from({ length: 3_600 }, (_, n) => 60 + (n % 130));
    const time = heartrate.map((_, n) => AT + n);
    const all = zonesOf({ time, heartrate }, AT + 3_600, null) as number[];
    expect(all.reduce((sum, each) => sum + each, 0)).toBe(3_600);
  });
});
