// Shapes of https://www.polar.com/accesslink-api/
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/test-app.ts';
import { startProvider, type DataResponse, type DataRequest, type Provider } from '../../../../test/provider.ts';
import { dayAgo, pulledFrom, refresh } from '../../../../test/pulled.ts';

let provider: Provider;
let app: TestApp;
beforeAll(async () => {
  provider = await startProvider();
  app = await startTestApp(provider.env('polar'));
});
beforeEach(async () => {
  await sql`delete from provider_waits`.execute(app.db);
  provider.asked.length = 0;
  provider.revoked.length = 0;
  // Polar gives no refresh token. Its `expires_in` says that the access token ends after a year, but the token does not
  // end.
  provider.wrap(({ refresh_token: _, ...answer }) => ({ ...answer, expires_in: 31_535_999 }));
});
afterAll(async () => {
  await app.close();
  await provider.close();
});

const [day, before] = [dayAgo(2), dayAgo(3)];
const NIGHT = {
  polar_user: 'https://www.polaraccesslink/v3/users/1',
  date: day,
  sleep_start_time: `${before}T23:39:07+03:00`,
  sleep_end_time: `${day}T07:19:37+03:00`,
  device_id: '1111AAAA',
  light_sleep: 15_000,
  deep_sleep: 5_000,
  rem_sleep: 6_000,
  unrecognized_sleep_stage: 100,
  sleep_score: 80,
  total_interruption_duration: 1_500,
  sleep_cycles: 6,
  hypnogram: { '23:39': 0, '23:50': 3, '00:23': 4, '01:10': 2, '07:00': 1 },
  heart_rate_samples: { '23:41': 61, '00:01': 55 },
};
const RECHARGE = {
  date: day,
  heart_rate_avg: 54,
  beat_to_beat_avg: 1_100,
  heart_rate_variability_avg: 48,
  breathing_rate_avg: 14.1,
  nightly_recharge_status: 3,
  ans_charge: 0.5,
  hrv_samples: { '00:01': 44 },
  breathing_samples: { '00:01': 13.4, '00:06': 13.9 },
};
const EXERCISE = {
  id: '2AC312F',
  upload_time: `${day}T16:00:00.000Z`,
  device: 'Polar Vantage V3',
  start_time: `${day}T17:30:00`,
  start_time_utc_offset: 180,
  duration: 'PT1H2M3.500S',
  calories: 530,
  distance: 10_600,
  heart_rate: { average: 129, maximum: 157 },
  sport: 'RUNNING',
  detailed_sport_info: 'TRAIL_RUNNING',
  has_route: true,
};
const SAMPLES = {
  ...EXERCISE,
  samples: [
    { 'recording-rate': 5, 'sample-type': '0', data: '98,null,104' },
    { 'recording-rate': 5, 'sample-type': '1', data: '9,10.8' },
    { 'recording-rate': 60, 'sample-type': '3', data: '120' },
    { 'recording-rate': null, 'sample-type': '11', data: '600,610' },
  ],
  route: [
    { latitude: 60.2, longitude: 24.9, time: 'PT0S' },
    { latitude: 60.3, longitude: 25, time: 'PT10.026S' },
  ],
};

const ANSWERS: Record<string, unknown> = {
  '/v3/users': { 'polar-user-id': 475 },
  '/v3/users/physical-info': {
    weight: 70.5,
    height: 175.4,
    birthday: '1990-01-01',
    gender: 'FEMALE',
    weight_source: 'SOURCE_USER',
    modified: `${day}T12:00:00Z`,
  },
  '/v3/users/sleep': { nights: [NIGHT] },
  '/v3/users/nightly-recharge': { recharges: [RECHARGE] },
  '/v3/exercises': [EXERCISE],
  '/v3/exercises/2AC312F': SAMPLES,
};

