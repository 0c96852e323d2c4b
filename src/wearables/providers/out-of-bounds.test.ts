// What is beyond the bounds that pushes have is left out of each provider's answers, and the rest of them is stored.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/app.ts';
import { startProvider, type DataAnswer, type DataRequest, type Provider } from '../../../test/provider.ts';
import { dayAgo, pulledFrom } from '../../../test/pulled.ts';

const day = dayAgo(2);
const noon = `${day}T12:00:00Z`;
const hourLater = `${day}T13:00:00Z`;
const seconds = Date.parse(noon) / 1_000;
/** More than any series takes. */
const FAR = 3e9;

type Case = {
  slug: string;
  /** Answers by the ends of the addresses that they are to. */
  answers: Record<string, unknown>;
  summaries?: { path: string; expected: Record<string, unknown>[] };
  samples?: { name: string; expected: number[] };
};

const glucose = (value: number, at: string) => ({ systemTime: at, displayTime: at, value, unit: 'mmol/L' });
const googleTime = (at: string) => ({ physicalTime: at, utcOffset: '0s' });
const workoutOf = (id: number, average_heartrate: number, days: number) => ({
  id,
  sport_type: 'Run',
  start_date: new Date(Date.parse(noon) - days * 86_400_000).toISOString(),
  elapsed_time: days * 86_400 + 60,
  distance: 5_000,
  average_heartrate,
});
const measures = (date: number, ...values: [number, number][]) => ({
  grpid: date,
  attrib: 0,
  date,
  measures: values.map(([type, value]) => ({ type, value, unit: 0 })),
});
const ridden = (id: number, changes: object) => ({
  id,
  starts: noon,
  workout_type_id: 0,
  workout_summary: { duration_total_accum: '3600.0', distance_accum: '20000.0', ...changes },
});
const recovery = (hrv_rmssd_milli: number, created_at: string) => ({
  sleep_id: 'night-1',
  created_at,
  score: { recovery_score: 400, resting_heart_rate: 54, hrv_rmssd_milli },
});
const millis = (hours: number): number => hours * 3_600_000;

