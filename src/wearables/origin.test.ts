import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../test/test-app.ts';
import { makeUser, pushSummaries, subscribe } from '../../test/factories.ts';
import { dayAgo, refresh } from '../../test/pulled.ts';
import { startEndpoint, type Endpoint } from '../../test/endpoint.ts';

let app: TestApp;
let team: Team;
let endpoint: Endpoint;
let user_id: string;
let webhook: string;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  team = await app.makeTeam();
  endpoint = await startEndpoint();
  webhook = await subscribe(team, endpoint);
  ({ user_id } = await makeUser(team));
  return () => endpoint.close();
});

const push = () =>
  pushSummaries(team, user_id, 'activity', [
    { provider: 'apple_health_kit', source_type: 'watch', calendar_date: '2026-01-05', steps: 8_200 },
  ]);
const connect = () => team.api('POST', '/v2/link/connect/demo', { user_id, provider: 'freestyle_libre' });
/**
 * The events that arrived since the last call: the beginnings of their types, each with the origin in its header and
 * body.
 */
async function takeOrigins(): Promise<string[]> {
  await app.deliver();
  const all = endpoint.received.splice(0).map(({ headers, body }) => {
    const kind = body.event_type.split('.').slice(0, 2).join('.');
    return `${kind}: ${headers['phial-origin']}, ${body.origin}`;
  });
  return [...new Set(all)].toSorted();
}
const managed = () => `/v1/org/${team.org_id}/team/${team.id}`;
const choose = (backfill_events_enabled: boolean | null) =>
  team.api<{ sandbox: { backfill_events_enabled: boolean } }>('PATCH', managed(), {
    sandbox: { backfill_events_enabled },
  });

test('An event of daily data has in its header and body if it is live or backfill; others do not', async () => {
  await push();
  expect(await takeOrigins()).toEqual(['daily.data: live, live', 'provider.connection: undefined, undefined']);
  await connect();
  await app.runJobs();
  expect(await takeOrigins()).toEqual([
    'daily.data: backfill, backfill',
    'historical.data: undefined, undefined',
    'provider.connection: undefined, undefined',
    'provider.device: undefined, undefined',
  ]);
});

test('Data of a poll is live', async () => {
  await choose(false);
  await connect();
  await app.runJobs();
  // Without stored samples, the next poll brings all samples of its days as new samples.
  await sql`delete from samples where stream_id in (select id from streams where user_id = ${user_id})`.execute(app.db);
  await takeOrigins();
  await refresh(app, team, user_id);
  expect(await takeOrigins()).toEqual(['daily.data: live, live']);
});

test('The feed, the log of attempts and a delivery that is resent have the same origin', async () => {
  await push();
  await takeOrigins();
  type Feed = { data: { id: string; event_type: string; origin: string | null; body: { origin?: string } }[] };
  const { data } = (await team.api<Feed>('GET', '/v2/events')).body;
  expect(data.map(({ event_type, origin, body }) => [event_type, origin, body.origin])).toEqual([
    ['daily.data.activity.created', 'live', 'live'],
    ['provider.connection.created', null, undefined],
  ]);
  const { id } = data[0] as Feed['data'][number];
  const path = `${managed()}/sandbox`;
  type Attempts = { data: { id: string }[] };
  const [attempt] = (await team.api<Attempts>('GET', `${path}/event/${id}/attempt`)).body.data;
  const shown = await team.api<{ request_headers: Record<string, string> }>(
    'GET',
    `${path}/webhook/${webhook}/attempt/${attempt?.id}`,
  );
  expect(shown.body.request_headers['phial-origin']).toBe('live');
  await team.api('POST', `${path}/webhook/${webhook}/event/${id}/resend`);
  expect(await takeOrigins()).toEqual(['daily.data: live, live']);
});

test('A team without backfill events gets the event that the past has arrived, and all live events', async () => {
  expect((await choose(false)).body.sandbox.backfill_events_enabled).toBe(false);
  await connect();
  await app.runJobs();
  expect(await takeOrigins()).toEqual([
    'historical.data: undefined, undefined',
    'provider.connection: undefined, undefined',
    'provider.device: undefined, undefined',
  ]);
  const { body } = await team.api<{ groups: object }>(
    'GET',
    `/v2/timeseries/${user_id}/glucose/grouped?start_date=${dayAgo(40)}`,
  );
  expect(Object.keys(body.groups)).toEqual(['freestyle_libre']);
  await push();
  expect(await takeOrigins()).toContain('daily.data: live, live');

  expect((await choose(null)).body.sandbox.backfill_events_enabled).toBe(false);
  await choose(true);
  ({ user_id } = await makeUser(team));
  await connect();
  await app.runJobs();
  expect(await takeOrigins()).toContain('daily.data: backfill, backfill');
});
