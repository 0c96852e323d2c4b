import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import Fastify from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../test/test-app.ts';
import { occupyConnections } from '../../test/occupy-connections.ts';
import type { Db } from '../db/open-database.ts';
import { RESERVED_CONNECTIONS } from '../http/limits/request-permits.ts';
import { registerProbes } from './probes.ts';

const CONNECTIONS = 4;

let app: TestApp;
beforeAll(async () => {
  const limits = { poolSize: CONNECTIONS, poolWaitMs: 30_000 };
  app = await startTestApp({ PHIAL_BASE_URL: 'https://phial.example.com' }, limits);
});
afterAll(() => app.close());

const read = (path: string) => app.api<Record<string, string>>('GET', path, undefined, { key: null });

describe('without a key', () => {
  test('GET / returns name, version and addresses of the service', async () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    expect((await read('/')).body).toEqual({
      name: 'Phial',
      version,
      interface_version: '0.4.602',
      environment: 'sandbox',
      region: 'us',
      docs: 'https://phial.example.com/docs',
      openapi: 'https://phial.example.com/openapi.json',
    });
  });

  test('/healthz and /readyz answer 200', async () => {
    expect((await read('/healthz')).body).toEqual({ status: 'ok' });
    expect((await read('/readyz')).body).toEqual({ status: 'ready', request_wait_seconds: 0 });
  });
});

test('/readyz on the metrics port answers 200 while requests hold every connection', async () => {
  const probes = Fastify();
  registerProbes(probes, app.ctx);
  const release = await occupyConnections(app.db, CONNECTIONS);
  try {
    expect(await probes.inject('/readyz')).toMatchObject({ statusCode: 200, body: '{"status":"ready"}' });
  } finally {
    await release();
    await probes.close();
  }
});

describe('/readyz answers 503', () => {
  test('while the process stops', async () => {
    const stop = new AbortController();
    app.ctx.stopping = stop.signal;
    expect((await read('/readyz')).status).toBe(200);
    stop.abort();
    expect(await read('/readyz')).toMatchObject({
      status: 503,
      body: { code: 'not_ready', detail: 'The service is stopping.' },
    });
    expect((await read('/healthz')).status).toBe(200);
    delete app.ctx.stopping;
  });

  test('when the database does not answer, within seconds even if it hangs', async () => {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const occupied: Promise<void>[] = [];
    const reserved = app.ctx.reserved as Db;
    await Promise.all(
      Array.from(
        { length: RESERVED_CONNECTIONS },
        () =>
          new Promise<void>((taken) => {
            occupied.push(
              reserved.connection().execute(async () => {
                taken();
                await released;
              }),
            );
          }),
      ),
    );
    // A statement would wait 30 seconds for a connection here.
    const start = Date.now();
    expect(await read('/readyz')).toMatchObject({
      status: 503,
      body: { code: 'not_ready', detail: 'The database does not answer.' },
    });
    expect(Date.now() - start).toBeLessThan(20_000);
    release();
    await Promise.all(occupied);
    expect((await read('/readyz')).status).toBe(200);
  });
});

test('a request on an open connection while the server closes gets an answer in the usual shape', async () => {
  const other = await startTestApp();
  const { port } = new URL(other.baseUrl);
  const refused = async (): Promise<boolean> =>
    fetch(`${other.baseUrl}/healthz`).then(
      () => false,
      () => true,
    );
  const socket = connect(Number(port), '127.0.0.1');
  let text = '';
  socket.on('data', (chunk) => {
    text += String(chunk);
  });
  const body = '{"client_user_id":"late"}';
  socket.write(
    `POST /v2/user HTTP/1.1\r\nhost: x\r\nx-service-api-key: ${other.team.api_key}\r\n` +
      `content-type: application/json\r\ncontent-length: ${body.length}\r\nexpect: 100-continue\r\n\r\n`,
  );
  await expect.poll(() => text).toContain('100 Continue');
  const stop = new AbortController();
  other.ctx.stopping = stop.signal;
  stop.abort();
  const closing = other.close();
  await expect.poll(refused).toBe(true);
  socket.write(`${body}GET /readyz HTTP/1.1\r\nhost: x\r\n\r\n`);
  await once(socket, 'close');
  await closing;
  expect(text).toContain('HTTP/1.1 200 ');
  expect(text).toContain('HTTP/1.1 503 ');
  expect(text).toContain('"code":"not_ready"');
});
