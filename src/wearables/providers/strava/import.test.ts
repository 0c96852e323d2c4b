// The whole life of a connection to Strava: connecting, past data, new data, faults and the end. The responses have the
// shape of https://developers.strava.com/docs/reference/#api-models-SummaryActivity and #api-models-StreamSet.
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../../../test/test-app.ts';
import { importConnection, linkTokenOf, makeUser } from '../../../../test/factories.ts';
import { startProvider, type DataResponse, type DataRequest, type Provider } from '../../../../test/provider.ts';
import { expectMadeAgain, refresh as refreshUser } from '../../../../test/pulled.ts';
import { publishedTo } from '../../../../test/publish-event.ts';

const DAY_S = 86_400;
const SCOPES = ['read', 'activity:read_all', 'profile:read_all'];

let provider: Provider;
let app: TestApp;
let team: Team;
let user: { user_id: string };
let activities: Record<string, unknown>[];
/** Each function here answers one of the next requests instead of `answer`. */
let faults: ((request: DataRequest) => DataResponse | undefined)[];

beforeAll(async () => {
  provider = await startProvider();
  app = await startTestApp(provider.env('strava'));
});
afterAll(async () => {
  await app.close();
  await provider.close();
});
beforeEach(async () => {
  team = await app.makeTeam();
  user = await makeUser(team);
  activities = [];
  faults = [];
  provider.asked.length = 0;
  provider.grant(SCOPES);
  provider.play((request) => faults.shift()?.(request) ?? answer(request));
});
afterEach(async () => {
  await expectMadeAgain(app, team, 'strava');
  await sql`delete from provider_waits`.execute(app.db);
});

const now = (): number => Math.floor(Date.now() / 1_000);
let last = 8_529_483;

/** A run in the morning, `daysAgo`. */
function run(daysAgo: number, changes: Record<string, unknown> = {}): Record<string, unknown> {
  const start = new Date((now() - daysAgo * DAY_S) * 1_000).toISOString();
  last += 1;
  return {
    resource_state: 2,
    id: last,
    name: 'Morning run',
    athlete: { id: 134815, resource_state: 1 },
    distance: 8_051.3,
    moving_time: 2_500,
    elapsed_time: 2_700,
    total_elevation_gain: 51.6,
    type: 'Run',
    sport_type: 'TrailRun',
    start_date: `${start.slice(0, 19)}Z`,
    start_date_local: `${start.slice(0, 10)}T07:00:00Z`,
    timezone: '(GMT-07:00) America/Phoenix',
    utc_offset: -25_200,
    map: { id: `a${last}`, summary_polyline: 'ki{eFvqfiVqAWQIGEEKAYJgBVqDJ{BHa@', resource_state: 2 },
    trainer: false,
    manual: false,
    average_speed: 3.22,
    max_speed: 4.8,
    average_watts: 175.3,
    device_watts: false,
    has_heartrate: true,
    average_heartrate: 140.3,
    max_heartrate: 178,
    elev_high: 360.5,
    elev_low: 340.1,
    ...changes,
  };
}

const STREAMS = {
  time: { data: [0, 1, 3], series_type: 'distance', original_size: 3, resolution: 'high' },
  distance: { data: [0, 2.9, 9.1], series_type: 'distance', original_size: 3, resolution: 'high' },
  heartrate: { data: [101, 102, 110], series_type: 'distance', original_size: 3, resolution: 'high' },
  latlng: {
    data: [
      [33.44, -112.07],
      [33.45, -112.07],
      [33.46, -112.07],
    ],
    series_type: 'distance',
    original_size: 3,
    resolution: 'high',
  },
};

/** #api-models-DetailedActivity */
const inFull = (activity: Record<string, unknown>): Record<string, unknown> => ({
  ...activity,
  resource_state: 3,
  calories: 612.4,
  map: { ...(activity['map'] as object), polyline: 'ki{eFvqfiVqAWQIGEEKAYJgBVqDJ{BHa@jAkNJw@' },
});
const detailsAsked = (): number => provider.asked.filter(({ path }) => /\/activities\/\d+$/.test(path)).length;

