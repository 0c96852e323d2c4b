import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../../../test/test-app.ts';
import { startBroker, type Broker } from '../../../../test/broker.ts';
import { critical, past, steps } from '../../../../test/invented-events.ts';
import { makeUser, pushSummaries, subscribe } from '../../../../test/factories.ts';
import { etlPath, etlPipeline } from '../../../../test/pipelines.ts';
import { publishTo } from '../../../../test/publish-event.ts';
import { startEndpoint } from '../../../../test/endpoint.ts';
import { startStreaming, type Streaming } from './start-streaming.ts';

let app: TestApp;
let team: Team;
let broker: Broker;
let streaming: Streaming[] = [];
const lines: string[] = [];
beforeAll(async () => {
  app = await startTestApp({ PHIAL_LOG_LEVEL: 'warn' }, { logTo: (line) => lines.push(line) });
});
afterAll(() => app.close());
beforeEach(async () => {
  [team, broker] = [await app.makeTeam(), await startBroker()];
});
afterEach(async () => {
  await Promise.all(streaming.map((each) => each.stop(10_000)));
  streaming = [];
  await broker.close();
});

const set = (changed: object = {}) =>
  team.api<{ code?: string }>('POST', etlPath(team), { ...etlPipeline([team.id], broker.uri), ...changed });
const start = (): Streaming => {
  const started = startStreaming(app.ctx, undefined, { pollMs: 50 });
  streaming.push(started);
  return started;
};
const publish = (n: number, type = steps, more: object = {}): Promise<string> =>
  publishTo(app, team, type, { n, ...more });
const received = (): number[] =>
  broker.received.map(({ body }) => (JSON.parse(body) as { data: { n: number } }).data.n);
const rowOf = async () => {
  const { rows } = await sql<{ failures: number; last_error: string | null; lease_id: string | null }>`
    select failures, last_error, lease_id from etl_pipelines where team_id = ${team.id}`.execute(app.db);
  return rows[0];
};
const fails = (): Promise<void> => vi.waitFor(async () => expect((await rowOf())?.failures).toBeGreaterThan(0), 10_000);
/** Ends the pause after a failure. */
const dueNow = () => sql`update etl_pipelines set due_at = now() where team_id = ${team.id}`.execute(app.db);

describe('events of a team', () => {
  test('reach the exchange from the configuration on, in order, with the bytes of the webhook', async () => {
    // A transaction that runs all the time does not make earlier events come.
    const other = await app.db.startTransaction().execute();
    await sql`select pg_current_xact_id()`.execute(other);
    await publish(0);
    expect((await set()).status).toBe(200);
    const endpoint = await startEndpoint({ invented: true });
    await subscribe(team, endpoint);
    const id = await publish(1, critical, { s: 'ü'.repeat(6_000) });
    await publish(2);
    start();
    const [first, second] = await broker.receives(2);
    await app.deliver();
    expect(endpoint.received.map(({ raw }) => raw)).toContain(first?.body);
    expect([first?.exchange, first?.routing_key, second?.routing_key]).toEqual(['health', critical.name, steps.name]);
    // The flags say which properties follow: content type, delivery mode, message id, time and type.
    expect(first?.headers.readUInt16BE(12)).toBe(0b1001000011100000);
    const text = first?.headers.toString('latin1') ?? '';
    for (const part of ['\x10application/json\x02', `\x24${id}`, `${critical.name}`]) expect(text).toContain(part);
    expect(received()).toEqual([1, 2]);
    expect(broker.logins).toEqual(['\0phial\0of broker']);
    await other.rollback().execute();
    await endpoint.close();
  });

  test('of daily data have their origin in a header of the message', async () => {
    await set();
    start();
    const { user_id } = await makeUser(team);
    await pushSummaries(team, user_id, 'body', [
      { provider: 'withings', timestamp: '2026-01-05T07:10:00Z', weight: 71.4 },
    ]);
    const [message] = await broker.receives(1);
    expect(message?.routing_key).toBe('daily.data.body.created');
    expect(message?.headers.readUInt16BE(12)).toBe(0b1011000011100000);
    const table = '\x0cphial-originS\0\0\0\x04live';
    expect(message?.headers.toString('latin1')).toContain(`\x10application/json\0\0\0\x16${table}\x02`);
  });

  test('that come later follow at once after a notification', async () => {
    await set();
    const started = start();
    await publish(1);
    await broker.receives(1);
    const before = performance.now();
    await publish(2);
    started.wake(team.id);
    await broker.receives(2);
    expect(performance.now() - before).toBeLessThan(10_000);
  });

  test('are those that the prefixes match, and historical ones only on request', async () => {
    await set({ event_type_prefixes: ['labtest.', 'historical.'] });
    await publish(1);
    await publish(2, critical);
    await publish(3, past);
    await publish(4, critical);
    start();
    await broker.receives(2);
    expect(received()).toEqual([2, 4]);
    await set({ push_historical_data: true, event_type_prefixes: [] });
    await publish(5, past);
    await publish(6);
    await broker.receives(4);
    expect(received()).toEqual([2, 4, 5, 6]);
  });

  test('come again until they are confirmed, and confirmed ones come once', async () => {
    await set();
    await publish(1);
    broker.behave('nack');
    start();
    await fails();
    expect(await rowOf()).toMatchObject({ last_error: 'nacked', lease_id: null });
    broker.behave('confirm');
    await dueNow();
    await broker.receives(2);
    await publish(2);
    streaming[0]?.wake(team.id);
    await broker.receives(3);
    expect(received()).toEqual([1, 1, 2]);
    await vi.waitFor(async () => expect((await rowOf())?.failures).toBe(0), 10_000);
  });

  test('that wait for a failing broker continue at once after a change of the pipeline', async () => {
    await set();
    await publish(1);
    broker.behave('nack');
    start();
    await fails();
    await sql`update etl_pipelines set due_at = now() + interval '1 hour' where team_id = ${team.id}`.execute(app.db);
    broker.behave('confirm');
    await publish(2);
    await set({ event_type_prefixes: ['daily.'] });
    await broker.receives(3);
    expect(received()).toEqual([1, 1, 2]);
  });

  test('wait for a broker that is away, and logs contain neither its address nor its texts', async () => {
    await broker.close();
    await set();
    await publish(1);
    start();
    await fails();
    expect((await rowOf())?.last_error).toBe('ECONNREFUSED');
    broker = await startBroker(broker.port);
    broker.behave(404);
    await dueNow();
    await vi.waitFor(async () => expect((await rowOf())?.last_error).toBe('amqp_404'), 10_000);
    broker.behave('confirm');
    await dueNow();
    await broker.receives(2);
    expect(received()).toEqual([1, 1]);
    const mine = lines.filter((line) => line.includes(team.id)).join('');
    expect(mine).toContain('a pipeline could not be streamed');
    expect(mine).not.toMatch(/broker@|of%20broker|of broker|clinic|127\.0\.0\.1/);
  });

  test('follow over a new connection when the broker has closed the first one', async () => {
    await set();
    const started = start();
    await publish(1);
    await broker.receives(1);
    const { port } = broker;
    await broker.close();
    broker = await startBroker(port);
    await publish(2);
    started.wake(team.id);
    await fails();
    await dueNow();
    await broker.receives(1);
    expect(received()).toEqual([2]);
  });

  test('are streamed by one process of several', async () => {
    await set();
    for (let n = 0; n < 20; n += 1) await publish(n);
    start();
    start();
    await broker.receives(20);
    await publish(20);
    for (const each of streaming) each.wake(team.id);
    await broker.receives(21);
    expect(received()).toEqual(Array.from({ length: 21 }, (_, n) => n));
  });

  test('stop when the pipeline or the team is deleted', async () => {
    await set();
    await publish(1);
    const started = start();
    await broker.receives(1);
    await team.api('DELETE', `${etlPath(team)}?team_id=${team.id}`);
    await publish(2);
    started.wake(team.id);
    await vi.waitFor(() => expect(broker.connections()).toBe(0), 10_000);
    await set();
    await publish(3);
    await team.api('DELETE', `/v1/org/${team.org_id}/team/${team.id}`);
    await started.stop(10_000);
    expect(received()).toEqual(expect.not.arrayContaining([2]));
  });
});

