import { setTimeout as pause } from 'node:timers/promises';
import { sql, type KyselyPlugin } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { startTestApp, type Answer, type Team, type TestApp } from '../../../test/test-app.ts';
import { steps, water } from '../../../test/invented-events.ts';
import { makeUser } from '../../../test/factories.ts';
import { publishTo } from '../../../test/publish-event.ts';
import { MAX_POLLS, type LongPolls } from '../../long-polls.ts';
import { forTeam } from '../../tenancy/teams/team-scope.ts';
import { readFeed } from './read-feed.ts';

type Page = { data: { id: string }[]; next_cursor: string; has_more: boolean; code: string };

let app: TestApp;
let team: Team;
let polls: LongPolls;
let lines: string[] = [];
beforeAll(async () => {
  // The pool has only two connections. If each waiting request used one, the tests would fail.
  app = await startTestApp({ PHIAL_LOG_LEVEL: 'info' }, { poolSize: 2, logTo: (line) => lines.push(line) });
  polls = app.ctx.polls as LongPolls;
});
afterAll(() => app.close());
beforeEach(async () => {
  team = await app.makeTeam();
  lines = [];
});

const now = async (): Promise<string> => (await team.api<Page>('GET', '/v2/events?after=now')).body.next_cursor;
const poll = async (asked: string): Promise<Answer<Page>> => team.api<Page>('GET', `/v2/events?${asked}`);
const untilWaiting = (many: number): Promise<void> => vi.waitFor(() => expect(polls.count).toBe(many));
const ofTeam = () => forTeam(app.ctx, { id: team.id, org_id: team.org_id, settings: {} });
const everything = { after: 'now', limit: 1, event_types: null };

test('A request that waits is answered with the next event', async () => {
  const waiting = poll(`after=${await now()}&wait=30`);
  await untilWaiting(1);
  const id = await publishTo(app, team, steps, { n: 1 });
  const { body } = await waiting;
  expect(body.data.map((event) => event.id)).toEqual([id]);
  expect(polls.count).toBe(0);
});

test('A request that waits ends with its key, and returns no later event', async () => {
  const { body: key } = await team.api<{ id: string; value: string }>(
    'POST',
    `/v1/org/${team.org_id}/team_api_keys/sandbox/us`,
    { label: 'short-lived', team_id: team.id },
  );
  const waiting = app.api<Page>('GET', `/v2/events?after=${await now()}&wait=30`, undefined, { key: key.value });
  await untilWaiting(1);
  await team.api('DELETE', `/v1/org/${team.org_id}/team_api_keys/sandbox/us?api_key_id=${key.id}`);
  await publishTo(app, team, steps, { n: 1 });
  const { status, body } = await waiting;
  expect([status, body.code]).toEqual([401, 'invalid_api_key']);
  expect(polls.count).toBe(0);
});

test('A request that waits from now on needs no cursor', async () => {
  const waiting = poll('after=now&wait=30');
  await untilWaiting(1);
  await pause(200);
  const id = await publishTo(app, team, steps, { n: 1 });
  expect((await waiting).body.data.map((event) => event.id)).toEqual([id]);
});

test('Events of other types do not end the wait, and the empty page has a cursor', async () => {
  const waiting = poll(`after=${await now()}&wait=2&event_type=daily.data.steps.*`);
  await untilWaiting(1);
  await publishTo(app, team, water, { n: 1 });
  await publishTo(app, await app.makeTeam(), steps, { n: 2 });
  const { body } = await waiting;
  expect([body.data, body.has_more]).toEqual([[], false]);
  const id = await publishTo(app, team, steps, { n: 3 });
  const next = await poll(`after=${body.next_cursor}&wait=30`);
  expect(next.body.data.map((event) => event.id)).toEqual([id]);
});

test('An event that commits during the wait is returned, although its transaction began before', async () => {
  const cursor = await now();
  let commit = (): void => undefined;
  const mayCommit = new Promise<void>((resolve) => (commit = resolve));
  const publishing = app.db.transaction().execute(async (db) => {
    await sql`
      insert into events (team_id, id, event_type, body)
      values (${team.id}, gen_random_uuid(), 'labtest.order.created', '\\x00')`.execute(db);
    await mayCommit;
  });
  // No reader of the team waited when the event was written. So the transaction sends no notification, and only the
  // second read of the waiting request finds the event.
  const waiting = poll(`after=${cursor}&wait=30`);
  await untilWaiting(1);
  commit();
  await publishing;
  expect((await waiting).body.data).toHaveLength(1);
});

test('A team has a limit of waiting requests, which affects no other requests and no other teams', async () => {
  const other = await app.makeTeam();
  const cursor = await now();
  const waiting = Array.from({ length: MAX_POLLS }, () => poll(`after=${cursor}&wait=30`));
  await untilWaiting(MAX_POLLS);
  const refused = await poll(`after=${cursor}&wait=30`);
  expect([refused.status, refused.body.code]).toEqual([429, 'too_many_polls']);
  expect(refused.headers.get('retry-after')).toBe('1');
  expect((await poll(`after=${cursor}`)).status).toBe(200);
  await makeUser(team);
  const others = other.api<Page>('GET', '/v2/events?after=now&wait=30');
  await untilWaiting(MAX_POLLS + 1);
  await publishTo(app, other, steps, { n: 1 });
  expect((await others).status).toBe(200);
  const id = await publishTo(app, team, steps, { n: 2 });
  for (const { body } of await Promise.all(waiting)) expect(body.data.map((event) => event.id)).toEqual([id]);
  expect((await poll(`after=${cursor}&wait=30`)).status).toBe(200);
});

test('A request that waits sends no query', async () => {
  await poll('after=now&wait=1'); // The first waiting request of a team reads the feed twice.
  let asked = 0;
  const watch: KyselyPlugin = {
    transformQuery: ({ node }) => {
      asked += 1;
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  const ctx = ofTeam();
  const waiting = readFeed({ ...ctx, db: ctx.db.withPlugin(watch) }, { ...everything, wait: 30 });
  await untilWaiting(1);
  await pause(300);
  const before = asked;
  await pause(1_500);
  expect([before > 0, asked - before]).toEqual([true, 0]);
  await publishTo(app, team, steps, { n: 1 });
  expect((await waiting).data).toHaveLength(1);
});

test('A client that disconnects frees its permit', async () => {
  const gone = new AbortController();
  const url = `${app.baseUrl}/v2/events?after=now&wait=30`;
  const asking = fetch(url, { headers: { 'x-service-api-key': team.api_key }, signal: gone.signal }).catch(() => null);
  await untilWaiting(1);
  gone.abort();
  expect(await asking).toBeNull();
  await untilWaiting(0);
});

test('A process that stops answers waiting requests at once', async () => {
  const stopping = new AbortController();
  const waiting = readFeed({ ...ofTeam(), stopping: stopping.signal }, { ...everything, wait: 30 });
  await untilWaiting(1);
  stopping.abort();
  expect((await waiting).data).toEqual([]);
});

test.each(['31', '-1', 'x', ''])('A wait of %j is refused', async (wait) => {
  expect((await poll(`wait=${wait}`)).status).toBe(422);
});

test('No part of the answer is logged', async () => {
  await publishTo(app, team, steps, { n: 1 });
  await poll('');
  const text = lines.join('');
  expect(text).toContain('list_events');
  expect(text).not.toContain('next_cursor');
});
