import type { ServerResponse } from 'node:http';
import { sql } from 'kysely';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../test/test-app.ts';
import { subscribe, webhookPath } from '../../test/factories.ts';
import { dueNow, queued } from '../../test/deliveries.ts';
import { steps } from '../../test/invented-events.ts';
import { publishTo } from '../../test/publish-event.ts';
import { startEndpoint, type Endpoint } from '../../test/endpoint.ts';
import { acrossTeams } from '../db/session/bind.ts';
import { disableEndpoints } from './disable.ts';

let app: TestApp;
let team: Team;
const endpoints: Endpoint[] = [];
beforeAll(async () => {
  app = await startTestApp();
});
afterEach(async () => {
  for (const endpoint of endpoints.splice(0)) await endpoint.close();
});
afterAll(() => app.close());

async function listen(filterTypes: string[] | null = null): Promise<{ id: string; endpoint: Endpoint }> {
  const endpoint = await startEndpoint({ invented: true });
  endpoints.push(endpoint);
  return { id: await subscribe(team, endpoint, filterTypes), endpoint };
}
const respondWith =
  (code: number) =>
  (response: { writeHead: (code: number) => { end: () => void } }): void =>
    response.writeHead(code).end();

const publish = (): Promise<string> => publishTo(app, team, steps, {});
const stored = (id: string) =>
  app.db
    .selectFrom('webhooks')
    .innerJoin('endpoint_queues', 'webhook_id', 'webhooks.id')
    .select(['disabled', 'failing_since'])
    .where('webhooks.id', '=', id)
    .executeTakeFirstOrThrow();
const queue = (id: string) => queued(app, id);
const failingFor = (id: string, time: string) =>
  sql`update endpoint_queues set failing_since = now() - ${time}::interval where webhook_id = ${id}`.execute(app.db);
const makeDue = () => dueNow(app);
const enable = (id: string) => team.api('PATCH', `${webhookPath(team)}/${id}`, { disabled: false });

describe('an endpoint that answers 410', () => {
  test('and is being changed delays nobody, and is disabled at its next failure', async () => {
    team = await app.makeTeam();
    const { id, endpoint } = await listen();
    endpoint.answer(respondWith(410));
    const event = await publish();
    await app.db.transaction().execute(async (tx) => {
      await sql`select from webhooks where id = ${id} for update`.execute(tx);
      const began = performance.now();
      await app.deliver();
      expect(performance.now() - began).toBeLessThan(3_000);
    });
    expect([(await stored(id)).disabled, await queue(id)]).toMatchObject([false, [{ event_id: event, attempt: 1 }]]);
    await makeDue();
    await app.deliver();
    expect((await stored(id)).disabled).toBe(true);
  });

  test('is disabled at once, its operators get an event, and it gets waiting events when enabled', async () => {
    team = await app.makeTeam();
    const { id, endpoint } = await listen();
    const operators = await listen(['endpoint.disabled']);
    endpoint.answer(respondWith(410));
    const first = await publish();
    await app.deliver();
    expect((await team.api<{ disabled: boolean }>('GET', `${webhookPath(team)}/${id}`)).body.disabled).toBe(true);
    expect(operators.endpoint.received.map(({ body }) => body)).toEqual([
      {
        event_type: 'endpoint.disabled',
        data: { endpoint_id: id, reason: 'gone', failing_since: expect.any(String) },
        team_id: team.id,
        user_id: null,
        client_user_id: null,
      },
    ]);
    const second = await publish();
    await makeDue();
    await app.deliver();
    expect(endpoint.requests()).toBe(1);
    expect((await queue(id)).map(({ event_id }) => event_id).toSorted()).toEqual([first, second]);
    endpoint.answer(null);
    await enable(id);
    await app.deliver();
    expect(endpoint.received.map((event) => event.id).toSorted()).toEqual([first, second]);
    expect([await queue(id), await stored(id)]).toEqual([[], { disabled: false, failing_since: null }]);
  });
});

describe('an endpoint that only fails', () => {
  test('gets its retries at once when its team disables and enables it', async () => {
    team = await app.makeTeam();
    const { id, endpoint } = await listen();
    endpoint.answer(respondWith(500));
    const event = await publish();
    await app.deliver();
    await team.api('PATCH', `${webhookPath(team)}/${id}`, { disabled: true });
    endpoint.answer(null);
    await app.deliver();
    expect(endpoint.received).toEqual([]);
    await enable(id);
    await app.deliver();
    expect(endpoint.received.map((received) => received.id)).toEqual([event]);
    expect(await queue(id)).toEqual([]);
  });

  test('is disabled at the failed attempt 5 days after the first failure', async () => {
    team = await app.makeTeam();
    const { id, endpoint } = await listen();
    const operators = await listen(['endpoint.disabled', 'message.attempt.exhausted']);
    endpoint.answer(respondWith(500));
    await publish();
    await app.deliver();
    expect(await stored(id)).toEqual({ disabled: false, failing_since: expect.any(String) });
    await failingFor(id, '4 days 23 hours 59 minutes');
    await makeDue();
    await app.deliver();
    expect((await stored(id)).disabled).toBe(false);
    await failingFor(id, '5 days 1 second');
    const { failing_since } = await stored(id);
    await makeDue();
    await app.deliver();
    expect((await stored(id)).disabled).toBe(true);
    expect(operators.endpoint.received.map(({ body }) => [body.event_type, body.data])).toEqual([
      ['endpoint.disabled', { endpoint_id: id, reason: 'failing', failing_since }],
    ]);
    expect((await queue(id)).length).toBe(1);
  });

  test('starts a new period of failures after one success', async () => {
    team = await app.makeTeam();
    const { id, endpoint } = await listen();
    endpoint.answer(respondWith(500));
    await publish();
    await app.deliver();
    await failingFor(id, '6 days');
    endpoint.answer(null);
    await makeDue();
    await app.deliver();
    expect(await stored(id)).toEqual({ disabled: false, failing_since: null });
    endpoint.answer(respondWith(500));
    await publish();
    await app.deliver();
    expect((await stored(id)).disabled).toBe(false);
  });

  test('is not disabled by time alone, nor by failures of another endpoint', async () => {
    team = await app.makeTeam();
    const good = await listen();
    const bad = await listen();
    bad.endpoint.answer(respondWith(500));
    await publish();
    await app.deliver();
    await failingFor(bad.id, '6 days');
    await app.deliver();
    expect([(await stored(good.id)).failing_since, (await stored(bad.id)).disabled]).toEqual([null, false]);
  });
});

