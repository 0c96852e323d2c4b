// Shapes of https://developer.withings.com/api-reference, by its examples.
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/test-app.ts';
import { importConnection, makeUser } from '../../../../test/factories.ts';
import { startProvider, type DataResponse, type DataRequest, type Provider } from '../../../../test/provider.ts';
import { dayAgo, pulledFrom, refresh, type Pulled } from '../../../../test/pulled.ts';

let provider: Provider;
let app: TestApp;
let user: Pulled;
const day = dayAgo(3);
/** Noon in Phoenix. */
const noon = Date.parse(`${day}T19:00:00Z`) / 1_000;
const timezone = 'America/Phoenix';

const measured = (grpid: number, attrib: number, measures: [type: number, value: number, unit: number][]) => ({
  grpid,
  attrib,
  date: noon,
  created: noon,
  modified: noon,
  category: 1,
  deviceid: attrib === 2 ? null : '892359876fd8805ac45bab078c4828692f0276b1',
  model: 'Body+',
  measures: measures.map(([type, value, unit]) => ({ type, value, unit, algo: 0, fm: 3 })),
  comment: null,
});
const GROUPS = [
  measured(1, 0, [
    [1, 84_100, -3],
    [6, 21_340, -3],
    [76, 62_800, -3],
    [88, 33, -1],
  ]),
  measured(2, 2, [[1, 85, 0]]),
  measured(3, 0, [
    [9, 79, 0],
    [10, 121, 0],
    [11, 64, 0],
  ]),
  measured(4, 0, [[54, 98, 0]]),
];
const ACTIVITY = {
  date: day,
  timezone,
  deviceid: 'a',
  brand: 1,
  is_tracker: true,
  steps: 6_540,
  distance: 4_800.5,
  elevation: 4,
  soft: 5_400,
  moderate: 1_800,
  intense: 90,
  active: 1_890,
  calories: 320.5,
  totalcalories: 2_300.1,
  hr_average: 74,
  hr_min: 51,
  hr_max: 140,
};
const NIGHT = {
  id: 1_234_567,
  timezone,
  model: 32,
  model_id: 63,
  startdate: noon - 12 * 3_600,
  enddate: noon - 5 * 3_600,
  date: day,
  completed: true,
  modified: noon,
  data: {
    deepsleepduration: 6_000,
    lightsleepduration: 12_000,
    remsleepduration: 5_400,
    wakeupduration: 1_200,
    total_sleep_time: 23_400,
    total_timeinbed: 25_200,
    sleep_efficiency: 0.93,
    sleep_latency: 300,
    sleep_score: 81,
    hr_average: 55,
    hr_min: 47,
    rr_average: 14,
  },
};
/** The sleep states of the first part of the night, not in the order of time. */
const STATES = [
  { startdate: NIGHT.startdate + 600, enddate: NIGHT.startdate + 1_500, state: 1 },
  { startdate: NIGHT.startdate, enddate: NIGHT.startdate + 600, state: 0, hr: { [NIGHT.startdate + 60]: 61 } },
  { startdate: NIGHT.startdate + 1_500, enddate: NIGHT.startdate + 1_800, state: 2 },
  { startdate: NIGHT.startdate + 1_800, enddate: NIGHT.startdate + 2_100, state: 3 },
];
const WORKOUT = {
  id: 99,
  category: 2,
  timezone,
  model: 93,
  attrib: 0,
  startdate: noon,
  enddate: noon + 1_800,
  date: day,
  modified: noon,
  deviceid: 'a',
  data: { calories: 290, steps: 4_300, distance: 5_010, hr_average: 141, hr_max: 171, pause_duration: 60 },
};

const ok = (body: object): DataResponse => ({ json: { status: 0, body } });

