// Data from a provider is erased after the user's agreement ended, if the provider's rules require it.
import type { JobHelpers } from 'graphile-worker';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../test/test-app.ts';
import { importConnection, makeUser } from '../../test/factories.ts';
import { startProvider, type DataResponse, type DataRequest, type Provider } from '../../test/provider.ts';
import { publishedTo } from '../../test/publish-event.ts';
import { failConnection } from '../wearables/connections/fail.ts';
import { forTeam } from '../tenancy/teams/team-scope.ts';
import { eraseEnded } from './erase-ended-agreements.ts';
import { tasksOf } from './run-jobs.ts';

let provider: Provider;
let app: TestApp;
let team: Team;
let user_id: string;
const day = new Date(Date.now() - 2 * 86_400_000).toISOString().slice(0, 10);

function answer({ path, query }: DataRequest): DataResponse {
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

/** The readable data by kind, with the number of rows of points. */
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
/** Returns the lines of the audit log about erasures. */
const auditedErasures = async () =>
  (
    await sql`
    select action, records from audit_log where team_id = ${team.id} and action = 'provider_data.erased'`.execute(
      app.db,
    )
  ).rows;
/** Returns the ended agreements whose data is not erased yet. */
const waiting = async () =>
  (await sql`select provider from ended_agreements where user_id = ${user_id}`.execute(app.db)).rows;
const end = () => team.api<object>('DELETE', `/v2/user/${user_id}/strava`);

test.each<[string, () => Promise<unknown>]>([
  ['the end of the connection here', end],
  [
    "the user's removal of the application at Strava",
    () =>
      failConnection(
        forTeam(app.ctx, { id: team.id, org_id: team.org_id, settings: {} }),
        { user_id, provider: 'strava' },
        { type: 'deregistered_per_provider', details: '' },
      ),
  ],
])('all data from Strava is erased four weeks after %s, and no data of another provider', async (_, ended) => {
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
  expect(await auditedErasures()).toEqual([{ action: 'provider_data.erased', records: [user_id] }]);
  expect(await waiting()).toEqual([]);
});

test('a stopping process erases nothing more, and the end of the agreement stays stored', async () => {
  await end();
  await weeksLater(28);
  await eraseEnded({ ...app.ctx, stopping: AbortSignal.abort() });
  expect(await there()).toEqual(ALL);
  expect(await waiting()).toHaveLength(1);
  await eraseEnded(app.ctx);
  expect(await there()).toEqual(LEFT);
});

test('there is one job, even if the schedule adds it while it waits or runs', async () => {
  const begin = () => tasksOf(app.ctx)['erase_ended_agreements']?.({}, { job: {} } as JobHelpers);
  await begin();
  await begin();
  const rounds = await sql`
    select key, flags from graphile_worker.jobs where task_identifier = 'erase_some_ended_agreements'`.execute(app.db);
  expect(rounds.rows).toEqual([{ key: 'erase ended agreements', flags: { erasures: true } }]);
  await end();
  await weeksLater(28);
  await app.runJobs();
  expect(await there()).toEqual(LEFT);
});

test('a user who connects again keeps the data that is left', async () => {
  await end();
  await importConnection(team, user_id, { oauth_scopes: null }, 'strava');
  await weeksLater(28);
  await eraseEnded(app.ctx);
  expect(await there()).toEqual(ALL);
});

test('data from other providers stays, because their rules require nothing', async () => {
  await importConnection(team, user_id, { oauth_scopes: null }, 'oura');
  await team.api('DELETE', `/v2/user/${user_id}/oura`);
  expect(await waiting()).toEqual([]);
});

describe('an end that was stored under former rules of a provider', () => {
  beforeEach(() =>
    sql`
      insert into ended_agreements (user_id, provider, team_id, erase_at)
      values (${user_id}, 'oura', ${team.id}, now())`.execute(app.db),
  );

  test('is erased after that time, and published once', async () => {
    await eraseEnded(app.ctx);
    await eraseEnded(app.ctx);
    expect(await auditedErasures()).toHaveLength(1);
    expect(await waiting()).toEqual([]);
  });

  test('is deleted when the user connects again', async () => {
    await importConnection(team, user_id, { oauth_scopes: null }, 'oura');
    expect(await waiting()).toEqual([]);
  });
});