describe('a broker', () => {
  test('that sends without end is disconnected and recorded as failing, though it accepts messages', async () => {
    await set();
    await publish(1);
    broker.behave('flood');
    start();
    await broker.receives(1);
    await fails();
    expect(await rowOf()).toMatchObject({ last_error: 'not_amqp', lease_id: null });
    await vi.waitFor(() => expect(broker.connections()).toBe(0), 10_000);
    broker.behave('confirm');
    await publish(2);
    await dueNow();
    await vi.waitFor(() => expect(received()).toContain(2), 10_000);
    await vi.waitFor(async () => expect((await rowOf())?.failures).toBe(0), 10_000);
  });

  test('may send heartbeats more often than agreed, up to 16 KiB', async () => {
    await set();
    const started = start();
    await publish(1);
    await broker.receives(1);
    broker.beat(1_900);
    await publish(2);
    started.wake(team.id);
    await broker.receives(2);
    expect([broker.connected(), (await rowOf())?.failures]).toEqual([1, 0]);
    broker.beat(400);
    await fails();
    expect((await rowOf())?.last_error).toBe('not_amqp');
  });

  test('that sends nothing for two heartbeat periods is disconnected, also with nothing to publish', async () => {
    const { port } = broker;
    await broker.close();
    broker = await startBroker(port, 1);
    await set();
    await publish(1);
    start();
    await broker.receives(1);
    expect(broker.connections()).toBe(1);
    await vi.waitFor(() => expect(broker.connections()).toBe(0), 10_000);
  });

  test.each(['amqp', 'amqps'])(
    'that sends nothing is disconnected at once when the service stops (%s)',
    async (scheme) => {
      broker.behave('mute');
      await set({ rabbitmq: { uri: broker.uri.replace('amqp', scheme), exchange: 'health' } });
      await publish(1);
      const started = start();
      await vi.waitFor(() => expect(broker.connections()).toBe(1), 10_000);
      await started.stop(60_000);
      // A stop that waited for the broker would record a time-out.
      expect(await rowOf()).toEqual({ failures: 0, last_error: null, lease_id: null });
      await vi.waitFor(() => expect(broker.connections()).toBe(0), 10_000);
    },
    30_000,
  );

  test('that confirms nothing is awaited until the drain is over, and its messages come again', async () => {
    broker.behave('silent');
    await set();
    await publish(1);
    const started = start();
    await broker.receives(1);
    await started.stop(200);
    expect(await rowOf()).toEqual({ failures: 0, last_error: null, lease_id: null });
    broker.behave('confirm');
    start();
    await broker.receives(2);
    expect(received()).toEqual([1, 1]);
  }, 30_000);
});

test('an address that the policy forbids is refused before a byte is written', async () => {
  await set();
  await publish(1);
  const strict = await startTestApp(
    { PHIAL_WEBHOOK_ALLOWED_NETWORKS: '192.0.2.0/24' },
    { databaseUrl: app.databaseUrl },
  );
  const started = startStreaming(strict.ctx);
  try {
    await fails();
    expect([(await rowOf())?.last_error, broker.logins]).toEqual(['address_refused', []]);
  } finally {
    await started.stop(10_000);
    await strict.close();
  }
});