function answer({ path, query }: DataRequest): DataResponse | undefined {
  if (path.endsWith('/streams')) return { json: STREAMS };
  if (path.endsWith('/athlete')) return { json: { id: 134815, resource_state: 3, sex: 'F', weight: 60 } };
  const [, id] = /\/activities\/(\d+)$/.exec(path) ?? [];
  const whole = id === undefined ? undefined : activities.find((each) => String(each['id']) === id);
  if (whole) return { json: inFull(whole) };
  if (!path.endsWith('/athlete/activities')) return undefined;
  const [after, before, page, perPage] = ['after', 'before', 'page', 'per_page'].map((name) => Number(query.get(name)));
  const found = activities.filter(({ start_date }) => {
    const at = Date.parse(start_date as string) / 1_000;
    return at > (after as number) && at < (before as number);
  });
  return { json: found.slice(((page as number) - 1) * (perPage as number), (page as number) * (perPage as number)) };
}

/** Does what the user's browser does: it opens Strava's page, where the user agrees, and comes back. */
async function authorise(): Promise<void> {
  const { link_token } = await linkTokenOf(team, user.user_id);
  const open = (url: string, cookie = '') => fetch(url, { redirect: 'manual', headers: { cookie } });
  const left = await open(`${app.baseUrl}/v2/link/oauth/strava/start?token=${link_token}`);
  const back = await open(left.headers.get('location') as string);
  const { pathname, search } = new URL(back.headers.get('location') as string);
  await open(app.baseUrl + pathname + search, (left.headers.get('set-cookie') as string).split(';')[0]);
}
const connect = async () => {
  await authorise();
  await app.runJobs();
};
const later = () => sql`update graphile_worker._private_jobs set run_at = now() where run_at > now()`.execute(app.db);
const refresh = () => refreshUser(app, team, user.user_id);
type Workout = Record<string, unknown> & { id: string };
const workouts = async (): Promise<Workout[]> =>
  (
    await team.api<{ workouts: Workout[] }>(
      'GET',
      `/v2/summary/workouts/${user.user_id}?start_date=${new Date((now() - 30 * DAY_S) * 1_000).toISOString().slice(0, 10)}`,
    )
  ).body.workouts;
const publishedTypes = async (): Promise<string[]> =>
  (await publishedTo(app, team)).map(({ event_type }) => event_type);
const pulls = async (): Promise<Record<string, { status: string; error_details: string | null }>> => {
  const { rows } = await sql<{ resource: string; status: string; error_details: string | null }>`
    select resource, status, error_details from pulls where user_id = ${user.user_id}`.execute(app.db);
  return Object.fromEntries(rows.map(({ resource, ...pull }) => [resource, pull]));
};
const connection = async (): Promise<string | undefined> =>
  (await team.api<{ providers: { status: string }[] }>('GET', `/v2/user/providers/${user.user_id}`)).body.providers[0]
    ?.status;