function answer({ path, query }: DataRequest): DataResponse | undefined {
  const isAsked = (date: string): boolean => String(query.get('from')) <= date && date <= String(query.get('to'));
  if (path === '/v3/users/activities')
    return {
      json: [
        {
          start_time: `${day}T00:00:00`,
          calories: 2_500,
          active_calories: 700,
          steps: 8_823,
          distance_from_steps: 4_590.5,
        },
      ].filter(({ start_time }) => isAsked(start_time.slice(0, 10))),
    };
  if (path === '/v3/users/continuous-heart-rate')
    return {
      json: {
        heart_rates: [{ date: day, heart_rate_samples: [{ heart_rate: 63, sample_time: '12:02:08' }] }].filter(
          ({ date }) => isAsked(date),
        ),
      },
    };
  return path in ANSWERS ? { json: ANSWERS[path] } : undefined;
}

test('A user authorises and is registered, the data comes, and the end revokes the token', async () => {
  provider.user('475');
  const { team, user_id, summaries, samples, pulls } = await pulledFrom(app, provider, 'polar', answer, {
    authorises: true,
    zone: 'Europe/Helsinki',
  });
  const pair = Buffer.from('client-of-polar:secret-of-polar').toString('base64');
  expect(provider.tokenRequests[0]).toMatchObject({ path: '/v2/oauth2/token', authorization: `Basic ${pair}` });
  expect(provider.asked[0]).toMatchObject({ method: 'POST', path: '/v3/users' });
  expect(JSON.parse(provider.asked[0]?.body ?? '')).toEqual({ 'member-id': expect.stringMatching(/^[0-9a-f-]{36}$/) });
  const { body } = await team.api<{ providers: object[] }>('GET', `/v2/user/providers/${user_id}`);
  expect(body.providers).toMatchObject([{ slug: 'polar', status: 'connected', external_user_id: '475' }]);
  expect(Object.keys(await pulls())).toHaveLength(10);
  expect(new Set(Object.values(await pulls()))).toEqual(new Set(['success']));

  expect(await summaries('profile')).toMatchObject([{ height: 175, birth_date: '1990-01-01', sex: 'female' }]);
  expect(await summaries('body')).toMatchObject([{ weight: 70.5, calendar_date: day }]);
  expect(await summaries('activity')).toMatchObject([
    { calendar_date: day, calories_total: 2_500, calories_active: 700, steps: 8_823, distance: 4_590.5 },
  ]);
  expect(await summaries('workouts')).toMatchObject([
    {
      provider_id: '2AC312F',
      sport: { slug: 'trail_running' },
      time_start: `${day}T14:30:00.000Z`,
      time_end: `${day}T15:32:03.500Z`,
      timezone_offset: 10_800,
      calories: 530,
      distance: 10_600,
      average_hr: 129,
      max_hr: 157,
    },
  ]);
  expect(await samples('heartrate')).toMatchObject([{ value: 63, timezone_offset: null }]);
  expect(await samples('hrv')).toMatchObject([{ timestamp: `${before}T21:01:00.000Z`, value: 44 }]);
  expect((await samples('respiratory_rate')).map(({ value }) => value)).toEqual([13.4, 13.9]);

  const row = await sql<{ tokens_expire_at: string | null }>`
    select tokens_expire_at from connections where user_id = ${user_id}`.execute(app.db);
  expect(row.rows).toEqual([{ tokens_expire_at: null }]);
  expect((await refresh(app, team, user_id)).body.refreshed_sources).toEqual(['polar']);
  expect(provider.asked.filter(({ path }) => path === '/v3/exercises/2AC312F')).toHaveLength(1);

  await team.api('DELETE', `/v2/user/${user_id}/polar`);
  await app.runJobs();
  expect(provider.revoked).toEqual([expect.stringMatching(/^access-/)]);
  expect(provider.ended).toEqual(['/v3/users/475']);
});

