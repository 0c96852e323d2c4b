import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../test/test-app.ts';
import { startEndpoint } from '../../test/endpoint.ts';
import { importConnection, loseResults, makeUser, orderKit, subscribe, webhookPath } from '../../test/factories.ts';
import { publishTo } from '../../test/publish-event.ts';
import { steps } from '../../test/invented-events.ts';
import { teamCtx } from '../../test/team-ctx.ts';
import { storeMessage } from '../labs/laboratories/hl7/inbox/store-message.ts';
import { acrossTeams } from '../db/session/bind.ts';
import { dropExpired } from '../totals/erase.ts';
import { failConnection } from '../wearables/connections/fail.ts';

type Status = {
  at: string;
  deliveries: Record<string, unknown>;
  endpoints: Record<string, number>;
  connections: Record<string, number>;
  samples: { stored: number; since: string };
  laboratories: Record<string, number>;
  imports: Record<string, number>;
};

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const path = (team: Team): string => `/v1/org/${team.org_id}/team/${team.id}/sandbox/status`;
const statusOf = async (team: Team): Promise<Status> => (await team.api<Status>('GET', path(team))).body;

test('the status of a new team has nothing that waits', async () => {
  const team = await app.makeTeam();
  const { at, deliveries, samples, ...rest } = await statusOf(team);
  expect(Math.abs(Date.parse(at) - Date.now())).toBeLessThan(60_000);
  expect(samples).toEqual({ stored: 0, since: expect.stringMatching(/T\d\d:00:00\.000Z$/) });
  expect(deliveries).toEqual({
    attempts: 0,
    succeeded: 0,
    failed: 0,
    success_rate: null,
    latency_ms: { p50: null, p95: null, p99: null },
    oldest_due_seconds: 0,
  });
  const none = (names: string): Record<string, number> => Object.fromEntries(names.split(' ').map((name) => [name, 0]));
  expect(rest).toEqual({
    endpoints: none('total disabled failing'),
    connections: none('connected error paused'),
    laboratories: none(
      'messages_waiting orders_waiting orders_held orders_refused orders_unanswered unmatched_results ' +
        'reports_to_review critical_results_open',
    ),
    imports: none('failed running'),
  });
});

test('the status counts deliveries, the oldest that is due, and endpoints that fail or are disabled', async () => {
  const team = await app.makeTeam();
  const endpoint = await startEndpoint({ invented: true });
  const webhook = await subscribe(team, endpoint);
  const { body: off } = await team.api<{ id: string }>('POST', webhookPath(team), { url: 'https://a.example.com/off' });
  await team.api('PATCH', `${webhookPath(team)}/${off.id}`, { disabled: true });
  await publishTo(app, team, steps, {});
  await app.deliver();
  endpoint.answer((response) => response.writeHead(500).end());
  await publishTo(app, team, steps, {});
  await app.deliver();
  await sql`update retries set due_at = now() - interval '5 minutes' where webhook_id = ${webhook}`.execute(app.db);
  const { deliveries, endpoints } = await statusOf(team);
  expect(deliveries).toMatchObject({ attempts: 2, succeeded: 1, failed: 1, success_rate: 0.5 });
  expect(deliveries['oldest_due_seconds']).toBeGreaterThanOrEqual(300);
  expect(deliveries['oldest_due_seconds']).toBeLessThan(400);
  expect(endpoints).toEqual({ total: 2, disabled: 1, failing: 1 });
  await endpoint.close();
});

