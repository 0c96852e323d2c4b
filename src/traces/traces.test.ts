import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startCollector, type CollectedSpan, type Collector } from '../../test/collector.ts';
import { startEndpoint, type Endpoint } from '../../test/endpoint.ts';
import { orderKit, shippingAddress, simulate, subscribe } from '../../test/factories.ts';
import { query } from '../../test/global-setup.ts';
import { startTestApp, type TestApp } from '../../test/test-app.ts';
import { openTraces } from './open-traces.ts';
import { statementName } from './statement-name.ts';
import { openLog } from '../log.ts';

const CLIENT_TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SLOW_TRACE = '5bf92f3577b34da6a3ce929d0e0e4737';
const CLIENT_SPAN = '00f067aa0ba902b7';
const traceparent = (flags: string, traceId = CLIENT_TRACE): string => `00-${traceId}-${CLIENT_SPAN}-${flags}`;

/** The rest of the body arrives when the request has been under way for some time. */
async function createUserInParts({ baseUrl, team }: TestApp): Promise<void> {
  const body = JSON.stringify({ client_user_id: 'in-parts' });
  const headers = {
    'content-type': 'application/json',
    'content-length': body.length,
    'x-service-api-key': team.api_key,
    traceparent: traceparent('01', SLOW_TRACE),
  };
  const sending = request(`${baseUrl}/v2/user`, { method: 'POST', headers });
  sending.write(body.slice(0, 5));
  await team.api('GET', '/v2/user');
  const answered = once(sending, 'response') as Promise<[IncomingMessage]>;
  sending.end(body.slice(5));
  const [response] = await answered;
  expect(response.statusCode).toBe(200);
  response.resume();
  await once(response, 'end');
}

describe('with a collector', () => {
  let collector: Collector;
  let endpoint: Endpoint;
  let names: string[];
  let userId: string;
  let requestId: string;

  beforeAll(async () => {
    collector = await startCollector();
    endpoint = await startEndpoint();
    const app = await startTestApp({ PHIAL_OTLP_URL: `${collector.url}/` });
    try {
      const { team } = app;
      await subscribe(team, endpoint);
      const created = await team.api<{ user_id: string; client_user_id: string }>(
        'POST',
        '/v2/user',
        { client_user_id: 'ana.ruiz@example.com' },
        { headers: { traceparent: traceparent('01') } },
      );
      userId = created.body.user_id;
      await createUserInParts(app);
      requestId = created.headers.get('x-request-id') as string;
      const order = await orderKit(team, userId);
      await simulate(team, order.id, '?delay=60');
      await query(app.databaseUrl, `update graphile_worker._private_jobs set run_at = now()`);
      await app.runJobs();
      await app.deliver();
      endpoint.answer((response) => response.writeHead(500).end());
      await team.api('PATCH', `/v2/user/${userId}`, { fallback_time_zone: 'Europe/Berlin' });
      await orderKit(team, userId);
      await app.deliver();
      await team.api('GET', `/v2/user/${userId}`, undefined, { headers: { traceparent: traceparent('00') } });
      await team.api('GET', '/v2/user/not-an-id', undefined, { headers: { traceparent: 'nonsense' } });
      await fetch(`${app.baseUrl}/healthz`);
      names = [team.api_key, team.id, userId, order.id, 'ana.ruiz', ...Object.values(shippingAddress).filter(isLong)];
    } finally {
      await app.close();
    }
  });
  afterAll(async () => {
    await endpoint.close();
    await collector.close();
  });

  /** The digits of an id or a time can contain those of a zip code. */
  const isLong = (value: unknown): value is string => typeof value === 'string' && value.length > 5;
  const found = (name: string): CollectedSpan[] => collector.spans.filter((span) => span.name === name);
  const first = (name: string): CollectedSpan => {
    const [span] = found(name);
    expect(span, name).toBeDefined();
    return span as CollectedSpan;
  };

  test('a request continues the trace of its client, with operation, route, status and request id', () => {
    expect(first('create_user')).toMatchObject({
      traceId: CLIENT_TRACE,
      parentSpanId: CLIENT_SPAN,
      kind: 'server',
      hasFailed: false,
      attributes: {
        'http.request.method': 'POST',
        'http.route': '/v2/user',
        'http.response.status_code': 200,
        'phial.request_id': requestId,
      },
      resource: { 'service.name': 'phial', 'deployment.environment.name': 'sandbox-us' },
    });
  });

  test.each([
    ['its body came at once', CLIENT_TRACE],
    ['its body came in parts', SLOW_TRACE],
  ])('each statement of a request is its child, if %s', (_, traceId) => {
    const request = found('create_user').find((span) => span.traceId === traceId) as CollectedSpan;
    const children = collector.spans.filter(({ parentSpanId }) => parentSpanId === request.spanId);
    const statements = children.map(({ name }) => name);
    expect(statements).toContain('insert client_user_ids');
    expect(statements).toContain('commit');
    for (const child of children) {
      expect(child).toMatchObject({ traceId, kind: 'client' });
      expect(child.attributes).toEqual({ 'db.system.name': 'postgresql', 'db.query.summary': child.name });
      expect(child.durationMs).toBeLessThanOrEqual(request.durationMs);
    }
  });

  test('each event has its id as trace, linked with the request that published it and followed by its attempts', () => {
    const [id] = endpoint.received.flatMap((it) => (it.body.event_type === 'labtest.order.created' ? [it.id] : []));
    const traceId = (id as string).replaceAll('-', '');
    const published = found('publish').find((span) => span.traceId === traceId) as CollectedSpan;
    expect(published).toMatchObject({ kind: 'producer', parentSpanId: null });
    expect(published.attributes).toEqual({ 'phial.event_type': 'labtest.order.created' });
    const request = first('create_testkit_order');
    expect(published.links).toEqual([{ traceId: request.traceId, spanId: request.spanId }]);
    expect(request.links).toContainEqual({ traceId, spanId: published.spanId });
    const attempts = found('deliver').filter((span) => span.traceId === traceId);
    expect(attempts).toHaveLength(1);
    expect(attempts[0]).toMatchObject({
      parentSpanId: published.spanId,
      kind: 'client',
      hasFailed: false,
      attributes: { 'phial.attempt': 1, 'http.response.status_code': 204 },
    });
  });

  test('an attempt that the endpoint refused has failed, with the status', () => {
    const failed = found('deliver').filter(({ hasFailed }) => hasFailed);
    expect(failed.length).toBeGreaterThan(0);
    expect(failed[0]?.attributes).toMatchObject({ 'http.response.status_code': 500, 'error.type': '500' });
  });

  test('a background job has a span of its own, and its statements are children', () => {
    const job = first('simulation_step');
    expect(job).toMatchObject({ kind: 'internal', parentSpanId: null });
    expect(collector.spans.filter(({ parentSpanId }) => parentSpanId === job.spanId).length).toBeGreaterThan(2);
  });

  test('nothing that arrives has an id of a URL, a key or a word of a person', () => {
    expect(collector.spans.length).toBeGreaterThan(30);
    const text = collector.received.join('\n');
    expect(names.filter((name) => text.includes(name))).toEqual([]);
    const keys = new Set(collector.spans.flatMap(({ attributes }) => Object.keys(attributes)));
    expect([...keys].toSorted()).toEqual([
      'db.query.summary',
      'db.system.name',
      'error.type',
      'http.request.method',
      'http.response.status_code',
      'http.route',
      'phial.attempt',
      'phial.endpoint_id',
      'phial.event_type',
      'phial.request_id',
    ]);
  });

  test('a client that does not sample has no span, a wrong traceparent begins a trace, and probes have none', () => {
    expect(found('get_user').filter(({ traceId }) => traceId === CLIENT_TRACE)).toEqual([]);
    const [refused] = found('get_user');
    expect(refused).toMatchObject({ parentSpanId: null, attributes: { 'http.response.status_code': 422 } });
    expect(found('get_health')).toEqual([]);
  });
});