const CASES: Case[] = [
  {
    slug: 'google_health',
    answers: {
      'weight/dataPoints:reconcile': {
        dataPoints: [{ weight: { sampleTime: googleTime(noon), weightGrams: 5_000_000 } }],
      },
      'body-fat/dataPoints:reconcile': {
        dataPoints: [{ bodyFat: { sampleTime: googleTime(noon), percentage: 22 } }],
      },
      'steps/dataPoints:reconcile': {
        dataPoints: [
          { steps: { interval: { startTime: noon, endTime: hourLater }, count: FAR } },
          { steps: { interval: { startTime: `${dayAgo(12)}T12:00:00Z`, endTime: noon }, count: 90_000 } },
          { steps: { interval: { startTime: hourLater, endTime: hourLater, startUtcOffset: '99999s' }, count: 61 } },
        ],
      },
    },
    summaries: { path: 'body', expected: [{ weight: null, fat: 22 }] },
    samples: { name: 'steps', expected: [61] },
  },
  {
    slug: 'dexcom_v3',
    answers: { egvs: { records: [glucose(FAR, noon), glucose(5.5, hourLater)] } },
    samples: { name: 'glucose', expected: [5.5] },
  },
  {
    slug: 'oura',
    answers: {
      daily_activity: { data: [{ id: '1', day, timestamp: noon, steps: 5_000_000, active_calories: 300 }] },
      heartrate: {
        data: [
          { bpm: -FAR, timestamp: noon },
          { bpm: 60, timestamp: hourLater },
        ],
      },
    },
    summaries: { path: 'activity', expected: [{ steps: null, calories_active: 300 }] },
    samples: { name: 'heartrate', expected: [60] },
  },
  {
    slug: 'polar',
    answers: {
      'users/sleep': {
        nights: [
          { date: day, sleep_start_time: `${day}T00:00:00Z`, sleep_end_time: `${day}T08:00:00Z`, sleep_score: 500 },
        ],
      },
      'users/nightly-recharge': {
        recharges: [{ date: day, heart_rate_avg: 54, hrv_samples: { '01:00': FAR, '02:00': 48 } }],
      },
    },
    summaries: { path: 'sleep', expected: [{ score: null, hr_average: 54, total: 28_800 }] },
    samples: { name: 'hrv', expected: [48] },
  },
  {
    slug: 'strava',
    // That of 20 days is none: somebody forgot to end it.
    answers: {
      'athlete/activities': [workoutOf(1, 9_000, 0), workoutOf(2, 140, 20)],
      'activities/1': { ...workoutOf(1, 9_000, 0), calories: 300 },
      'activities/2': { ...workoutOf(2, 140, 20), calories: 300 },
    },
    summaries: { path: 'workouts', expected: [{ average_hr: null, distance: 5_000 }] },
  },
  {
    slug: 'wahoo',
    answers: {
      workouts: { workouts: [ridden(1, { heart_rate_avg: '9000.0' }), ridden(2, { duration_total_accum: '1e300' })] },
    },
    summaries: { path: 'workouts', expected: [{ average_hr: null, distance: 20_000 }] },
  },
  {
    slug: 'whoop_v2',
    answers: {
      recovery: { records: [recovery(FAR, noon), recovery(48, hourLater)] },
      'activity/sleep': {
        records: [
          {
            id: 'night-1',
            start: `${day}T00:00:00Z`,
            end: `${day}T08:00:00Z`,
            timezone_offset: '-99:00',
            score: {
              sleep_performance_percentage: 91,
              stage_summary: {
                total_light_sleep_time_milli: millis(4),
                total_slow_wave_sleep_time_milli: millis(2),
                total_rem_sleep_time_milli: millis(1),
                total_awake_time_milli: millis(1_000),
              },
            },
          },
        ],
      },
    },
    summaries: {
      path: 'sleep',
      expected: [
        { score: 91, total: 25_200, awake: 0, recovery_readiness_score: null, hr_resting: 54, timezone_offset: null },
      ],
    },
    samples: { name: 'hrv', expected: [48] },
  },
  {
    slug: 'withings',
    answers: {
      measure: {
        status: 0,
        body: {
          timezone: 'Europe/Paris',
          measuregrps: [
            measures(seconds, [1, 80], [6, 400]),
            measures(seconds + 1, [10, 5_000], [9, 80]),
            measures(seconds + 2, [10, 120], [9, 8_000]),
            measures(seconds + 3, [10, 120], [9, 80]),
          ],
        },
      },
    },
    summaries: { path: 'body', expected: [{ weight: 80, fat: null }] },
    samples: { name: 'blood_pressure', expected: [120] },
  },
  {
    slug: 'withings',
    // A fraction of what is measured in percent.
    answers: {
      measure: {
        status: 0,
        body: {
          timezone: 'Europe/Paris',
          measuregrps: [measures(seconds, [54, 0.97]), measures(seconds + 1, [54, 97])],
        },
      },
    },
    samples: { name: 'blood_oxygen', expected: [97] },
  },
];

let provider: Provider;
let app: TestApp;
beforeAll(async () => {
  provider = await startProvider();
  const env = CASES.map(({ slug }) => provider.env(slug));
  app = await startTestApp(Object.assign({}, ...env) as Record<string, string>);
});
afterAll(async () => {
  await app.close();
  await provider.close();
});

test.each(CASES)(
  'Of an answer of $slug the rest is stored',
  async ({ slug, answers, summaries: list, samples: series }) => {
    /** Once for all windows: the others have nothing. */
    const answer = ({ path }: DataRequest): DataAnswer | undefined => {
      const found = Object.entries(answers).find(([end]) => path.endsWith(`/${end}`));
      return found && { json: found[1] };
    };
    const { summaries, samples } = await pulledFrom(app, provider, slug, answer);
    if (list) expect(await summaries(list.path)).toMatchObject(list.expected);
    if (!series) return;
    const found = await samples(series.name);
    expect(found.map(({ value, systolic }) => systolic ?? value)).toEqual(series.expected);
  },
);

test('what is left out whole is counted by provider and series or kind of summary, with the reason', async () => {
  const counted = await app.metrics.registry.getSingleMetric('phial_provider_records_skipped_total')?.get();
  const labels = counted?.values.map(({ labels }) =>
    [labels['provider'], labels['resource'], labels['reason']].join(' '),
  );
  expect(labels).toEqual(
    expect.arrayContaining(['dexcom_v3 glucose impossible', 'oura heartrate impossible', 'strava workouts impossible']),
  );
});
