// Shapes of https://cloud-api.wahooligan.com/#workouts and #users
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/test-app.ts';
import { startProvider, type DataResponse, type DataRequest, type Provider } from '../../../../test/provider.ts';
import { dayAgo, pulledFrom, refresh } from '../../../../test/pulled.ts';

let provider: Provider;
let app: TestApp;
beforeAll(async () => {
  provider = await startProvider();
  app = await startTestApp(provider.env('wahoo'));
});
afterAll(async () => {
  await app.close();
  await provider.close();
});

const day = dayAgo(2);
const summary = (changes: object = {}) => ({
  id: 8_297,
  name: '',
  ascent_accum: '86.5',
  cadence_avg: '82.0',
  calories_accum: '412.0',
  distance_accum: '21482.95',
  duration_active_accum: '3540.0',
  duration_paused_accum: '60.0',
  duration_total_accum: '3600.0',
  heart_rate_avg: '141.6',
  power_avg: '187.0',
  power_bike_np_last: '201.0',
  power_bike_tss_last: '55.0',
  speed_avg: '6.07',
  work_accum: '661980.0',
  time_zone: 'America/Phoenix',
  manual: false,
  edited: false,
  file: { url: 'https://cdn.wahooligan.com/8297.fit' },
  ...changes,
});
const workout = (id: number, starts: string, changes: object = {}) => ({
  id,
  starts,
  minutes: 60,
  name: 'Cycling',
  plan_id: null,
  workout_token: 'ELEMNT 1',
  workout_type_id: 13,
  workout_summary: summary(),
  ...changes,
});
const planned = workout(4, new Date(Date.now() + 86_400_000).toISOString(), { workout_summary: null });
const noSensor = summary({
  id: 2,
  heart_rate_avg: '0.0',
  power_avg: null,
  duration_total_accum: null,
  time_zone: null,
  manual: true,
});
const WORKOUTS = [
  planned,
  workout(3, `${day}T01:30:00.000Z`),
  workout(2, `${dayAgo(9)}T12:00:00.000Z`, { workout_type_id: 999, minutes: 30, workout_summary: noSensor }),
  workout(1, '2019-01-01T12:00:00.000Z'),
];

/** Two workouts on each page, the newest first, whatever number was asked for. */
function answer({ path, query }: DataRequest): DataResponse | undefined {
  if (path === '/v1/user')
    return { json: { id: 60_462, height: '1.83', weight: '80.0', first: 'Kim', birth: '1980-10-02', gender: 1 } };
  if (path !== '/v1/workouts') return undefined;
  const page = Number(query.get('page'));
  const found = WORKOUTS.slice((page - 1) * 2, page * 2);
  return { json: { workouts: found, total: 4, page, per_page: 2, order: 'descending', sort: 'starts' } };
}

test('A user authorises, the data comes, tokens are renewed, and the end revokes them', async () => {
  const { team, user_id, summaries, pulls } = await pulledFrom(app, provider, 'wahoo', answer, { authorises: true });
  const { body } = await team.api<{ providers: object[] }>('GET', `/v2/user/providers/${user_id}`);
  expect(body.providers).toMatchObject([{ slug: 'wahoo', status: 'connected', external_user_id: '60462' }]);
  expect(provider.tokenRequests[0]?.fields['code_verifier']).toMatch(/^.{43}$/);
  expect(await pulls()).toEqual({ profile: 'success', workouts: 'success' });

  expect(await summaries('profile')).toMatchObject([{ height: 183, birth_date: '1980-10-02' }]);
  expect(await summaries('workouts')).toMatchObject([
    {
      provider_id: '2',
      sport: { slug: 'other' },
      time_end: `${dayAgo(9)}T12:30:00.000Z`,
      average_hr: null,
      average_watts: null,
      source: { type: 'unknown', app_id: 'manual' },
    },
    {
      provider_id: '3',
      calendar_date: dayAgo(3),
      sport: { slug: 'mountain_biking' },
      time_start: `${day}T01:30:00.000Z`,
      time_end: `${day}T02:30:00.000Z`,
      moving_time: 3_540,
      distance: 21_482.95,
      calories: 412,
      total_elevation_gain: 86.5,
      average_speed: 6.07,
      average_hr: 142,
      average_watts: 187,
      weighted_average_watts: 201,
      source: { app_id: null },
    },
  ]);

  provider.endAccessTokens();
  provider.tokenRequests.length = 0;
  provider.asked.length = 0;
  expect((await refresh(app, team, user_id)).body.refreshed_sources).toEqual(['wahoo']);
  expect(provider.tokenRequests.map(({ fields }) => fields['grant_type'])).toEqual(['refresh_token']);
  // The poll requests no page after a page that has only workouts from before the polled days.
  expect(provider.asked.map(({ query }) => query.get('page'))).toEqual(['1', '2']);

  provider.revoked.length = 0;
  await team.api('DELETE', `/v2/user/${user_id}/wahoo`);
  await app.runJobs();
  expect(provider.revoked).toEqual([expect.stringMatching(/^access-/)]);
});

test('Nothing is asked for that the user did not grant', async () => {
  provider.asked.length = 0;
  const { pulls } = await pulledFrom(app, provider, 'wahoo', answer, { scopes: ['user_read'] });
  expect(await pulls()).toEqual({ profile: 'success' });
  expect(provider.asked.map(({ path }) => path)).toEqual(['/v1/user']);
});

test('An answer without a list ends the pull, and half an answer is asked for again', async () => {
  const none = await pulledFrom(app, provider, 'wahoo', () => ({ json: { workouts: {} } }), {
    scopes: ['workouts_read'],
  });
  expect(await none.pulls()).toEqual({ workouts: 'failure' });
  const half = await pulledFrom(app, provider, 'wahoo', () => ({ text: '{"workouts": [' }), {
    scopes: ['workouts_read'],
  });
  expect(await half.pulls()).toEqual({ workouts: 'retrying' });
});

test("The past waits at most of an hour's limit, and everything waits at all of it", async () => {
  let left = [4_000, 150, 150];
  let reset = 0;
  const limited = (request: DataRequest): DataResponse => ({
    ...(answer(request) as object),
    headers: {
      'x-ratelimit-limit': '5000, 1000, 200',
      'x-ratelimit-remaining': left.join(', '),
      'x-ratelimit-reset': String(reset),
    },
  });
  const { team, user_id, pulls } = await pulledFrom(app, provider, 'wahoo', limited);
  expect(Object.values(await pulls())).toContain('retrying');
  expect((await refresh(app, team, user_id)).body.refreshed_sources).toEqual(['wahoo']);
  [left, reset] = [[4_000, 150, 0], 300];
  await refresh(app, team, user_id);
  const before = provider.asked.length;
  expect((await refresh(app, team, user_id)).body.in_progress_sources).toEqual(['wahoo']);
  expect(provider.asked.length).toBe(before);
});
