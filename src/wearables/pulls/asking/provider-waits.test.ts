// A provider's response can say that its limit is used up. Then the requests of one team wait or, if it is the limit of
// the application, the requests of all teams.
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../../../test/test-app.ts';
import { importConnection, makeUser } from '../../../../test/factories.ts';
import { eraseTeams } from '../../../../test/erase-deleted-teams.ts';
import { startProvider, type DataResponse, type Provider } from '../../../../test/provider.ts';

let provider: Provider;
let app: TestApp;
let first: Team;
let second: Team;
/** The answer to each request, and what happens before it. */
let answer: DataResponse;
let meanwhile: () => Promise<unknown>;

beforeAll(async () => {
  provider = await startProvider();
  app = await startTestApp(provider.env('strava'));
  provider.play(async ({ path }) => {
    await meanwhile();
    return path.endsWith('/athlete') && answer === NOTHING_NEW ? { json: { id: 1 } } : answer;
  });
});
afterAll(async () => {
  await app.close();
  await provider.close();
});
beforeEach(async () => {
  await sql`delete from provider_waits`.execute(app.db);
  meanwhile = async () => undefined;
  [first, second] = [await app.makeTeam('First'), await app.makeTeam('Second')];
});

const NOTHING_NEW: DataResponse = { json: [] };
const TOO_MANY: DataResponse = { status: 429, json: {} };
/** The application has used up its daily limit. */
const USED_UP: DataResponse = {
  status: 429,
  json: {},
  headers: { 'x-readratelimit-limit': '100,1000', 'x-readratelimit-usage': '20,1000' },
};

/** How many requests reach the provider when a new user of the team connects and no other work is due. */
async function asks(team: Team, answered: DataResponse, token: object = {}): Promise<number> {
  await sql`delete from graphile_worker._private_jobs`.execute(app.db);
  answer = answered;
  provider.asked.length = 0;
  const { user_id } = await makeUser(team);
  await importConnection(team, user_id, { oauth_scopes: null, ...token }, 'strava');
  await app.runJobs();
  return provider.asked.length;
}
const fiveMinutesLater = () =>
  sql`update provider_waits set probe_at = probe_at - interval '5 minutes'`.execute(app.db);

test('too many requests of one team make only that team wait', async () => {
  expect(await asks(first, TOO_MANY)).toBe(1);
  expect(await asks(first, NOTHING_NEW)).toBe(0);
  expect(await asks(second, NOTHING_NEW)).toBeGreaterThan(0);
});

test('a used-up limit of the application makes all teams wait, an hour at most', async () => {
  expect(await asks(first, USED_UP)).toBe(1);
  expect(await asks(second, NOTHING_NEW)).toBe(0);
  const { rows } = await sql<{ seconds: number }>`
    select extract(epoch from polls_until - now())::float8 as seconds from provider_waits`.execute(app.db);
  expect(rows[0]?.seconds).toBeLessThanOrEqual(3_600);
});

test('after five minutes an answered request of another team ends the wait of all', async () => {
  await asks(first, USED_UP);
  await fiveMinutesLater();
  expect(await asks(first, NOTHING_NEW)).toBe(0);
  expect(await asks(second, NOTHING_NEW)).toBeGreaterThan(1);
  expect(await asks(first, NOTHING_NEW)).toBeGreaterThan(1);
});

test.each([
  ['the application still has to wait', USED_UP],
  ['the team that asks has to wait', TOO_MANY],
  ['the provider is in trouble', { status: 503, json: {} }],
])('one request is sent when it shows that %s, and all continue to wait', async (_, answered) => {
  await asks(first, USED_UP);
  await fiveMinutesLater();
  expect(await asks(second, answered)).toBe(1);
  expect(await asks(await app.makeTeam('Third'), NOTHING_NEW)).toBe(0);
});

test('a probe that cannot be sent because there is no token is left to another team', async () => {
  await asks(first, USED_UP);
  await fiveMinutesLater();
  provider.fail({ status: 503, body: '{}' });
  expect(await asks(second, NOTHING_NEW, { expires_at: 1 })).toBe(0);
  expect(await asks(await app.makeTeam('Third'), NOTHING_NEW)).toBeGreaterThan(1);
});

test('a wait outlasts the team that got it, and then any team may ask', async () => {
  await asks(first, USED_UP);
  await first.api('DELETE', `/v1/org/${first.org_id}/team/${first.id}`);
  await eraseTeams(app.ctx);
  expect(await asks(second, NOTHING_NEW)).toBe(0);
  await fiveMinutesLater();
  expect(await asks(second, NOTHING_NEW)).toBeGreaterThan(1);
});

test('a wait that another answer sets while a probe is under way stays', async () => {
  await asks(first, USED_UP);
  await fiveMinutesLater();
  let questions = 0;
  meanwhile = async () => {
    questions += 1;
    if (questions === 1) await sql`update provider_waits set answered_at = clock_timestamp()`.execute(app.db);
  };
  expect(await asks(second, NOTHING_NEW)).toBe(1);
});
