import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../../../test/app.ts';
import { startBroker, type Broker } from '../../../../test/broker.ts';
import { critical, past, steps } from '../../../../test/events.ts';
import { makeUser, pushSummaries, subscribe } from '../../../../test/factories.ts';
import { etlPath, etlPipeline } from '../../../../test/pipelines.ts';
import { publishTo } from '../../../../test/publish.ts';
import { startReceiver } from '../../../../test/receiver.ts';
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
  const started = startStreaming(app.ctx);
  streaming.push(started);
  return started;
};
const tell = (n: number, type = steps, more: object = {}): Promise<string> =>
  publishTo(app, team, type, { n, ...more });
const told = (): number[] => broker.received.map(({ body }) => (JSON.parse(body) as { data: { n: number } }).data.n);
const rowOf = async () => {
  const { rows } = await sql<{ failures: number; last_error: string | null; lease_id: string | null }>`
    select failures, last_error, lease_id from etl_pipelines where team_id = ${team.id}`.execute(app.db);
  return rows[0];
};
const fails = (): Promise<void> => vi.waitFor(async () => expect((await rowOf())?.failures).toBeGreaterThan(0), 10_000);
/** As if the pause after a failure were over. */
const dueNow = () => sql`update etl_pipelines set due_at = now() where team_id = ${team.id}`.execute(app.db);

