// Shapes of https://cloud.ouraring.com/v2/docs, by its examples.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/test-app.ts';
import { startProvider, type DataResponse, type DataRequest, type Provider } from '../../../../test/provider.ts';
import { dayAgo, pulledFrom, refresh, type Pulled } from '../../../../test/pulled.ts';

let provider: Provider;
let app: TestApp;
let user: Pulled;
const [day, before] = [dayAgo(3), dayAgo(4)];

const DOCUMENTS: Record<string, Record<string, unknown>[]> = {
  daily_activity: [
    {
      id: '8f9a5221-639e-4a85-81cb-4065ef23f979',
      class_5_min: '11111122',
      score: 82,
      active_calories: 1_222,
      average_met_minutes: 1.9,
      equivalent_walking_distance: 20_122,
      high_activity_time: 120,
      low_activity_time: 17_859,
      medium_activity_time: 7_740,
      met: { interval: 60, items: [0.1, 1.2], timestamp: `${day}T04:00:00.000-08:00` },
      steps: 18_430,
      total_calories: 3_446,
      day,
      timestamp: `${day}T04:00:00-08:00`,
    },
  ],
  daily_sleep: [{ id: '1', contributors: {}, day, score: 78, timestamp: `${day}T00:00:00+00:00` }],
  sleep: [
    {
      id: '2cfd0c2a-4b1e-4e27-8d6a-9b2f9d1f7c10',
      average_breath: 12.6,
      average_heart_rate: 42.5,
      average_hrv: 52,
      awake_time: 600,
      bedtime_end: `${day}T06:20:00-08:00`,
      bedtime_start: `${before}T23:00:00-08:00`,
      day,
      deep_sleep_duration: 7_200,
      efficiency: 84,
      heart_rate: { interval: 300, items: [null, 50, 46], timestamp: `${before}T23:00:00.000-08:00` },
      hrv: { interval: 300, items: [null, -102, 59], timestamp: `${before}T23:00:00.000-08:00` },
      latency: 540,
      light_sleep_duration: 12_000,
      lowest_heart_rate: 40,
      readiness: { contributors: {}, score: 77, temperature_deviation: -0.08, temperature_trend_deviation: -0.01 },
      rem_sleep_duration: 6_600,
      sleep_phase_5_min: '4412233',
      time_in_bed: 26_400,
      total_sleep_duration: 25_800,
      type: 'long_sleep',
    },
    { id: '3', day, type: 'deleted', bedtime_start: `${day}T10:00:00Z`, bedtime_end: `${day}T11:00:00Z` },
  ],
  workout: [
    {
      id: '4a1b',
      activity: 'cycling',
      calories: 300,
      day,
      distance: 13_500.5,
      end_datetime: `${day}T18:00:00.000000-08:00`,
      intensity: 'moderate',
      label: null,
      source: 'manual',
      start_datetime: `${day}T17:30:00.000000-08:00`,
    },
    {
      id: '4a1c',
      activity: 'yoga',
      day,
      end_datetime: `${day}T08:00:00.000000-08:00`,
      source: 'autodetected',
      start_datetime: `${day}T07:30:00.000000-08:00`,
    },
  ],
  daily_spo2: [{ id: '5', day, spo2_percentage: { average: 97.4 } }],
  vO2_max: [{ id: '6', day, timestamp: `${day}T08:00:00-08:00`, vo2_max: 41 }],
};

function answer({ path, query }: DataRequest): DataResponse | undefined {
  const name = path.split('/').at(-1) ?? '';
  if (name === 'personal_info')
    return { json: { id: 'abc', age: 31, weight: 74.8, height: 1.8, biological_sex: 'male', email: 'a@example.com' } };
  if (name === 'heartrate') {
    const second = query.get('next_token') === 'more';
    const data = [{ bpm: second ? 61 : 60, source: 'awake', timestamp: `${day}T12:0${second ? 5 : 0}:00+00:00` }];
    return { json: { data, next_token: second ? null : 'more' } };
  }
  const [first = '', last = ''] = [query.get('start_date'), query.get('end_date')].map(String);
  const data = DOCUMENTS[name]?.filter((each) => String(each['day']) >= first && String(each['day']) <= last);
  return data && { json: { data, next_token: null } };
}

beforeAll(async () => {
  provider = await startProvider();
  app = await startTestApp(provider.env('oura'));
  user = await pulledFrom(app, provider, 'oura', answer, { zone: 'America/Phoenix' });
});
afterAll(async () => {
  await app.close();
  await provider.close();
});

test('Every resource of a ring is pulled', async () => {
  const pulls = await user.pulls();
  expect(Object.keys(pulls)).toHaveLength(13);
  expect(new Set(Object.values(pulls))).toEqual(new Set(['success']));
});

test('Days are stored with minutes of activity', async () => {
  expect(await user.summaries('activity')).toMatchObject([
    {
      calendar_date: day,
      timezone_offset: -28_800,
      steps: 18_430,
      calories_total: 3_446,
      calories_active: 1_222,
      distance: 20_122,
      low: 297.7,
      medium: 129,
      high: 2,
      source: { provider: 'oura', type: 'ring' },
    },
  ]);
});

