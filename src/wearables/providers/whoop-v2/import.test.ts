// Shapes of https://developer.whoop.com/api
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/test-app.ts';
import { startProvider, type DataResponse, type DataRequest, type Provider } from '../../../../test/provider.ts';
import { dayAgo, pulledFrom, refresh } from '../../../../test/pulled.ts';

let provider: Provider;
let app: TestApp;
beforeAll(async () => {
  provider = await startProvider();
  app = await startTestApp(provider.env('whoop_v2'));
});
afterAll(async () => {
  await app.close();
  await provider.close();
});

const [day, before] = [dayAgo(2), dayAgo(3)];
const record = { user_id: 10_129, timezone_offset: '-07:00', score_state: 'SCORED' };
const NIGHT = {
  ...record,
  id: 'ecfc6a15-4661-442f-a9a4-f160dd7afae8',
  cycle_id: 93_845,
  created_at: `${day}T13:30:44.774Z`,
  updated_at: `${day}T13:31:44.774Z`,
  start: `${day}T05:25:44.774Z`,
  end: `${day}T13:25:44.774Z`,
  nap: false,
  score: {
    stage_summary: {
      total_in_bed_time_milli: 28_800_000,
      total_awake_time_milli: 1_800_000,
      total_no_data_time_milli: 0,
      total_light_sleep_time_milli: 14_400_000,
      total_slow_wave_sleep_time_milli: 5_400_000,
      total_rem_sleep_time_milli: 7_200_000,
      sleep_cycle_count: 4,
      disturbance_count: 9,
    },
    respiratory_rate: 15.5,
    sleep_performance_percentage: 91,
    sleep_consistency_percentage: 80,
    sleep_efficiency_percentage: 93.75,
  },
};
const RECOVERY = {
  cycle_id: 93_845,
  sleep_id: NIGHT.id,
  user_id: 10_129,
  created_at: `${day}T13:30:44.774Z`,
  updated_at: `${day}T13:31:44.774Z`,
  score_state: 'SCORED',
  score: {
    user_calibrating: false,
    recovery_score: 44,
    resting_heart_rate: 54,
    hrv_rmssd_milli: 61.5,
    spo2_percentage: 95.5,
    skin_temp_celsius: 33.5,
  },
};
const CYCLE = {
  ...record,
  id: 93_845,
  start: `${day}T05:25:44.774Z`,
  end: null,
  score: { strain: 5.3, kilojoule: 8_368, average_heart_rate: 68, max_heart_rate: 141 },
};
const WORKOUT = {
  ...record,
  id: '1a3f8c2d-0f6b-4a55-9b0e-57a41c9f0c11',
  start: `${day}T18:00:00.000Z`,
  end: `${day}T19:00:00.000Z`,
  sport_name: 'Functional Fitness',
  score: {
    strain: 8.2,
    average_heart_rate: 123,
    max_heart_rate: 146,
    kilojoule: 1_255.2,
    percent_recorded: 100,
    distance_meter: 1_772.5,
    altitude_gain_meter: 46.5,
    zone_durations: {
      zone_zero_milli: 300_000,
      zone_one_milli: 600_400,
      zone_two_milli: 900_000,
      zone_three_milli: 1_200_000,
      zone_four_milli: 540_000,
      zone_five_milli: 60_000,
    },
  },
};
const PENDING = { ...record, score_state: 'PENDING_SCORE', nap: false, start: `${before}T20:00:00Z` };

const RECORDS: Record<string, Record<string, unknown>[]> = {
  cycle: [CYCLE],
  recovery: [RECOVERY],
  sleep: [NIGHT, { ...PENDING, id: 'night-2', end: `${before}T21:00:00Z` }],
  workout: [WORKOUT, { ...PENDING, id: 'workout-2', sport_name: 'yoga', end: `${before}T21:00:00Z` }],
};

/** Returns one page of the records that begin in the window. Each page has one record. */
function answer({ path, query }: DataRequest): DataResponse | undefined {
  if (path.endsWith('/measurement/body'))
    return { json: { height_meter: 1.8288, weight_kilogram: 90.7, max_heart_rate: 200 } };
  const [start = '', end = ''] = [query.get('start'), query.get('end')].map(String);
  const all = RECORDS[path.split('/').at(-1) ?? ''];
  const found = all?.filter(({ start: at = NIGHT.start }) => String(at) >= start && String(at) < end);
  const page = Number(query.get('nextToken') ?? 0);
  const next_token = found && page + 1 < found.length ? String(page + 1) : null;
  return found && { json: { records: found.slice(page, page + 1), next_token } };
}

