// Shapes of https://developers.google.com/health/reference/rest/v4/users.dataTypes.dataPoints: numbers of 64 bits are
// texts.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/test-app.ts';
import { startProvider, type DataResponse, type DataRequest, type Provider } from '../../../../test/provider.ts';
import { dayAgo, pulledFrom, type Pulled, refresh } from '../../../../test/pulled.ts';
import { publishedTo } from '../../../../test/publish-event.ts';

let provider: Provider;
let app: TestApp;
let user: Pulled;
const [day, before] = [dayAgo(3), dayAgo(4)];
const [year, month, date] = day.split('-').map(Number);
const civil = { year, month, day: date };

const dataSource = {
  platform: 'FITBIT',
  recordingMethod: 'DERIVED',
  device: { displayName: 'Charge 6', manufacturer: 'Google', formFactor: 'FITNESS_BAND' },
};
const sampled = (key: string, fields: object, time = `${day}T15:04:05Z`) => ({
  [key]: { sampleTime: { physicalTime: time, utcOffset: '-25200s', civilTime: {} }, ...fields },
});
const spanned = (key: string, fields: object) => ({
  [key]: {
    interval: {
      startTime: `${day}T15:00:00Z`,
      startUtcOffset: '-25200s',
      endTime: `${day}T15:01:00Z`,
      endUtcOffset: '-25200s',
    },
    ...fields,
  },
});

/** The data points of each type that Google has reconciled, which means merged from several devices. */
const MERGED: Record<string, object[]> = {
  steps: [spanned('steps', { count: '42' })],
  distance: [spanned('distance', { millimeters: '31500' })],
  'active-energy-burned': [spanned('activeEnergyBurned', { kcal: 2.5 })],
  'heart-rate': [
    sampled('heartRate', { beatsPerMinute: '61' }),
    sampled('heartRate', { beatsPerMinute: '0' }, `${day}T16:00:00Z`),
  ],
  'heart-rate-variability': [
    sampled('heartRateVariability', {
      rootMeanSquareOfSuccessiveDifferencesMilliseconds: 38.9,
      standardDeviationMilliseconds: 0,
    }),
  ],
  'daily-respiratory-rate': [{ dailyRespiratoryRate: { date: civil, breathsPerMinute: 14.2 } }],
  weight: [sampled('weight', { weightGrams: 84_100 })],
  'body-fat': [sampled('bodyFat', { percentage: 21.3 })],
  'blood-glucose': [sampled('bloodGlucose', { bloodGlucoseMilligramsPerDeciliter: 108 })],
  'oxygen-saturation': [sampled('oxygenSaturation', { percentage: 97.5 })],
  'core-body-temperature': [sampled('coreBodyTemperature', { celsius: 36.7 })],
  'run-vo2-max': [sampled('runVo2Max', { runVo2Max: 44.1 })],
};
const NIGHT = {
  name: 'users/me/dataTypes/sleep/dataPoints/7001',
  dataSource,
  sleep: {
    interval: {
      startTime: `${before}T23:00:00-07:00`,
      startUtcOffset: '-25200s',
      endTime: `${day}T06:00:00-07:00`,
      endUtcOffset: '-25200s',
    },
    type: 'STAGES',
    stages: [
      { startTime: `${day}T06:00:00Z`, endTime: `${day}T06:10:00Z`, type: 'AWAKE' },
      { startTime: `${day}T06:10:00Z`, endTime: `${day}T07:10:00Z`, type: 'DEEP' },
      { startTime: `${day}T07:10:00Z`, endTime: `${day}T07:30:00Z`, type: 'RESTLESS' },
    ],
    metadata: { nap: false, processed: true, stagesStatus: 'SUCCEEDED' },
    summary: {
      minutesInSleepPeriod: '420',
      minutesAsleep: '390',
      minutesAwake: '30',
      stagesSummary: [
        { type: 'AWAKE', minutes: '30', count: '3' },
        { type: 'LIGHT', minutes: '220', count: '9' },
        { type: 'DEEP', minutes: '80', count: '3' },
        { type: 'REM', minutes: '90', count: '4' },
      ],
    },
  },
};
const RUN = {
  name: 'users/me/dataTypes/exercise/dataPoints/8001',
  dataSource,
  exercise: {
    interval: {
      startTime: `${day}T14:00:00Z`,
      startUtcOffset: '-25200s',
      endTime: `${day}T14:31:00Z`,
      endUtcOffset: '-25200s',
    },
    exerciseType: 'TRAIL_RUNNING',
    displayName: 'Trail run',
    activeDuration: '1830s',
    metricsSummary: {
      caloriesKcal: 280.5,
      distanceMillimeters: 5_010_000,
      steps: '4300',
      averageSpeedMillimetersPerSecond: 2_737,
      averageHeartRateBeatsPerMinute: '141',
      elevationGainMillimeters: 51_600,
    },
  },
};
const TYPED_IN = {
  name: 'users/me/dataTypes/exercise/dataPoints/8002',
  dataSource: { platform: 'FITBIT', recordingMethod: 'MANUAL' },
  exercise: {
    interval: { startTime: `${day}T12:00:00Z`, endTime: `${day}T12:30:00Z` },
    exerciseType: 'SWIMMING',
  },
};
const TOTALS: Record<string, object> = {
  steps: { steps: { countSum: '9876' } },
  distance: { distance: { millimetersSum: '7123000' } },
  'active-energy-burned': { activeEnergyBurned: { kcalSum: 512.5 } },
  'total-calories': { totalCalories: { kcalSum: 2_345 } },
  floors: { floors: { countSum: '6' } },
};