function answer({ body }: DataRequest): DataResponse {
  const form = new URLSearchParams(body);
  const within = (second: number): boolean =>
    second >= Number(form.get('startdate')) && second < Number(form.get('enddate'));
  switch (form.get('action')) {
    case 'getmeas': {
      const types = new Set(String(form.get('meastypes')).split(',').map(Number));
      const groups = GROUPS.filter(
        ({ date, measures }) => within(date) && measures.some(({ type }) => types.has(type)),
      );
      // Each page has one group, so that the import must read all pages.
      const offset = Number(form.get('offset') ?? 0);
      const more = offset + 1 < groups.length ? 1 : 0;
      return ok({
        updatetime: noon,
        timezone,
        measuregrps: groups.slice(offset, offset + 1),
        more,
        offset: offset + 1,
      });
    }
    case 'getactivity':
      return ok({ activities: [ACTIVITY], more: false, offset: 0 });
    case 'getsummary':
      return ok({ series: [NIGHT], more: false, offset: 0 });
    case 'get':
      return ok({ series: STATES, model: 32 });
    case 'getworkouts':
      return ok({ series: [WORKOUT], more: false, offset: 0 });
    case 'getintradayactivity':
      return ok({
        series: within(noon)
          ? {
              [noon]: {
                heart_rate: 66,
                steps: 40,
                distance: 31.5,
                calories: 2.2,
                elevation: 2,
                duration: 60,
                model: 'Steel HR',
                model_id: 55,
              },
            }
          : [],
      });
    default:
      return { json: { status: 2_554, error: 'Unknown action' } };
  }
}

beforeAll(async () => {
  provider = await startProvider();
  app = await startTestApp(provider.env('withings'));
  user = await pulledFrom(app, provider, 'withings', answer);
});
afterAll(async () => {
  await app.close();
  await provider.close();
});

test('Every resource of an account is pulled', async () => {
  const pulls = await user.pulls();
  expect(Object.keys(pulls)).toHaveLength(16);
  expect(new Set(Object.values(pulls))).toEqual(new Set(['success']));
});

test('A scale brings the weight and its parts, and typed-in values are marked', async () => {
  const bodies = await user.summaries('body');
  expect(bodies).toHaveLength(2);
  const bodyOf = (type: string) => bodies.find(({ source }) => (source as { type: string }).type === type);
  expect(bodyOf('scale')).toMatchObject({
    weight: 84.1,
    fat: 21.34,
    muscle_mass_percentage: 74.67,
    bone_mass_percentage: 3.92,
    calendar_date: day,
    source: { type: 'scale' },
  });
  expect(bodyOf('app')).toMatchObject({ weight: 85, source: { type: 'app' } });
  expect((await user.samples('body_weight')).map(({ value, source_type }) => [value, source_type])).toEqual(
    expect.arrayContaining([
      [84.1, 'scale'],
      [85, 'app'],
    ]),
  );
});

test("A scale is a device with Withings' own id", async () => {
  const { body } = await user.team.api<object[]>('GET', `/v2/user/${user.user_id}/device`);
  expect(body).toMatchObject([
    {
      source_type: 'scale',
      device_manufacturer: 'Withings',
      device_model: 'Body+',
      device_id: '892359876fd8805ac45bab078c4828692f0276b1',
    },
  ]);
});

test('A cuff brings both pressures of a moment', async () => {
  expect(await user.samples('blood_pressure')).toMatchObject([{ systolic: 121, diastolic: 79, source_type: 'cuff' }]);
  expect(await user.samples('blood_oxygen')).toMatchObject([{ value: 98 }]);
});

test('Days, nights and workouts are stored in our units', async () => {
  expect(await user.summaries('activity')).toMatchObject([
    {
      calendar_date: day,
      steps: 6_540,
      floors_climbed: 4,
      low: 90,
      medium: 30,
      high: 1.5,
      heart_rate: { min_bpm: 51 },
    },
  ]);
  expect(await user.summaries('sleep')).toMatchObject([
    { calendar_date: day, total: 23_400, duration: 25_200, efficiency: 93, score: 81, hr_lowest: 47, awake: 1_200 },
  ]);
  expect(await user.summaries('workouts')).toMatchObject([
    { sport: { slug: 'running' }, moving_time: 1_740, average_hr: 141, distance: 5_010, calendar_date: day },
  ]);
});

test('The stages of a night are asked for once, and become a sleep cycle', async () => {
  const asked = (): number => provider.asked.filter(({ body }) => /action=get&/.test(body)).length;
  provider.asked.length = 0;
  const { team, user_id, summaries } = await pulledFrom(app, provider, 'withings', answer);
  const [night] = await summaries('sleep');
  expect(await summaries('sleep_cycle')).toMatchObject([
    {
      sleep_id: night?.['id'],
      session_start: night?.['bedtime_start'],
      stage_start_offset_second: [0, 600, 1_500, 1_800],
      stage_end_offset_second: [600, 1_500, 1_800, 2_100],
      stage_type: [4, 2, 1, 3],
    },
  ]);
  type Stream = { heartrate: { value: number }[] };
  const stream = await team.api<Stream>('GET', `/v2/timeseries/sleep/${String(night?.['id'])}/stream`);
  expect(stream.body.heartrate.map(({ value }) => value)).toEqual([61]);
  const before = asked();
  await refresh(app, team, user_id);
  expect([before > 0, asked() - before]).toEqual([true, 0]);
});