describe('events of a team', () => {
  test('reach the exchange from the moment of the configuration on, in order, with the bytes of the webhook', async () => {
    await tell(0);
    expect((await set()).status).toBe(200);
    const receiver = await startReceiver({ invented: true });
    await subscribe(team, receiver);
    const id = await tell(1, critical, { s: 'ü'.repeat(6_000) });
    await tell(2);
    start();
    const [first, second] = await broker.receives(2);
    await app.deliver();
    expect(receiver.received.map(({ raw }) => raw)).toContain(first?.body);
    expect([first?.exchange, first?.routing_key, second?.routing_key]).toEqual(['health', critical.name, steps.name]);
    // Content type, persistent, message id, time and type.
    expect(first?.headers.readUInt16BE(12)).toBe(0b1001000011100000);
    const text = first?.headers.toString('latin1') ?? '';
    for (const part of ['\x10application/json\x02', `\x24${id}`, `${critical.name}`]) expect(text).toContain(part);
    expect(told()).toEqual([1, 2]);
    expect(broker.logins).toEqual(['\0phial\0of broker']);
    await receiver.close();
  });

  test('of daily data say in a header of the message how that came', async () => {
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

  test('that come later follow at once, by a notification', async () => {
    await set();
    const started = start();
    await tell(1);
    await broker.receives(1);
    const before = performance.now();
    await tell(2);
    started.wake(team.id);
    await broker.receives(2);
    expect(performance.now() - before).toBeLessThan(10_000);
  });

  test('are those that its prefixes name; of the past only where that is asked for', async () => {
    await set({ event_type_prefixes: ['labtest.', 'historical.'] });
    await tell(1);
    await tell(2, critical);
    await tell(3, past);
    await tell(4, critical);
    start();
    await broker.receives(2);
    expect(told()).toEqual([2, 4]);
    await set({ push_historical_data: true, event_type_prefixes: [] });
    await tell(5, past);
    await tell(6);
    await broker.receives(4);
    expect(told()).toEqual([2, 4, 5, 6]);
  });

  test('come again until they are confirmed, and what is confirmed comes once', async () => {
    await set();
    await tell(1);
    broker.behave('nack');
    start();
    await fails();
    expect(await rowOf()).toMatchObject({ last_error: 'nacked', lease_id: null });
    broker.behave('confirm');
    await dueNow();
    await broker.receives(2);
    await tell(2);
    streaming[0]?.wake(team.id);
    await broker.receives(3);
    expect(told()).toEqual([1, 1, 2]);
    await vi.waitFor(async () => expect((await rowOf())?.failures).toBe(0), 10_000);
  });

  test('that wait while their broker fails go out after a change of the pipeline, at once and from where it was', async () => {
    await set();
    await tell(1);
    broker.behave('nack');
    start();
    await fails();
    await sql`update etl_pipelines set due_at = now() + interval '1 hour' where team_id = ${team.id}`.execute(app.db);
    broker.behave('confirm');
    await tell(2);
    await set({ event_type_prefixes: ['daily.'] });
    await broker.receives(3);
    expect(told()).toEqual([1, 1, 2]);
  });

  test('wait for a broker that is away, whose failures are told of without its address or its words', async () => {
    await broker.close();
    await set();
    await tell(1);
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
    expect(told()).toEqual([1, 1]);
    const mine = lines.filter((line) => line.includes(team.id)).join('');
    expect(mine).toContain('a pipeline could not be streamed');
    expect(mine).not.toMatch(/broker@|of%20broker|of broker|clinic|127\.0\.0\.1/);
  });

  test('follow over a new connection where the broker has hung up meanwhile', async () => {
    await set();
    const started = start();
    await tell(1);
    await broker.receives(1);
    const { port } = broker;
    await broker.close();
    broker = await startBroker(port);
    await tell(2);
    started.wake(team.id);
    await fails();
    await dueNow();
    await broker.receives(1);
    expect(told()).toEqual([2]);
  });

  test('are streamed by one process of several', async () => {
    await set();
    for (let n = 0; n < 20; n += 1) await tell(n);
    start();
    start();
    await broker.receives(20);
    await tell(20);
    for (const each of streaming) each.wake(team.id);
    await broker.receives(21);
    expect(told()).toEqual(Array.from({ length: 21 }, (_, n) => n));
  });

  test('stop with the pipeline, and with the team', async () => {
    await set();
    await tell(1);
    const started = start();
    await broker.receives(1);
    await team.api('DELETE', `${etlPath(team)}?team_id=${team.id}`);
    await tell(2);
    started.wake(team.id);
    await vi.waitFor(() => expect(broker.connections()).toBe(0), 10_000);
    await set();
    await tell(3);
    await team.api('DELETE', `/v1/org/${team.org_id}/team/${team.id}`);
    await started.stop(10_000);
    expect(told()).toEqual(expect.not.arrayContaining([2]));
  });
});

describe('a broker', () => {
  test('that never stops talking is hung up on and told of as failing, though it takes what it is given', async () => {
    await set();
    await tell(1);
    broker.behave('flood');
    start();
    await broker.receives(1);
    await fails();
    expect(await rowOf()).toMatchObject({ last_error: 'not_amqp', lease_id: null });
    await vi.waitFor(() => expect(broker.connections()).toBe(0), 10_000);
    broker.behave('confirm');
    await tell(2);
    await dueNow();
    await vi.waitFor(() => expect(told()).toContain(2), 10_000);
    await vi.waitFor(async () => expect((await rowOf())?.failures).toBe(0), 10_000);
  });

  test('may say that it lives more often than was agreed, up to 16 KiB', async () => {
    await set();
    const started = start();
    await tell(1);
    await broker.receives(1);
    broker.beat(1_900);
    await tell(2);
    started.wake(team.id);
    await broker.receives(2);
    expect([broker.connected(), (await rowOf())?.failures]).toEqual([1, 0]);
    broker.beat(400);
    await fails();
    expect((await rowOf())?.last_error).toBe('not_amqp');
  });

  test('that says nothing for two of the periods that were agreed is hung up on, while there is nothing to publish', async () => {
    const { port } = broker;
    await broker.close();
    broker = await startBroker(port, 1);
    await set();
    await tell(1);
    start();
    await broker.receives(1);
    expect(broker.connections()).toBe(1);
    await vi.waitFor(() => expect(broker.connections()).toBe(0), 10_000);
  });

  test.each(['amqp', 'amqps'])(
    'that says nothing is given up at once when the service stops (%s)',
    async (scheme) => {
      broker.behave('mute');
      await set({ rabbitmq: { uri: broker.uri.replace('amqp', scheme), exchange: 'health' } });
      await tell(1);
      const started = start();
      await vi.waitFor(() => expect(broker.connections()).toBe(1), 10_000);
      await started.stop(60_000);
      // Whoever waited for it would have found that it takes too long.
      expect(await rowOf()).toEqual({ failures: 0, last_error: null, lease_id: null });
      await vi.waitFor(() => expect(broker.connections()).toBe(0), 10_000);
    },
    30_000,
  );

  test('that confirms nothing is waited for until the drain is over, and what it was given comes again', async () => {
    broker.behave('silent');
    await set();
    await tell(1);
    const started = start();
    await broker.receives(1);
    await started.stop(200);
    expect(await rowOf()).toEqual({ failures: 0, last_error: null, lease_id: null });
    broker.behave('confirm');
    start();
    await broker.receives(2);
    expect(told()).toEqual([1, 1]);
  }, 30_000);
});

test('an address that may not be connected to is refused before a byte is written', async () => {
  await set();
  await tell(1);
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