test("Nights are stored with the day's score, their samples and stages; deleted nights are not", async () => {
  const [night, ...others] = await user.summaries('sleep');
  expect(others).toEqual([]);
  expect(night).toMatchObject({
    calendar_date: day,
    bedtime_start: `${day}T07:00:00.000Z`,
    type: 'long_sleep',
    duration: 26_400,
    total: 25_800,
    deep: 7_200,
    score: 78,
    recovery_readiness_score: 77,
    temperature_delta: -0.08,
    hr_lowest: 40,
    hr_average: 43,
    average_hrv: 52,
    efficiency: 84,
    latency: 540,
    respiratory_rate: 12.6,
    timezone_offset: -28_800,
  });
  type Stream = Record<string, { timestamp: string; value: number; end?: string }[]>;
  const { body } = await user.team.api<Stream>('GET', `/v2/timeseries/sleep/${String(night?.['id'])}/stream`);
  expect(body['heartrate']?.map(({ timestamp, value }) => [timestamp.slice(11, 19), value])).toEqual([
    ['07:05:00', 50],
    ['07:10:00', 46],
  ]);
  expect(body['hypnogram']?.map(({ value, end }) => [value, end?.slice(11, 16)])).toEqual([
    [4, '07:10'],
    [1, '07:15'],
    [2, '07:25'],
    [3, '07:35'],
  ]);
  expect(await user.summaries('sleep_cycle')).toMatchObject([
    {
      sleep_id: night?.['id'],
      session_start: `${day}T07:00:00.000Z`,
      stage_start_offset_second: [0, 600, 900, 1_500],
      stage_end_offset_second: [600, 900, 1_500, 2_100],
      stage_type: [4, 1, 2, 3],
      source: { provider: 'oura', type: 'ring' },
    },
  ]);
});

test('Workouts and the person are stored in our words and units', async () => {
  expect(await user.summaries('workouts')).toMatchObject([
    { sport: { slug: 'yoga' }, source: { type: 'ring', app_id: null } },
    {
      sport: { slug: 'cycling' },
      calories: 300,
      distance: 13_500.5,
      calendar_date: day,
      timezone_offset: -28_800,
      source: { type: 'ring', app_id: 'manual' },
    },
  ]);
  expect(await user.summaries('profile')).toMatchObject([{ height: 180, sex: 'male' }]);
});

test('A workout that is marked as manual later stays the same summary', async () => {
  const [cycling, yoga] = DOCUMENTS['workout'] as [Record<string, unknown>, Record<string, unknown>];
  let found = [{ ...yoga, source: 'confirmed' }, cycling];
  const play = (request: DataRequest) =>
    request.path.endsWith('/usercollection/workout') ? { json: { data: found } } : answer(request);
  const { team, user_id, summaries } = await pulledFrom(app, provider, 'oura', play);
  const before = await summaries('workouts');
  found = [{ ...yoga, source: 'manual' }, cycling];
  await refresh(app, team, user_id);
  const after = await summaries('workouts');
  expect(after.map(({ id }) => id)).toEqual(before.map(({ id }) => id));
  const marks = (workouts: object[]) => workouts.map((each) => (each as { source: { app_id: string } }).source.app_id);
  expect([marks(before).toSorted(), marks(after).toSorted()]).toEqual([
    ['manual', null],
    ['manual', 'manual'],
  ]);
});

test('Samples come page by page, totals of days as one sample', async () => {
  const valuesOf = async (name: string) => (await user.samples(name)).map(({ timestamp, value }) => [timestamp, value]);
  expect(await valuesOf('heartrate')).toEqual([
    [`${day}T12:00:00.000Z`, 60],
    [`${day}T12:05:00.000Z`, 61],
  ]);
  expect(await user.samples('steps')).toMatchObject([
    { start: `${day}T12:00:00.000Z`, value: 18_430, timezone_offset: -28_800, source_type: 'ring' },
  ]);
  expect(await valuesOf('respiratory_rate')).toEqual([[`${day}T14:20:00.000Z`, 12.6]]);
  expect(await valuesOf('blood_oxygen')).toEqual([[`${day}T07:00:00.000Z`, 97.4]]);
  expect(await valuesOf('vo2_max')).toEqual([[`${day}T16:00:00.000Z`, 41]]);
});

test('A night that a poll finds deleted is deleted, and others stay', async () => {
  const [own] = DOCUMENTS['sleep'] as [Record<string, unknown>];
  const nap = {
    ...own,
    id: 'nap',
    type: 'late_nap',
    bedtime_start: `${day}T14:00:00Z`,
    bedtime_end: `${day}T15:00:00Z`,
    time_in_bed: 3_600,
    total_sleep_duration: 3_000,
    awake_time: 600,
    light_sleep_duration: 3_000,
    rem_sleep_duration: 0,
    deep_sleep_duration: 0,
    latency: 60,
  };
  const gone = { id: 'nap', day, type: 'deleted' };
  let nights: object[] = [own, nap];
  const play = (request: DataRequest) =>
    request.path.endsWith('/usercollection/sleep') ? { json: { data: nights } } : answer(request);
  const { team, user_id, summaries } = await pulledFrom(app, provider, 'oura', play);
  expect(await summaries('sleep')).toHaveLength(2);
  expect(await summaries('sleep_cycle')).toHaveLength(2);
  nights = [own, gone];
  expect((await refresh(app, team, user_id)).body.refreshed_sources).toEqual(['oura']);
  expect(await summaries('sleep')).toMatchObject([{ type: 'long_sleep' }]);
  expect(await summaries('sleep_cycle')).toHaveLength(1);
});