test('One request brings all series within a day, and another all values of scales and cuffs', async () => {
  provider.asked.length = 0;
  const { pulls } = await pulledFrom(app, provider, 'withings', answer);
  expect(new Set(Object.values(await pulls()))).toEqual(new Set(['success']));
  const fieldsOf = (action: string, field: string): (string | null)[] =>
    provider.asked
      .map(({ body }) => new URLSearchParams(body))
      .filter((form) => form.get('action') === action && !form.has('offset'))
      .map((form) => form.get(field));
  expect(new Set(fieldsOf('getintradayactivity', 'data_fields'))).toEqual(
    new Set(['steps,heart_rate,distance,elevation,calories']),
  );
  expect(fieldsOf('getintradayactivity', 'data_fields')).toHaveLength(91);
  expect(new Set(fieldsOf('getmeas', 'meastypes'))).toEqual(new Set(['1,5,6,76,77,88,9,10,54,71,123']));
});

test('A series with other history days of a team is asked for alone', async () => {
  const team = await app.makeTeam();
  const { user_id } = await makeUser(team);
  const days = (historical_days_to_pull: number): object => ({ historical_days_to_pull });
  await team.api('POST', `/v1/org/${team.org_id}/team_data_pull_preferences/sandbox/us`, {
    team_ids: [team.id],
    providers: { withings: { default: days(10), resource_overrides: { heartrate: days(3) } } },
  });
  provider.play(answer);
  provider.asked.length = 0;
  await importConnection(team, user_id, { oauth_scopes: null }, 'withings');
  await app.runJobs();
  const { rows } = await sql<{ status: string }>`select distinct status from pulls where user_id = ${user_id}`.execute(
    app.db,
  );
  expect(rows).toEqual([{ status: 'success' }]);
  const fields = provider.asked
    .map(({ body }) => new URLSearchParams(body))
    .filter((form) => form.get('action') === 'getintradayactivity')
    .map((form) => form.get('data_fields'));
  expect(fields.filter((each) => each === 'heart_rate')).toHaveLength(4);
  expect(fields.filter((each) => each === 'steps,distance,elevation,calories')).toHaveLength(11);
});

test('Values within the day are stored as samples', async () => {
  expect(await user.samples('heartrate')).toMatchObject([
    { value: 66, timestamp: new Date(noon * 1_000).toISOString() },
  ]);
  expect(await user.samples('floors_climbed')).toMatchObject([{ value: 2 }]);
  expect(await user.samples('steps')).toMatchObject([
    { value: 40, end: new Date((noon + 60) * 1_000).toISOString(), source_type: 'watch' },
  ]);
});

test.each([
  ['too many requests', 601, 'retrying', 'provider_rate_limit_exceeded'],
  ['its own trouble', 522, 'retrying', 'provider_unavailable'],
  ['a refusal', 293, 'failure', 'non_retriable_error'],
])('An answer of 200 that means %s is read as such', async (_, status, ended, group) => {
  const { user_id } = await pulledFrom(app, provider, 'withings', () => ({ json: { status, body: {}, error: 'x' } }));
  const { rows } = await sql<{ status: string; error_details: string }>`
    select distinct status, error_details from pulls where user_id = ${user_id}`.execute(app.db);
  expect(rows).toEqual([{ status: ended, error_details: group }]);
});

test('A token that is refused by a status of its own is not used again', async () => {
  const tokens = new Set<string>();
  const { team, user_id, pulls } = await pulledFrom(app, provider, 'withings', (request) => {
    tokens.add(request.token);
    return request.token === 'access-token-of-the-user' ? { json: { status: 401, body: {} } } : answer(request);
  });
  // The simulated Withings does not know the refresh token. So the user has to connect again.
  expect(new Set(Object.values(await pulls()))).toEqual(new Set(['failure', 'scheduled']));
  const { body } = await team.api<{ providers: { status: string }[] }>('GET', `/v2/user/providers/${user_id}`);
  expect([body.providers[0]?.status, tokens.size]).toEqual(['error', 1]);
});