describe('a connection to Strava', () => {
  test('brings the past with one event for each resource, then new data, and is revoked at the end', async () => {
    activities = [run(10), run(3)];
    await connect();
    expect(await pulls()).toEqual({
      profile: { status: 'success', error_details: null },
      workouts: { status: 'success', error_details: null },
      workout_stream: { status: 'success', error_details: null },
    });
    const types = await publishedTypes();
    expect(types.filter((type) => type.startsWith('historical')).toSorted()).toEqual([
      'historical.data.profile.created',
      'historical.data.workout_stream.created',
      'historical.data.workouts.created',
    ]);
    expect(types.filter((type) => type === 'daily.data.workouts.created')).toHaveLength(2);
    expect(types.filter((type) => type === 'daily.data.workout_stream.created')).toHaveLength(2);

    // Strava now also has a workout that arrived late. Another workout has a new name.
    activities = [...activities.slice(0, 1), { ...activities[1], name: 'Renamed' }, run(1)];
    activities[1] = { ...activities[1], start_date: new Date((now() - DAY_S) * 1_000).toISOString() };
    expect((await refresh()).body.refreshed_sources).toEqual(['strava']);
    expect(await workouts()).toHaveLength(3);
    expect((await publishedTypes()).slice(types.length).toSorted()).toEqual([
      'daily.data.workout_stream.created',
      'daily.data.workouts.created',
      // One workout has a new name. The other one has heart rate zones, because its points have arrived.
      'daily.data.workouts.updated',
      'daily.data.workouts.updated',
    ]);
    const before = (await publishedTypes()).length;
    await refresh();
    expect(await publishedTypes()).toHaveLength(before);

    await team.api('DELETE', `/v2/user/${user.user_id}/strava`);
    await app.runJobs();
    expect(provider.revoked.at(-1)).toBe(provider.asked.at(-1)?.token);
    expect(await connection()).toBeUndefined();
    expect((await refresh()).status).toBe(400);
    expect(await workouts()).toHaveLength(3);
  });

  test('brings workouts in our units and words, with their points', async () => {
    const activity = run(1);
    activities = [activity];
    await connect();
    const start = Date.parse(activity['start_date'] as string);
    const [workout] = await workouts();
    expect(workout).toMatchObject({
      provider_id: String(activity['id']),
      title: 'Morning run',
      sport: { slug: 'trail_run', name: 'Trail run' },
      calendar_date: String(activity['start_date_local']).slice(0, 10),
      timezone_offset: -25_200,
      time_start: new Date(start).toISOString(),
      time_end: new Date(start + 2_700_000).toISOString(),
      average_hr: 140,
      max_hr: 178,
      distance: 8_051.3,
      moving_time: 2_500,
      calories: 612.4,
      total_elevation_gain: 51.6,
      average_watts: 175.3,
      device_watts: null,
      map: {
        polyline: 'ki{eFvqfiVqAWQIGEEKAYJgBVqDJ{BHa@jAkNJw@',
        summary_polyline: 'ki{eFvqfiVqAWQIGEEKAYJgBVqDJ{BHa@',
      },
      source: { provider: 'strava', type: 'app', app_id: null },
    });
    const { body } = await team.api<Record<string, number[]>>('GET', `/v2/timeseries/workouts/${workout?.id}/stream`);
    expect(body).toMatchObject({
      time: [0, 1, 3].map((second) => start / 1_000 + second),
      heartrate: [101, 102, 110],
      lat: [33.44, 33.45, 33.46],
      distance: [0, 2.9, 9.1],
    });
  });

  test('reads all pages, also after one that is shorter than asked for', async () => {
    activities = [run(2), run(3), run(4)];
    const page = (n: number) => (): DataResponse => ({ json: activities.slice(n - 1, n) });
    faults = [];
    provider.play((request) =>
      request.path.endsWith('/activities')
        ? Number(request.query.get('page')) <= 3
          ? page(Number(request.query.get('page')))()
          : { json: [] }
        : answer(request),
    );
    await connect();
    expect(await workouts()).toHaveLength(3);
  });

  test('asks for nothing that the user has not granted', async () => {
    provider.grant(['read', 'profile:read_all']);
    await connect();
    expect(Object.keys(await pulls())).toEqual(['profile']);
    expect(provider.asked.map(({ path }) => path)).toEqual(['/api/v3/athlete']);
  });

  test('that was imported in bulk is pulled as well', async () => {
    activities = [run(1)];
    await importConnection(team, user.user_id, { oauth_scopes: SCOPES }, 'strava');
    await app.runJobs();
    expect(await workouts()).toHaveLength(1);
    expect(new Set(provider.asked.map(({ token }) => token))).toEqual(new Set(['access-token-of-the-user']));
  });

  test('marks workouts that a person typed in', async () => {
    activities = [run(1), run(2, { manual: true })];
    await connect();
    const sources = (await workouts()).map(({ source }) => (source as { app_id: string | null }).app_id);
    expect(sources.toSorted()).toEqual(['manual', null]);
  });

  test('names the devices that recorded workouts, each once', async () => {
    activities = [run(1, { device_name: 'Garmin Edge 840' }), run(2, { device_name: 'Garmin Edge 840' }), run(3)];
    await connect();
    const { body } = await team.api<object[]>('GET', `/v2/user/${user.user_id}/device`);
    expect(body).toMatchObject([{ provider: 'strava', source_type: 'unknown', device_model: 'Garmin Edge 840' }]);
  });

  test("asks once for a workout's details and points, and again for details that have changed", async () => {
    activities = [run(1), run(1, { manual: true })];
    await connect();
    await refresh();
    expect(provider.asked.filter(({ path }) => path.endsWith('/streams'))).toHaveLength(1);
    expect(detailsAsked()).toBe(2);
    activities[0] = { ...activities[0], name: 'Renamed', kudos_count: 7 };
    activities[1] = { ...activities[1], kudos_count: 9 };
    await refresh();
    expect(detailsAsked()).toBe(3);
    expect((await workouts()).map(({ title, calories }) => [title, calories]).toSorted()).toEqual([
      ['Morning run', 612.4],
      ['Renamed', 612.4],
    ]);
  });
});

