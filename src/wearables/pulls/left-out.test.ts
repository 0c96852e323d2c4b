// Nights and workouts with parts longer than themselves: the impossible values are left out, and the connection counts
// them.
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { startProvider, type DataResponse, type DataRequest, type Provider } from '../../../test/provider.ts';
import { dayAgo, pulledFrom, refresh, type Pulled } from '../../../test/pulled.ts';

let provider: Provider;
let app: TestApp;
beforeAll(async () => {
  provider = await startProvider();
  app = await startTestApp({ ...provider.env('whoop_v2'), ...provider.env('strava') });
});
afterAll(async () => {
  await app.close();
  await provider.close();
});

type Skipped = { type: string; reason: string; records: number }[];
const skippedOf = async ({ team, user_id }: Pulled): Promise<Skipped | undefined> => {
  const { body } = await team.api<{ providers: { skipped: Skipped }[] }>('GET', `/v2/user/providers/${user_id}`);
  return body.providers[0]?.skipped;
};
const hours = (many: number): number => many * 3_600_000;
/** A night with eight hours in bed. */
const night = (days: number, stages: { light?: number; awake?: number; inBed?: number }) => ({
  id: `night-${days}`,
  start: `${dayAgo(days)}T00:00:00Z`,
  end: `${dayAgo(days)}T08:00:00Z`,
  timezone_offset: '+00:00',
  score: {
    stage_summary: {
      total_in_bed_time_milli: hours(stages.inBed ?? 8),
      total_light_sleep_time_milli: hours(stages.light ?? 4),
      total_slow_wave_sleep_time_milli: hours(2),
      total_rem_sleep_time_milli: hours(1),
      total_awake_time_milli: hours(stages.awake ?? 1),
    },
  },
});
const run = (id: number, moving_time: number) => ({
  id,
  sport_type: 'Run',
  start_date: `${dayAgo(1)}T12:0${id}:00Z`,
  elapsed_time: 600,
  moving_time,
  distance: 2_000,
});

test('a night with more sleep than its length is left out; another loses only the value that is too long', async () => {
  const nights = [night(1, {}), night(9, { light: 20 }), night(8, { awake: 10, inBed: 9 })];
  const played = ({ path, query }: DataRequest): DataResponse => {
    const asked = ({ start }: { start: string }) =>
      start >= (query.get('start') ?? '') && start < (query.get('end') ?? '');
    return { json: { records: path.endsWith('/activity/sleep') ? nights.filter(asked) : [] } };
  };
  const pulled = await pulledFrom(app, provider, 'whoop_v2', played);
  expect(await pulled.summaries('sleep')).toMatchObject([
    { bedtime_start: `${dayAgo(8)}T00:00:00.000Z`, total: 25_200, awake: 0, duration: 28_800, light: 14_400 },
    { bedtime_start: `${dayAgo(1)}T00:00:00.000Z`, total: 25_200, awake: 3_600, duration: 28_800, light: 14_400 },
  ]);
  expect(await skippedOf(pulled)).toEqual([{ type: 'sleep', reason: 'impossible', records: 2 }]);
  const { body } = await pulled.team.api<{ data: { provider: Record<string, { pulled: Record<string, object> }> }[] }>(
    'GET',
    `/v2/introspect/historical_pull?user_id=${pulled.user_id}`,
  );
  expect(body.data[0]?.provider['whoop_v2']?.pulled).toMatchObject({
    sleep: { skipped: [{ type: 'sleep', reason: 'impossible', records: 2 }] },
    workouts: { skipped: [] },
  });
});

test('the count of records that polls leave out is that of the last poll, however many there were', async () => {
  let runs = [run(1, 500)];
  const played = ({ path, query }: DataRequest): DataResponse => {
    const one = runs.find(({ id }) => path.endsWith(`/activities/${id}`));
    if (one) return { json: { ...one, resource_state: 3 } };
    if (path.endsWith('/streams')) return { json: {} };
    return { json: path.endsWith('/activities') && query.get('page') === '1' ? runs : [] };
  };
  const pulled = await pulledFrom(app, provider, 'strava', played);
  expect(await skippedOf(pulled)).toEqual([]);
  runs = [run(1, 500), run(2, 700)];
  await refresh(app, pulled.team, pulled.user_id);
  await refresh(app, pulled.team, pulled.user_id);
  const shown = (await pulled.summaries('workouts')).map(({ moving_time, distance }) => [moving_time, distance]);
  expect(shown).toEqual([
    [500, 2_000],
    [null, 2_000],
  ]);
  expect(await skippedOf(pulled)).toEqual([{ type: 'workouts', reason: 'impossible', records: 1 }]);
  runs = [run(1, 500)];
  await refresh(app, pulled.team, pulled.user_id);
  expect(await skippedOf(pulled)).toEqual([]);
});

test('records that both the pull of the past and polls of the same days leave out are counted once', async () => {
  const nights = [night(1, { light: 20 }), night(9, { light: 20 })];
  const played = ({ path, query }: DataRequest): DataResponse => {
    const asked = ({ start }: { start: string }) =>
      start >= (query.get('start') ?? '') && start < (query.get('end') ?? '');
    return { json: { records: path.endsWith('/activity/sleep') ? nights.filter(asked) : [] } };
  };
  const pulled = await pulledFrom(app, provider, 'whoop_v2', played);
  const counted = (records: number): Skipped => [{ type: 'sleep', reason: 'impossible', records }];
  expect(await skippedOf(pulled)).toEqual(counted(2));
  await refresh(app, pulled.team, pulled.user_id);
  expect(await skippedOf(pulled)).toEqual(counted(2));
  // A poll leaves out more records than the pull.
  nights.push(night(2, { light: 20 }), night(3, { light: 20 }));
  await refresh(app, pulled.team, pulled.user_id);
  expect(await skippedOf(pulled)).toEqual(counted(3));
  // Moves the range of the pull to before the days that polls cover. Then no record is in both, and both counts are
  // added.
  await sql`update pulls set range_end = range_end - interval '100 days' where user_id = ${pulled.user_id}`.execute(
    app.db,
  );
  expect(await skippedOf(pulled)).toEqual(counted(2 + 3));
});
