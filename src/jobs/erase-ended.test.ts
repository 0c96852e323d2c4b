// What a provider brought goes where its rules say so, once the user's agreement with it has ended.
import type { JobHelpers } from 'graphile-worker';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../test/app.ts';
import { importConnection, makeUser } from '../../test/factories.ts';
import { startProvider, type DataAnswer, type DataRequest, type Provider } from '../../test/provider.ts';
import { publishedTo } from '../../test/publish.ts';
import { failConnection } from '../wearables/connections/fail.ts';
import { forTeam } from '../tenancy/teams/scope.ts';
import { eraseEnded } from './erase-ended.ts';
import { tasksOf } from './run.ts';

let provider: Provider;
let app: TestApp;
let team: Team;
let user_id: string;
const day = new Date(Date.now() - 2 * 86_400_000).toISOString().slice(0, 10);

function answer({ path, query }: DataRequest): DataAnswer {
  if (path.endsWith('/athlete')) return { json: { id: 1, sex: 'F' } };
  if (path.includes('usercollection')) return { json: { data: [] } };
  if (path.endsWith('/streams')) return { json: { time: { data: [0, 30] }, heartrate: { data: [100, 110] } } };
  const run = { id: 7, name: 'Run', sport_type: 'Run', start_date: `${day}T08:00:00Z`, elapsed_time: 60 };
  if (path.endsWith('/activities/7')) return { json: { ...run, resource_state: 3 } };
  return { json: query.get('page') === '1' ? [run] : [] };
}

beforeAll(async () => {
  provider = await startProvider();
  app = await startTestApp({ ...provider.env('strava'), ...provider.env('oura') });
  provider.play(answer);
});
afterAll(async () => {
  await app.close();
  await provider.close();
});
beforeEach(async () => {
  team = await app.makeTeam();
  ({ user_id } = await makeUser(team));
  await importConnection(team, user_id, { oauth_scopes: null }, 'strava');
  const sample = { resource: 'heartrate', source_type: 'app', unit: 'bpm', value: 60, timestamp: `${day}T09:00:00Z` };
  await team.api('POST', `/v2/timeseries/${user_id}/samples`, [
    { ...sample, provider: 'strava' },
    { ...sample, provider: 'apple_health_kit' },
  ]);
  await app.runJobs();
});

/** What can be read, by kinds; how many rows there are of points. */
async function there() {
  const list = async (path: string) =>
    (await team.api<Record<string, object[]>>('GET', `/v2/summary/${path}/${user_id}?start_date=${day}`)).body;
  const profile = await team.api<object>('GET', `/v2/summary/profile/${user_id}`);
  const series = await team.api<{ groups: object }>(
    'GET',
    `/v2/timeseries/${user_id}/heartrate/grouped?start_date=${day}`,
  );
  const { rows } = await sql`select from summary_streams where user_id = ${user_id}`.execute(app.db);
  return {
    workouts: (await list('workouts'))['workouts']?.length,
    points: rows.length,
    profile: profile.status,
    heartrate: Object.keys(series.body.groups),
  };
}
const ALL = { workouts: 1, points: 1, profile: 200, heartrate: ['apple_health_kit', 'strava'] };
const LEFT = { workouts: 0, points: 0, profile: 404, heartrate: ['apple_health_kit'] };
const weeksLater = (days: number) =>
  sql`update ended_agreements set erase_at = erase_at - make_interval(days => ${days})`.execute(app.db);
/** What the audit log has of it. */
const told = async () =>
  (
    await sql`
    select action, records from audit_log where team_id = ${team.id} and action = 'provider_data.erased'`.execute(
      app.db,
    )
  ).rows;
/** The ends that are remembered. */
const waiting = async () =>
  (await sql`select provider from ended_agreements where user_id = ${user_id}`.execute(app.db)).rows;
const end = () => team.api<object>('DELETE', `/v2/user/${user_id}/strava`);

test.each<[string, () => Promise<unknown>]>([
  ['the connection is ended here', end],
  [
    'the user takes the application away at Strava',
    () =>
      failConnection(
        forTeam(app.ctx, { id: team.id, org_id: team.org_id, settings: {} }),
        { user_id, provider: 'strava' },
        { type: 'deregistered_per_provider', details: '' },
      ),
  ],
])("All that Strava brought goes four weeks after %s, and nothing of another provider's", async (_, ended) => {
  expect(await there()).toEqual(ALL);
  await ended();
  await weeksLater(27);
  await eraseEnded(app.ctx);
  expect(await there()).toEqual(ALL);
  await weeksLater(1);
  await eraseEnded(app.ctx);
  expect(await there()).toEqual(LEFT);
  const gone = (await publishedTo(app, team)).filter(({ event_type }) => event_type.endsWith('.deleted'));
  expect(gone.map(({ event_type }) => event_type).toSorted()).toEqual(
    ['heartrate', 'profile', 'workouts'].map((name) => `daily.data.${name}.deleted`),
  );
  expect(await told()).toEqual([{ action: 'provider_data.erased', records: [user_id] }]);
  expect(await waiting()).toEqual([]);
});

test('Nothing more goes when the process stops, and the end is remembered', async () => {
  await end();
  await weeksLater(28);
  await eraseEnded({ ...app.ctx, stopping: AbortSignal.abort() });
  expect(await there()).toEqual(ALL);
  expect(await waiting()).toHaveLength(1);
  await eraseEnded(app.ctx);
  expect(await there()).toEqual(LEFT);
});

test('Its job is one, whether it waits or runs when the clock asks for it', async () => {
  const begin = () => tasksOf(app.ctx)['erase_ended_agreements']?.({}, { job: {} } as JobHelpers);
  await begin();
  await begin();
  const turns = await sql`
    select key, flags from graphile_worker.jobs where task_identifier = 'erase_some_ended_agreements'`.execute(app.db);
  expect(turns.rows).toEqual([{ key: 'erase ended agreements', flags: { erasures: true } }]);
  await end();
  await weeksLater(28);
  await app.runJobs();
  expect(await there()).toEqual(LEFT);
});

test('Who connects again meanwhile keeps what is there', async () => {
  await end();
  await importConnection(team, user_id, { oauth_scopes: null }, 'strava');
  await weeksLater(28);
  await eraseEnded(app.ctx);
  expect(await there()).toEqual(ALL);
});

test('What other providers brought stays, as their rules say nothing', async () => {
  await importConnection(team, user_id, { oauth_scopes: null }, 'oura');
  await team.api('DELETE', `/v2/user/${user_id}/oura`);
  expect(await waiting()).toEqual([]);
});

describe('An end that was remembered when the rules of its provider, which say nothing now, were others', () => {
  beforeEach(() =>
    sql`insert into ended_agreements (user_id, provider, team_id, erase_at) values (${user_id}, 'oura', ${team.id}, now())`.execute(
      app.db,
    ),
  );

  test('is erased after and told of once', async () => {
    await eraseEnded(app.ctx);
    await eraseEnded(app.ctx);
    expect(await told()).toHaveLength(1);
    expect(await waiting()).toEqual([]);
  });

  test('is forgotten when the user connects again', async () => {
    await importConnection(team, user_id, { oauth_scopes: null }, 'oura');
    expect(await waiting()).toEqual([]);
  });
});