describe('a provider that', () => {
  test.each<[string, DataResponse, string]>([
    ['fails', { status: 500, text: 'oops' }, 'provider_unavailable'],
    [
      'fails with a page that we do not read to its end',
      { status: 502, text: ' '.repeat(9 * 1024 * 1024) },
      'provider_unavailable',
    ],
    ['answers no JSON', { text: '<html>Maintenance</html>' }, 'transport_failure'],
    ['answers half a page', { text: '[{"id": 1, "na' }, 'transport_failure'],
    ['hangs up', 'hang up', 'transport_failure'],
    ['redirects elsewhere', { status: 302, headers: { location: 'https://example.com/' } }, 'transport_failure'],
    [
      'has used up the limit of this user',
      { status: 429, headers: { 'retry-after': '60' } },
      'provider_rate_limit_exceeded',
    ],
  ])('%s is asked again, and nothing is lost or published twice', async (_, fault, group) => {
    activities = [run(5), run(1)];
    await authorise();
    provider.play(({ path }) => (path.endsWith('/athlete') ? { json: { id: 1 } } : fault));
    await app.runJobs();
    expect((await pulls())['workouts']).toEqual({ status: 'retrying', error_details: group });
    await sql`delete from team_provider_waits where team_id = ${team.id}`.execute(app.db);
    provider.play(answer);
    await later();
    await app.runJobs();
    expect((await pulls())['workouts']).toEqual({ status: 'success', error_details: null });
    expect((await publishedTypes()).filter((type) => type === 'daily.data.workouts.created')).toHaveLength(2);
    expect(await connection()).toBe('connected');
  });

  test.each<[string, DataResponse]>([
    ['answers an object instead of a list', { json: { activities: [] } }],
    ['answers a list of other objects', { json: [7, 'x'] }],
    ['answers an activity without its time', { json: [{ id: 1, elapsed_time: 60 }] }],
    ['answers an activity with an invalid time', { json: [{ id: 1, elapsed_time: 60, start_date: 'yesterday' }] }],
    ['refuses', { status: 403, json: {} }],
    ['answers more than we read', { text: `[${' '.repeat(9 * 1024 * 1024)}]` }],
  ])('%s ends the pull with an error', async (_, fault) => {
    await authorise();
    provider.play(({ path }) => (path.endsWith('/athlete') ? { json: { id: 1 } } : fault));
    await app.runJobs();
    expect((await pulls())['workouts']).toEqual({ status: 'failure', error_details: 'non_retriable_error' });
    expect(await connection()).toBe('connected');
  });

  test('sends impossible values loses only those', async () => {
    activities = [
      run(1, { average_heartrate: 9_000, distance: 'far', sport_type: null, type: 'Run' }),
      run(2, { elapsed_time: 20 * DAY_S }),
      run(-1),
    ];
    await connect();
    expect(await workouts()).toMatchObject([{ average_hr: null, distance: null, sport: { slug: 'run' }, max_hr: 178 }]);
    expect((await pulls())['workouts']?.status).toBe('success');
  });

  test('refuses a token before its end gets a new one, and the same request again', async () => {
    activities = [run(1)];
    await connect();
    provider.endAccessTokens();
    const tokens = new Set(provider.asked.map(({ token }) => token));
    activities.push(run(0.5));
    expect((await refresh()).body.refreshed_sources).toEqual(['strava']);
    expect(await workouts()).toHaveLength(2);
    expect(tokens.has(provider.asked.at(-1)?.token ?? '')).toBe(false);
  });

  test('refuses every token puts the connection in error', async () => {
    await connect();
    provider.play(() => ({ status: 401, json: {} }));
    expect((await refresh()).body.failed_sources).toEqual(['strava']);
    expect(await connection()).toBe('error');
    const error = (await publishedTo(app, team)).find(({ event_type }) => event_type.endsWith('connection.error'));
    expect(JSON.parse(error?.body ?? '')).toMatchObject({ data: { error_type: 'provider_credential_error' } });
  });

  test('whose user has revoked the application puts the connection in error', async () => {
    await connect();
    provider.endAccessTokens();
    provider.revokeAll();
    expect((await refresh()).body.failed_sources).toEqual(['strava']);
    expect(await connection()).toBe('error');
  });
});