describe('a collector that refuses', () => {
  test('is logged once, and requests go on', async () => {
    const collector = await startCollector();
    collector.answer(400);
    const lines: string[] = [];
    const app: TestApp = await startTestApp(
      { PHIAL_OTLP_URL: collector.url, PHIAL_LOG_LEVEL: 'warn' },
      { logTo: (line) => lines.push(line) },
    );
    expect((await app.api('GET', '/v2/user')).status).toBe(200);
    await app.close();
    expect(collector.received).toHaveLength(1);
    expect(lines.filter((line) => line.includes('the collector takes no traces'))).toHaveLength(1);
    await collector.close();
  });
});

test('of two hundred traces about the share of the option is sent', async () => {
  const collector = await startCollector();
  const config = { traces: { url: collector.url, percent: 20 }, region: 'us', environment: 'sandbox' } as const;
  const traces = await openTraces(config, { role: 'api', version: '1', log: openLog('silent') });
  for (let n = 0; n < 200; n += 1) traces?.beginRequest('get_user', null, {}).end();
  await traces?.close();
  expect(collector.spans.length).toBeGreaterThan(10);
  expect(collector.spans.length).toBeLessThan(90);
  await collector.close();
});

test.each([
  ['select * from "users" where id = $1', 'select users'],
  ['insert into events (id) values ($1)', 'insert events'],
  ['with event as (select * from unnest($1)), written as (insert into events (id) select 1) select 2', 'insert events'],
  ['select id from orders where id = $1 for update of orders', 'select orders'],
  ['insert into totals (n) values ($1) on conflict (id) do update set n = 1', 'insert totals'],
  ['  update only "webhooks" set a = $1', 'update webhooks'],
  ['delete from deliveries where id = $1', 'delete deliveries'],
  ["select set_config('a', $1, false)", 'select'],
  ['commit', 'commit'],
])('%s is named %s', (sql, name) => {
  expect(statementName(sql)).toBe(name);
});
