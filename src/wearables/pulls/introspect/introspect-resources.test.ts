// The outcome of the last pull of each resource, if the resources of one connection have different outcomes.
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/test-app.ts';
import { startProvider, type DataResponse, type DataRequest, type Provider } from '../../../../test/provider.ts';
import { makeUser } from '../../../../test/factories.ts';
import { dayAgo, pulledFrom, refresh, type Pulled } from '../../../../test/pulled.ts';

let provider: Provider;
let app: TestApp;
/** Paths that the provider answers with this status. */
let broken: Record<string, number> = {};

function answer({ path }: DataRequest): DataResponse {
  const name = path.split('/').at(-1) ?? '';
  if (broken[name]) return { status: broken[name] };
  const day = dayAgo(1);
  const workout = { id: '1', activity: 'yoga', day, intensity: 'easy', source: 'confirmed' };
  const times = { start_datetime: `${day}T08:00:00Z`, end_datetime: `${day}T09:00:00Z` };
  if (name === 'workout') return { json: { data: [{ ...workout, ...times }] } };
  if (name === 'heartrate') return { json: { data: [{ timestamp: `${day}T08:00:00Z`, bpm: 60 }] } };
  return { json: { data: [] } };
}

beforeAll(async () => {
  provider = await startProvider();
  app = await startTestApp(provider.env('oura'));
});
beforeEach(() => {
  broken = {};
});
afterAll(async () => {
  await app.close();
  await provider.close();
});

type Attempts = Record<string, { last_attempt: { timestamp: string; status: string } }>;
async function attempts({ team, user_id }: Pulled): Promise<Attempts> {
  const { body } = await team.api<{ data: { provider: { oura: Attempts } }[] }>(
    'GET',
    `/v2/introspect/resources?user_id=${user_id}`,
  );
  return body.data[0]?.provider.oura ?? {};
}
const statuses = async (user: Pulled): Promise<string[]> =>
  Object.entries(await attempts(user)).map(([resource, { last_attempt }]) => `${resource} ${last_attempt.status}`);
const connected = (): Promise<Pulled> =>
  pulledFrom(app, provider, 'oura', answer, { scopes: ['heartrate', 'workout'] });

test('A poll in which one resource failed shows the others as successful', async () => {
  const user = await connected();
  expect(await statuses(user)).toEqual(['heartrate success', 'workouts success']);
  broken = { workout: 500 };
  expect((await refresh(app, user.team, user.user_id)).body.failed_sources).toEqual(['oura']);
  expect(await statuses(user)).toEqual(['heartrate success', 'workouts failure']);
  const before = await attempts(user);
  broken = {};
  await refresh(app, user.team, user.user_id);
  expect(await statuses(user)).toEqual(['heartrate success', 'workouts success']);
  const isLater = ([name, { last_attempt }]: [string, Attempts[string]]): boolean =>
    last_attempt.timestamp > (before[name]?.last_attempt.timestamp ?? '');
  expect(Object.entries(await attempts(user)).filter(isLater)).toHaveLength(2);
});

test('A pull of the past that failed shows only its own resource as failed', async () => {
  const user = await connected();
  broken = { workout: 400 };
  await user.team.api('POST', '/v2/link/bulk_trigger_historical_pull', { user_ids: [user.user_id], provider: 'oura' });
  await app.runJobs();
  expect(await statuses(user)).toEqual(['heartrate success', 'workouts failure']);
});

test('Resources after one that the provider has no room for show no attempt', async () => {
  const user = await connected();
  const before = await attempts(user);
  // Workouts are pulled first. Status 429 means that the provider accepts no more requests for some time.
  broken = { workout: 429 };
  await refresh(app, user.team, user.user_id);
  const after = await attempts(user);
  expect(after['workouts']?.last_attempt.status).toBe('failure');
  expect(after['heartrate']).toEqual(before['heartrate']);
});

test('Users with very many entries come on several pages, each user complete', async () => {
  const team = await app.makeTeam();
  const users = await Promise.all(Array.from({ length: 24 }, async () => (await makeUser(team)).user_id));
  await sql`
    insert into streams (user_id, team_id, resource, provider, source_type)
    select user_id, ${team.id}, 'heartrate', 'provider ' || n, 'watch' from unnest(${users}::uuid[]) user_id,
      generate_series(1, 500) n`.execute(app.db);
  await sql`
    insert into pulls (user_id, team_id, provider, resource, status, range_start, range_end, pulled_from, trace_id)
    select user_id, team_id, provider, resource, 'scheduled', now() - interval '1 day', now(), now(), gen_random_uuid()
      from streams where team_id = ${team.id}`.execute(app.db);
  for (const path of ['resources', 'historical_pull']) {
    const found: [string, number][] = [];
    const pages: number[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const { body }: { body: { data: { user_id: string; provider: object }[]; next_cursor: string | null } } =
        await team.api('GET', `/v2/introspect/${path}?user_limit=100${cursor && `&next_cursor=${cursor}`}`);
      pages.push(body.data.length);
      found.push(...body.data.map((user): [string, number] => [user.user_id, Object.keys(user.provider).length]));
      cursor = body.next_cursor;
    }
    expect([path, pages, found]).toEqual([path, [20, 4], users.toSorted().map((user) => [user, 500])]);
  }
});