describe('an endpoint whose URL changes while an attempt is under way', () => {
  /** Starts a delivery, then changes the URL. `answer` ends the request at the old URL. `there` is the new endpoint. */
  async function move(
    change: object = {},
  ): Promise<{ id: string; there: Endpoint; answer: (code: number) => Promise<void> }> {
    team = await app.makeTeam();
    const { id, endpoint } = await listen();
    const there = await startEndpoint({ invented: true });
    endpoints.push(there);
    const { body } = await team.api<{ key: string }>('GET', `${webhookPath(team)}/${id}/secret`);
    there.trust(body.key);
    const hanging: ServerResponse[] = [];
    endpoint.answer((response) => hanging.push(response));
    await publish();
    const delivering = app.deliver();
    await expect.poll(() => hanging.length).toBe(1);
    const path = `${webhookPath(team)}/${id}`;
    if ('disabled' in change) await team.api('PATCH', path, { disabled: true });
    await team.api('PATCH', path, { ...change, url: there.url });
    const answer = async (code: number): Promise<void> => {
      hanging[0]?.writeHead(code).end();
      await delivering;
    };
    return { id, there, answer };
  }

  test.each([
    [410, {}],
    [500, {}],
    [410, { disabled: false }],
  ])('is not disabled for the %i of the former URL, and gets the failed event (%j)', async (code, change) => {
    const { id, there, answer } = await move(change);
    await answer(code);
    expect(await stored(id)).toEqual({ disabled: false, failing_since: null });
    await makeDue();
    await app.deliver();
    expect([there.received.length, await queue(id)]).toEqual([1, []]);
  });

  test('keeps its period of failures when the former URL accepts the event', async () => {
    const { id, there, answer } = await move();
    await failingFor(id, '6 days');
    const before = await stored(id);
    await answer(204);
    expect([await stored(id), await queue(id)]).toEqual([before, []]);
    there.answer(respondWith(500));
    await publish();
    await app.deliver();
    expect((await stored(id)).disabled).toBe(true);
  });
});

test('an endpoint that succeeds while the row of its queue is locked starts a new period of failures', async () => {
  team = await app.makeTeam();
  const { id, endpoint } = await listen();
  await failingFor(id, '6 days');
  const other = new Client({ connectionString: app.databaseUrl });
  await other.connect();
  endpoint.answer(async (response) => {
    await other.query('begin');
    await other.query('select from endpoint_queues where webhook_id = $1 for update', [id]);
    response.writeHead(204).end();
  });
  await publish();
  const began = performance.now();
  await app.deliver();
  expect(performance.now() - began).toBeLessThan(3_000);
  endpoint.answer(respondWith(500));
  await other.query('rollback');
  await other.end();
  const failed = await publish();
  await expect
    .poll(async () => {
      await app.deliver();
      return endpoint.requests();
    })
    .toBe(2);
  expect([(await stored(id)).disabled, await queue(id)]).toMatchObject([false, [{ event_id: failed, attempt: 1 }]]);
});

test('an endpoint that succeeds before it is disabled for its failures stays enabled', async () => {
  team = await app.makeTeam();
  const { id } = await listen();
  const failing = { webhook_id: id, team_id: team.id, url_changes: 0, reason: 'failing' as const };
  await disableEndpoints(acrossTeams(app.ctx), [failing]);
  expect((await stored(id)).disabled).toBe(false);
  await failingFor(id, '6 days');
  await disableEndpoints(acrossTeams(app.ctx), [failing]);
  expect((await stored(id)).disabled).toBe(true);
});

test('an operational event that is given up causes no further event', async () => {
  team = await app.makeTeam();
  const failing = await listen();
  failing.endpoint.answer(respondWith(500));
  const operators = await listen(['message.attempt.exhausted']);
  operators.endpoint.answer(respondWith(500));
  await publish();
  const lastAttempt = async (): Promise<void> => {
    await sql`with first as (delete from deliveries returning *)
      insert into retries select webhook_id, event_id, team_id, 7, now() from first`.execute(app.db);
    await sql`update retries set attempt = 7`.execute(app.db);
    await dueNow(app);
  };
  await lastAttempt();
  await app.deliver();
  const published = () =>
    app.db.selectFrom('events').select('event_type').where('team_id', '=', team.id).orderBy('id').execute();
  const after = [{ event_type: 'daily.data.steps.created' }, { event_type: 'message.attempt.exhausted' }];
  expect(await published()).toEqual(after);
  await lastAttempt();
  await app.deliver();
  expect([await published(), await queue(operators.id)]).toEqual([after, []]);
});
