import { describe, expect, test } from 'vitest';
import { openLog } from '../../../log.ts';
import type { SummaryItem } from '../../summaries/resource.ts';
import { sleep } from '../../summaries/resources/sleep.ts';
import { workout } from '../../summaries/resources/workout.ts';
import { summariesOf } from './fitting.ts';

const run = {
  provider: 'strava',
  sport: 'running',
  time_start: '2026-01-05T06:30:00Z',
  time_end: '2026-01-05T07:15:00Z',
};
const fitItem = (resource: typeof workout, item: object): (SummaryItem | undefined)[] =>
  [...summariesOf(openLog('silent'), { resource, toItem: () => item as SummaryItem }, [{}])].flatMap(
    ({ summaries }) => summaries?.incoming.map((each) => each.item) ?? [],
  );

describe('points of a provider', () => {
  const time = [1_767_594_600, 1_767_594_601, 1_767_594_602];

  test('are stored unchanged where they are valid', () => {
    const stream = { time, heartrate: [90, 91, 92] };
    expect(fitItem(workout, { ...run, stream })).toEqual([{ ...run, stream }]);
  });

  test('lose a column that is shorter than their times, or beyond its bounds', () => {
    const stream = { time, heartrate: [90, 91], cadence: [80, 81, 9_999_999], altitude: [1, 2, 3] };
    expect(fitItem(workout, { ...run, stream })).toEqual([{ ...run, stream: { time, altitude: [1, 2, 3] } }]);
  });

  test('are left out where their times go back, while the workout stays', () => {
    expect(fitItem(workout, { ...run, stream: { time: time.toReversed(), heartrate: [90, 91, 92] } })).toEqual([run]);
  });

  test('of a sleep are cut at its beginning and end', () => {
    const [bed, up] = [1_767_681_000, 1_767_706_200];
    const night = {
      provider: 'oura',
      bedtime_start: new Date(bed * 1_000).toISOString(),
      bedtime_stop: new Date(up * 1_000).toISOString(),
      total: 24_000,
    };
    const hypnogram = {
      start: [bed - 600, bed - 60, bed + 300, up + 60],
      end: [bed - 60, bed + 300, up + 60, up + 90],
      value: [4, 2, 1, 4],
    };
    expect(fitItem(sleep, { ...night, sleep_stream: { hypnogram } })).toEqual([
      {
        ...night,
        sleep_stream: { hypnogram: { start: [bed, bed + 300], end: [bed + 300, up], value: [2, 1] } },
      },
    ]);
  });

  test('of a sleep lose an invalid series', () => {
    const night = {
      provider: 'oura',
      bedtime_start: '2026-01-05T06:30:00Z',
      bedtime_stop: '2026-01-05T13:30:00Z',
      total: 24_000,
      sleep_stream: { heartrate: { time, value: [50, 51] }, hrv: { time, value: [40, 41, 42] } },
    };
    expect(fitItem(sleep, night)).toEqual([{ ...night, sleep_stream: { hrv: { time, value: [40, 41, 42] } } }]);
  });
});

test('a night loses stages longer than itself, and is left out with more sleep than its length', () => {
  const night = {
    provider: 'oura',
    bedtime_start: '2026-01-05T06:30:00Z',
    bedtime_stop: '2026-01-05T08:30:00Z',
    total: 7_000,
    awake: 200,
  };
  expect(fitItem(sleep, { ...night, light: 5_000, rem: 1_000, deep: 1_000 })).toEqual([
    { ...night, light: 5_000, rem: 1_000, deep: 1_000 },
  ]);
  const unstaged = [{ ...night, light: 0, rem: 0, deep: 0 }];
  expect(fitItem(sleep, { ...night, light: 9_000, rem: 100, deep: 100 })).toEqual(unstaged);
  expect(fitItem(sleep, { ...night, light: 5_000, rem: 2_000, deep: 1_000 })).toEqual(unstaged);
  expect(fitItem(sleep, { ...night, total: 9_000 })).toEqual([]);
  expect(fitItem(sleep, { ...night, total: 4_000, light: 5_000, rem: 1_000, deep: 0 })).toEqual([
    { ...night, total: 4_000, light: 0, rem: 0, deep: 0 },
  ]);
  expect(fitItem(sleep, { ...night, awake: 4_000, light: 7_000 })).toEqual([{ ...night, awake: 0, light: 7_000 }]);
  // A minute of difference is rounding.
  expect(fitItem(sleep, { ...night, awake: 0, total: 7_260 })).toHaveLength(1);
});

test('a workout loses zones or motion longer than itself', () => {
  const zones = (...hr_zones: number[]) => ({ hr_zones });
  expect(fitItem(workout, { ...run, ...zones(0, 0, 2_700, 0, 0, 0), moving_time: 2_700 })).toEqual([
    { ...run, ...zones(0, 0, 2_700, 0, 0, 0), moving_time: 2_700 },
  ]);
  expect(fitItem(workout, { ...run, ...zones(0, 2_000, 2_000, 0, 0, 0), moving_time: 2_800 })).toEqual([run]);
});

test('a summary is left out if it is invalid without what was removed, or begins in the future', () => {
  expect(fitItem(workout, { ...run, time_start: 'soon' })).toEqual([]);
  expect(fitItem(workout, { ...run, time_start: '2100-01-01T00:00:00Z', time_end: '2100-01-01T01:00:00Z' })).toEqual(
    [],
  );
});