function answer({ method, path, query, body }: DataRequest): DataResponse | undefined {
  const [, type = '', how = ''] = /dataTypes\/([a-z0-9-]+)\/dataPoints(:\w+)?$/.exec(path) ?? [];
  if (how === ':dailyRollUp') {
    if (method !== 'POST') return { status: 405, json: {} };
    const { start, end } = (JSON.parse(body) as { range: Record<string, { date: Record<string, number> }> }).range;
    const at = (moment: { date: Record<string, number> } | undefined): number =>
      Date.UTC(moment?.date['year'] ?? 0, (moment?.date['month'] ?? 0) - 1, moment?.date['day']);
    if (at(end) - at(start) > 14 * 86_400_000) return { status: 400, json: {} };
    const isWithin = at(start) <= Date.parse(day) && Date.parse(day) < at(end);
    return { json: isWithin ? { rollupDataPoints: [{ civilStartTime: { date: civil }, ...TOTALS[type] }] } : {} };
  }
  const [from = '', to = ''] = [...(query.get('filter') ?? '').matchAll(/"([^"]+)"/g)].map(([, moment]) => moment);
  const isWithin = from <= `${day}T08` && to > `${day}T17`;
  if (how === '') return { json: isWithin ? { dataPoints: type === 'sleep' ? [NIGHT] : [RUN, TYPED_IN] } : {} };
  if (!isWithin) return { json: {} };
  // Each page has one point, so that the import must read all pages.
  const points = MERGED[type] ?? [];
  const offset = Number(query.get('pageToken') ?? 0);
  const nextPageToken = offset + 1 < points.length ? String(offset + 1) : '';
  return { json: { dataPoints: points.slice(offset, offset + 1), nextPageToken } };
}

beforeAll(async () => {
  provider = await startProvider();
  app = await startTestApp(provider.env('google_health'));
  user = await pulledFrom(app, provider, 'google_health', answer, { zone: 'America/Phoenix' });
});
afterAll(async () => {
  await app.close();
  await provider.close();
});

test('Every resource of an account is pulled', async () => {
  const pulls = await user.pulls();
  expect(Object.keys(pulls)).toHaveLength(17);
  expect(new Set(Object.values(pulls))).toEqual(new Set(['success']));
});

test.each([
  ['steps', 42],
  ['distance', 31.5],
  ['calories_active', 2.5],
  ['heartrate', 61],
  ['hrv', 38.9],
  ['body_weight', 84.1],
  ['body_fat', 21.3],
  ['blood_oxygen', 97.5],
  ['body_temperature', 36.7],
  ['vo2_max', 44.1],
])(
  'Samples of %s are stored in our unit with the local offset, without values that were not measured',
  async (name, value) => {
    expect(await user.samples(name)).toMatchObject([
      { value, timezone_offset: -25_200, source_type: 'multiple_sources' },
    ]);
  },
);

test('Glucose is converted, and a value of a day is stored at its beginning', async () => {
  expect((await user.samples('glucose')).map(({ value }) => Math.round(value * 1_000))).toEqual([5_995]);
  expect(await user.samples('respiratory_rate')).toMatchObject([{ value: 14.2, timestamp: `${day}T07:00:00.000Z` }]);
});

test('Days are rolled up, and a scale brings weight and fat of one moment', async () => {
  expect(await user.summaries('activity')).toMatchObject([
    {
      calendar_date: day,
      steps: 9_876,
      distance: 7_123,
      calories_active: 512.5,
      calories_total: 2_345,
      floors_climbed: 6,
    },
  ]);
  expect(await user.summaries('body')).toMatchObject([{ weight: 84.1, fat: 21.3, calendar_date: day }]);
});

test('Nights and workouts are stored with the kind of device', async () => {
  expect(await user.summaries('sleep')).toMatchObject([
    {
      calendar_date: day,
      bedtime_start: `${day}T06:00:00.000Z`,
      duration: 25_200,
      total: 23_400,
      deep: 4_800,
      rem: 5_400,
      awake: 1_800,
      efficiency: 92.9,
      type: 'long_sleep',
      source: { type: 'watch' },
    },
  ]);
  expect(await user.summaries('workouts')).toMatchObject([
    { provider_id: '8002', source: { type: 'unknown', app_id: 'manual' } },
    {
      provider_id: '8001',
      title: 'Trail run',
      sport: { slug: 'trail_running' },
      moving_time: 1_830,
      distance: 5_010,
      average_speed: 2.737,
      total_elevation_gain: 51.6,
      average_hr: 141,
      source: { type: 'watch', app_id: null },
    },
  ]);
});

test('The recorder of a night or a workout is a device, published once', async () => {
  const devices = async () => (await user.team.api<object[]>('GET', `/v2/user/${user.user_id}/device`)).body;
  expect(await devices()).toMatchObject([
    { provider: 'google_health', source_type: 'watch', device_manufacturer: 'Google', device_model: 'Charge 6' },
  ]);
  provider.play(answer);
  expect((await refresh(app, user.team, user.user_id)).body.refreshed_sources).toEqual(['google_health']);
  expect(await devices()).toHaveLength(1);
  const eventTypes = (await publishedTo(app, user.team)).map(({ event_type }) => event_type);
  expect(eventTypes.filter((type) => type.startsWith('provider.device'))).toEqual(['provider.device.created']);
});

test('A night that is still being computed comes later', async () => {
  const { summaries, team, user_id } = await pulledFrom(app, provider, 'google_health', (request) =>
    /sleep/.test(request.path) && request.query.get('filter')?.includes(`"${day.slice(0, 8)}`)
      ? { json: { dataPoints: [{ ...NIGHT, sleep: { ...NIGHT.sleep, summary: undefined } }] } }
      : { json: {} },
  );
  expect(await summaries('sleep')).toEqual([]);
  provider.play(answer);
  await refresh(app, team, user_id);
  expect(await summaries('sleep')).toHaveLength(1);
});