test('A user authorises, the data comes, tokens are renewed, and the end revokes them', async () => {
  provider.user('10129');
  const { team, user_id, summaries, samples, pulls } = await pulledFrom(app, provider, 'whoop_v2', answer, {
    authorises: true,
  });
  const { body } = await team.api<{ providers: { external_user_id: string }[] }>(
    'GET',
    `/v2/user/providers/${user_id}`,
  );
  expect(body.providers).toMatchObject([{ slug: 'whoop_v2', status: 'connected', external_user_id: '10129' }]);
  expect(new Set(Object.values(await pulls()))).toEqual(new Set(['success']));
  expect(Object.keys(await pulls())).toHaveLength(8);

  const source = { provider: 'whoop_v2', type: 'watch' };
  expect(await summaries('profile')).toMatchObject([{ height: 183, source }]);
  expect(await summaries('body')).toMatchObject([{ weight: 90.7, source }]);
  expect(await summaries('activity')).toMatchObject([
    { calendar_date: day, calories_total: 2_000, heart_rate: { avg_bpm: 68, max_bpm: 141 }, timezone_offset: -25_200 },
  ]);
  expect(await summaries('sleep')).toMatchObject([
    {
      calendar_date: day,
      bedtime_start: NIGHT.start,
      type: 'long_sleep',
      duration: 28_800,
      total: 27_000,
      awake: 1_800,
      light: 14_400,
      deep: 5_400,
      rem: 7_200,
      score: 91,
      efficiency: 93.75,
      respiratory_rate: 15.5,
      recovery_readiness_score: 44,
      hr_resting: 54,
      average_hrv: 61.5,
      skin_temperature: 33.5,
    },
  ]);
  expect(await summaries('workouts')).toMatchObject([
    { sport: { slug: 'yoga' }, calories: null },
    {
      sport: { slug: 'functional_fitness' },
      calories: 300,
      average_hr: 123,
      max_hr: 146,
      distance: 1_772.5,
      hr_zones: [300, 600, 900, 1_200, 540, 60],
    },
  ]);
  expect(await samples('hrv')).toMatchObject([{ timestamp: RECOVERY.created_at, value: 61.5 }]);
  expect(await samples('blood_oxygen')).toMatchObject([{ value: 95.5 }]);
  expect(await samples('respiratory_rate')).toMatchObject([{ timestamp: NIGHT.end, timezone_offset: -25_200 }]);

  // The token ends early. It is renewed with the scope that brings the next refresh token.
  provider.endAccessTokens();
  provider.tokenRequests.length = 0;
  expect((await refresh(app, team, user_id)).body.refreshed_sources).toEqual(['whoop_v2']);
  expect(provider.tokenRequests.map(({ fields }) => [fields['grant_type'], fields['scope']])).toEqual([
    ['refresh_token', 'offline'],
  ]);

  provider.revoked.length = 0;
  await team.api('DELETE', `/v2/user/${user_id}/whoop_v2`);
  await app.runJobs();
  expect(provider.revoked).toEqual([expect.stringMatching(/^access-/)]);
});

test('The provider is notified of the end of a connection, also with an expired access token', async () => {
  const { team, user_id } = await pulledFrom(app, provider, 'whoop_v2', answer, { authorises: true });
  provider.revoked.length = 0;
  const ended = provider.asked.at(-1)?.token;
  provider.endAccessTokens();
  await team.api('DELETE', `/v2/user/${user_id}/whoop_v2`);
  await app.runJobs();
  expect(provider.revoked).toEqual([expect.stringMatching(/^access-/)]);
  expect(provider.revoked).not.toEqual([ended]);
});

test('Nothing is asked for that the user did not grant', async () => {
  provider.asked.length = 0;
  const { pulls } = await pulledFrom(app, provider, 'whoop_v2', answer, { scopes: ['offline', 'read:workout'] });
  expect(await pulls()).toEqual({ workouts: 'success' });
  expect(new Set(provider.asked.map(({ path }) => path))).toEqual(new Set(['/developer/v2/activity/workout']));
});

test("The past waits at most of a minute's limit, and polls continue up to all of it", async () => {
  const headers = (remaining: number) => ({
    'x-ratelimit-limit': '100, 100;window=60, 10000;window=86400',
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': '40',
  });
  let left = 15;
  const { team, user_id, pulls } = await pulledFrom(app, provider, 'whoop_v2', (request) => ({
    ...(answer(request) as object),
    headers: headers(left),
  }));
  expect(Object.values(await pulls())).toContain('retrying');
  expect((await refresh(app, team, user_id)).body.refreshed_sources).toEqual(['whoop_v2']);
  left = 0;
  await refresh(app, team, user_id);
  expect((await refresh(app, team, user_id)).body.in_progress_sources).toEqual(['whoop_v2']);
});
