import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../test/test-app.ts';
import { endPrograms, startProgram } from '../../test/program.ts';
import { runHere } from '../../test/run-here.ts';
import { startProvider, type DataResponse, type DataRequest, type Provider } from '../../test/provider.ts';
import { dayAgo, pulledFrom } from '../../test/pulled.ts';

let provider: Provider;
let app: TestApp;
beforeAll(async () => {
  provider = await startProvider();
  app = await startTestApp(provider.env('strava'));
});
afterAll(async () => {
  await endPrograms();
  await app.close();
  await provider.close();
});

/** A list of activities, and each activity in full by its id. */
const answer =
  (activities: { id: number }[]) =>
  ({ path, query }: DataRequest): DataResponse | undefined => {
    if (path.endsWith('/athlete')) return { json: { id: 5 } };
    if (path.endsWith('/activities')) return { json: query.get('page') === '1' ? activities : [] };
    const activity = activities.find(({ id }) => path.endsWith(`/activities/${id}`));
    return activity && { json: { ...activity, resource_state: 3, calories: 150 } };
  };

test('phial replay repairs stored provider data beside the running service, and prints counts only', async () => {
  const start_date = `${dayAgo(2)}T18:00:00Z`;
  const run = { id: 1, name: 'Morning zyzzyva', type: 'Run', start_date, elapsed_time: 600, distance: 2_000 };
  const { team, user_id, summaries } = await pulledFrom(app, provider, 'strava', answer([run]));
  const [before] = await summaries('workouts');
  // Stores the workouts as if an earlier mapper had given them the wrong source type.
  const client = new pg.Client({ connectionString: app.databaseUrl });
  await client.connect();
  await client.query(`update summaries set source_type = 'phone' where resource = 'workouts'`);

  const env = { DATABASE_URL: app.databaseUrl };
  const replay = (...flags: string[]) => runHere(['replay', '--provider', 'strava', ...flags], { env });
  const first = await replay('--team', team.id, '--resource', 'workouts', '--since', dayAgo(3));
  expect([first.code, first.stdout]).toEqual([
    0,
    'Summaries of strava: 1 updated, 0 unchanged.\n' +
      'Points of workouts are unchanged, because their source data is not stored.\n',
  ]);
  expect(await summaries('workouts')).toEqual([{ ...before, updated_at: expect.any(String) }]);
  const again = await replay();
  expect(again.stdout).toMatch(/^Summaries of strava: 0 updated, 2 unchanged\.\n/);
  for (const { output } of [first, again]) expect(output).not.toMatch(new RegExp(`zyzzyva|${user_id}`));

  const { rows } = await client.query(
    `select action, org_id, team_id, records from audit_log where actor = 'operator' order by id`,
  );
  await client.end();
  const line = { action: 'replay', org_id: team.org_id, team_id: team.id, records: [team.id] };
  expect(rows).toEqual([line, line]);

  const [provider_, resource, unknown] = await Promise.all([
    runHere(['replay', '--provider', 'dexcom_v3'], { env }),
    replay('--resource', 'sleep'),
    replay('--team', user_id),
  ]);
  expect([provider_.code, resource.code, unknown.code]).toEqual([2, 2, 1]);
  expect(provider_.output).toBe(
    'phial replay takes google_health, oura, polar, strava, wahoo, whoop_v2, withings as --provider, not ' +
      '"dexcom_v3".\n',
  );
  expect(resource.output).toBe('phial replay takes profile, workouts, device as --resource of strava, not "sleep".\n');
  expect(unknown.output).toBe('Phial cannot go on: Team not found.\n');
});

/** More than one transaction of a replay takes. */
const RUNS = 250;

test('a killed replay runs again and publishes each summary once', async () => {
  const runs = Array.from({ length: RUNS }, (_, n) => ({
    id: n + 1,
    type: 'Run',
    start_date: new Date(Date.parse(`${dayAgo(3)}T00:00:00Z`) + n * 60_000).toISOString(),
    elapsed_time: 30,
  }));
  const { team } = await pulledFrom(app, provider, 'strava', answer(runs));
  const client = new pg.Client({ connectionString: app.databaseUrl });
  await client.connect();
  const ofTeam = async (text: string): Promise<number> =>
    Number((await client.query<{ n: string }>(`${text} and team_id = $1`, [team.id])).rows[0]?.n);
  const mended = () =>
    ofTeam(`select count(*) as n from summaries where source_type = 'app' and resource = 'workouts'`);
  await client.query(`update summaries set source_type = 'phone' where resource = 'workouts' and team_id = $1`, [
    team.id,
  ]);

  // The replay stops before its last transaction until it is killed.
  const blocking = new pg.Client({ connectionString: app.databaseUrl });
  await blocking.connect();
  await blocking.query('begin');
  const workouts = `select from summaries where resource = 'workouts' and team_id = $1`;
  await blocking.query(`${workouts} order by id desc limit 1 for update`, [team.id]);
  const start = { args: ['replay', '--provider', 'strava', '--team', team.id], env: { DATABASE_URL: app.databaseUrl } };
  const program = await startProgram(start);
  await expect.poll(mended, { timeout: 30_000 }).toBeGreaterThan(0);
  await program.kill('SIGKILL');
  await blocking.end();
  const done = await mended();
  expect(done).toBeGreaterThan(0);
  expect(done).toBeLessThan(RUNS);
  const { stdout } = await runHere(start.args, start);
  expect(stdout).toMatch(`Summaries of strava: ${RUNS - done} updated, ${done + 1} unchanged.`);
  expect(await mended()).toBe(RUNS);
  expect(await ofTeam(`select count(*) as n from events where event_type = 'daily.data.workouts.updated'`)).toBe(RUNS);
  await client.end();
});