test('the status counts what waits in laboratories, imports and connections, of the team alone', async () => {
  const team = await app.makeTeam();
  const { user_id } = await makeUser(team);
  await importConnection(team, user_id);
  const broken = { user_id: (await makeUser(team)).user_id, provider: 'oura' };
  await importConnection(team, broken.user_id);
  const failure = { type: 'token_refresh_failed', details: '' } as const;
  await failConnection(await teamCtx(app.ctx, team.id), broken, failure);
  await loseResults(team);
  const order = await orderKit(team, user_id);
  for (const state of ['refused', 'refused', 'held', 'waiting', 'committed', 'accepted'])
    await sql`
      insert into laboratory_outbox (user_id, id, order_id, team_id, lab_id, action, state, held_by, answered_at)
      values (${user_id}, ${randomUUID()}, ${order.id}, ${team.id}, 1, 'new', ${state},
              ${state === 'held' ? 'organisation' : null}, now())`.execute(app.db);
  for (const status of ['open', 'acknowledged'])
    await sql`
      insert into critical_results (user_id, order_id, id, team_id, version, result_status, status, acknowledgement,
                                    acknowledged_at)
      values (${user_id}, ${order.id}, ${randomUUID()}, ${team.id}, 1, 'final', ${status},
              ${status === 'open' ? null : Buffer.from('sealed')}, ${status === 'open' ? null : new Date()})`.execute(
      app.db,
    );
  const bytes = Buffer.from(`OBX|1|NM|GLU||88|||||||Q|${randomUUID()}`);
  const { id } = await storeMessage(app.ctx, { labId: 1, bytes, header: null });
  await sql`update hl7_messages set state = 'failed', team_id = ${team.id} where id = ${id}`.execute(app.db);
  const { connections, laboratories, imports } = await statusOf(team);
  expect(connections).toEqual({ connected: 1, error: 1, paused: 0 });
  expect(laboratories).toEqual({
    messages_waiting: 1,
    orders_waiting: 1,
    orders_held: 1,
    orders_refused: 2,
    orders_unanswered: 1,
    unmatched_results: 1,
    reports_to_review: 0,
    critical_results_open: 1,
  });
  for (const days of [0, 2])
    await sql`
      insert into imports (id, user_id, team_id, kind, bytes, status, error, ended_at)
      values (${randomUUID()}, ${user_id}, ${team.id}, 'gpx', 10, 'failure', 'invalid',
              now() - make_interval(days => ${days}))`.execute(app.db);
  expect(imports).toEqual({ failed: 0, running: 0 });
  expect((await statusOf(team)).imports).toEqual({ failed: 1, running: 0 });
  expect((await statusOf(await app.makeTeam())).laboratories['orders_refused']).toBe(0);
});

test('the status of a team of another organisation is not found', async () => {
  const [team, other] = [await app.makeTeam(), await app.makeTeam()];
  expect((await team.api('GET', path({ ...team, id: other.id }))).status).toBe(404);
});

test('the status counts samples that were created or replaced, and none of another team', async () => {
  const [team, other] = [await app.makeTeam(), await app.makeTeam()];
  const { user_id } = await makeUser(team);
  const push = (values: number[], app_id: string | null = null) =>
    team.api(
      'POST',
      `/v2/timeseries/${user_id}/samples`,
      values.map((value, minute) => ({
        resource: 'heartrate',
        provider: 'apple_health_kit',
        source_type: 'watch',
        timestamp: new Date(Date.UTC(2026, 0, 5, 7, minute)).toISOString(),
        unit: 'bpm',
        value,
        ...(app_id && { app_id }),
      })),
    );
  expect((await push([60, 61, 62])).status).toBe(200);
  // One is another value, and two are stored already.
  await push([60, 61, 70]);
  // Another app of the same watch has one other value.
  await push([60, 65], 'com.example.other');
  await push(Array.from({ length: 50 }, (_, n) => 100 + n));
  const { samples } = await statusOf(team);
  expect(samples.stored).toBe(3 + 1 + 1 + 50);
  const hours = (Date.now() - Date.parse(samples.since)) / 3_600_000;
  expect(hours).toBeGreaterThanOrEqual(23);
  expect(hours).toBeLessThan(24.1);
  expect((await statusOf(other)).samples.stored).toBe(0);
});

test('the status forgets samples of the day before yesterday, and retention deletes their count', async () => {
  const team = await app.makeTeam();
  const add = (hours: number, rows: number) =>
    sql`
      insert into totals (team_id, list, part, backend, rows)
      values (${team.id}, 'samples of hour',
              array[to_char((now() - make_interval(hours => ${hours})) at time zone 'UTC', 'YYYY-MM-DD"T"HH24')],
              1, ${rows})`.execute(app.db);
  for (const [hours, rows] of [
    [23, 1],
    [24, 2],
    [49, 4],
  ] as const)
    await add(hours, rows);
  expect((await statusOf(team)).samples.stored).toBe(1);
  await dropExpired(acrossTeams(app.ctx));
  const { rows } = await sql<{ rows: number }>`
    select rows from totals where team_id = ${team.id} and list = 'samples of hour' order by part`.execute(app.db);
  expect(rows.map((row) => row.rows)).toEqual([2, 1]);
  expect((await statusOf(team)).samples.stored).toBe(1);
});