test('Nights have stages by the local clock, and the samples of the night', async () => {
  const { team, summaries } = await pulledFrom(app, provider, 'polar', answer);
  const [night] = await summaries('sleep');
  expect(night).toMatchObject({
    calendar_date: day,
    bedtime_start: `${before}T20:39:07.000Z`,
    duration: 27_630,
    total: 26_100,
    awake: 1_500,
    light: 15_000,
    deep: 5_000,
    rem: 6_000,
    score: 80,
    hr_average: 54,
    average_hrv: 48,
    respiratory_rate: 14.1,
    timezone_offset: 10_800,
  });
  type Stream = Record<string, { timestamp: string; value: number; end?: string }[]>;
  const { body } = await team.api<Stream>('GET', `/v2/timeseries/sleep/${String(night?.['id'])}/stream`);
  const valuesOf = (name: string) => body[name]?.map(({ timestamp, value }) => [timestamp.slice(11, 19), value]);
  expect(valuesOf('hypnogram')).toEqual([
    ['20:39:07', 4],
    ['20:50:00', 2],
    ['21:23:00', 1],
    ['22:10:00', 2],
    ['04:00:00', 3],
  ]);
  expect(body['hypnogram']?.at(-1)?.end).toBe(`${day}T04:19:37.000Z`);
  expect(valuesOf('heartrate')).toEqual([
    ['20:41:00', 61],
    ['21:01:00', 55],
  ]);
});

test('Points of an exercise come at the shortest recording interval of most of its series', async () => {
  const { team, summaries } = await pulledFrom(app, provider, 'polar', answer);
  const [{ id } = {}] = await summaries('workouts');
  const { body } = await team.api<Record<string, unknown[]>>('GET', `/v2/timeseries/workouts/${String(id)}/stream`);
  const start = Date.parse(`${day}T14:30:00Z`) / 1_000;
  expect(body).toMatchObject({
    time: [start, start + 5, start + 10],
    heartrate: [98, null, 104],
    velocity_smooth: [2.5, 3, null],
    lat: [60.2, null, 60.3],
    lng: [24.9, null, 25],
  });
});

test('Requests cover at most 28 days, none of them in the future', async () => {
  await pulledFrom(app, provider, 'polar', answer);
  const spans = provider.asked.flatMap(({ query }) => {
    const [from, to] = [query.get('from'), query.get('to')];
    return from === null || to === null ? [] : [{ from, to }];
  });
  expect(spans.length).toBeGreaterThan(5);
  for (const { from, to } of spans) {
    expect((Date.parse(to) - Date.parse(from)) / 86_400_000 + 1).toBeLessThanOrEqual(28);
    expect(to <= dayAgo(0)).toBe(true);
  }
});

test("The past waits where most of a quarter of an hour's limit is used; no content means no data", async () => {
  const nothing = await pulledFrom(app, provider, 'polar', () => ({ status: 204, text: '' }));
  expect(new Set(Object.values(await nothing.pulls()))).toEqual(new Set(['success']));
  const headers = { 'ratelimit-usage': '450, 900', 'ratelimit-limit': '520, 5100', 'ratelimit-reset': '234, 34567' };
  const { pulls } = await pulledFrom(app, provider, 'polar', (request) => ({
    ...(answer(request) as object),
    headers,
  }));
  expect(Object.values(await pulls())).toContain('retrying');
  const { rows } = await sql<{ seconds: number }>`
    select extract(epoch from past_until - now())::float8 as seconds from provider_waits
      where provider = 'polar'`.execute(app.db);
  expect(rows[0]?.seconds).toBeGreaterThan(200);
  expect(rows[0]?.seconds).toBeLessThan(240);
});

test('A registered account is connected; a refused one is not, and neither is an expired token', async () => {
  const known = (request: DataRequest): DataResponse | undefined =>
    request.path === '/v3/users' ? { status: 409, json: {} } : answer(request);
  const { team, user_id, pulls } = await pulledFrom(app, provider, 'polar', known, { authorises: true });
  expect(Object.values(await pulls())).toContain('success');
  provider.endAccessTokens();
  await refresh(app, team, user_id);
  const { body } = await team.api<{ providers: { status: string }[] }>('GET', `/v2/user/providers/${user_id}`);
  expect(body.providers[0]?.status).toBe('error');
  const refused = (): DataResponse => ({ status: 403, json: {} });
  await expect(pulledFrom(app, provider, 'polar', refused, { authorises: true })).rejects.toThrow();
});