describe('the limit of the application', () => {
  const usage = (quarter: number, day: number) => ({
    headers: { 'x-readratelimit-limit': '100,1000', 'x-readratelimit-usage': `${quarter},${day}` },
  });
  const inSeconds = async (): Promise<{ polls: number; past: number }> => {
    const { rows } = await sql<{ polls: number; past: number }>`
      select greatest(extract(epoch from polls_until - now()), 0)::float8 as polls,
             greatest(extract(epoch from past_until - now()), 0)::float8 as past from provider_waits`.execute(app.db);
    return rows[0] ?? { polls: 0, past: 0 };
  };

  test('that is nearly used up makes pulls of the past wait, while polls continue', async () => {
    activities = [run(1)];
    await connect();
    faults = [(request) => ({ ...(answer(request) as object), ...usage(81, 100) })];
    await refresh();
    expect(await inSeconds()).toEqual({ polls: 0, past: expect.any(Number) });
    expect((await inSeconds()).past).toBeGreaterThan(0);
    provider.asked.length = 0;
    user = await makeUser(team);
    await authorise();
    await app.runJobs();
    expect(provider.asked).toEqual([]);
    expect((await pulls())['workouts']).toEqual({ status: 'retrying', error_details: 'provider_rate_limit_exceeded' });
    expect((await refresh()).body.refreshed_sources).toEqual(['strava']);
  });

  test('that is used up makes all processes wait, and counts as no failed try', async () => {
    activities = [run(1)];
    await connect();
    faults = [() => ({ status: 429, json: {}, ...usage(20, 1_000) })];
    expect((await refresh()).body.in_progress_sources).toEqual(['strava']);
    const day = DAY_S - (now() % DAY_S);
    expect(Math.abs((await inSeconds()).polls - Math.min(day, 3_600))).toBeLessThan(60);
    const second = await startTestApp(provider.env('strava'), { databaseUrl: app.databaseUrl });
    provider.asked.length = 0;
    user = await makeUser(team);
    await authorise();
    for (let n = 0; n < 10; n += 1) {
      await later();
      await second.runJobs();
    }
    await second.close();
    expect(provider.asked).toEqual([]);
    expect((await pulls())['workouts']?.status).toBe('retrying');
    const { rows } = await sql<{ attempts: number }>`
      select max(attempts) as attempts from pulls where user_id = ${user.user_id}`.execute(app.db);
    expect(rows).toEqual([{ attempts: 0 }]);
  });
});
