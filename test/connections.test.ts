// Tests of clients that send too slowly, send too much, or read nothing.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { hookTokenOf } from '../src/wearables/providers/notification-reader.ts';
import { startTestApp, type TestApp } from './test-app.ts';

let app: TestApp;
const sockets: Socket[] = [];
beforeAll(async () => {
  app = await startTestApp({ PHIAL_REQUEST_TIMEOUT_SECONDS: '1', PHIAL_MAX_CONNECTIONS_PER_ADDRESS: '20' });
});
afterAll(() => app.close());
afterEach(async ({ task }) => {
  // Lines of tests that run in parallel appear with the next test that runs alone, or with the service.
  if (task.concurrent) return;
  const open = sockets.splice(0).filter((socket) => !socket.closed);
  await Promise.all(open.map((socket) => (socket.destroy(), once(socket, 'close'))));
});

function open(): Socket {
  const { hostname, port } = new URL(app.baseUrl);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  sockets.push(socket);
  return socket;
}

const head = (line: string, ...headers: string[]): string =>
  [line, 'host: x', `x-service-api-key: ${app.team.api_key}`, ...headers, '', ''].join('\r\n');

const hook = (token: string, ...headers: string[]): string =>
  head(`POST /v2/hooks/oura/${token} HTTP/1.1`, 'content-type: application/json', ...headers);

type Answer = { status: number; body: { code: string; detail: string } };
async function responseOf(socket: Socket): Promise<Answer> {
  const received = await text(socket);
  return {
    status: Number(received.split(' ')[1]),
    body: JSON.parse(received.slice(received.indexOf('\r\n\r\n'))) as Answer['body'],
  };
}

describe.concurrent('a request that does not arrive in time', () => {
  test('gets 408 when its body is missing', async () => {
    const socket = open();
    socket.write(head('POST /v2/user HTTP/1.1', 'content-type: application/json', 'content-length: 100') + '{"client');
    const { status, body } = await responseOf(socket);
    expect([status, body.code]).toEqual([408, 'request_timeout']);
  });

  test('gets 408 when it arrives byte by byte, however steadily', async () => {
    const socket = open();
    socket.write(head('POST /v2/user HTTP/1.1', 'content-type: application/json', 'content-length: 10000'));
    const drip = setInterval(() => socket.write(' '), 50);
    try {
      expect((await responseOf(socket)).status).toBe(408);
    } finally {
      clearInterval(drip);
    }
  });

  test('gets 408 when a provider sends it byte by byte, although it may be a stream', async () => {
    const socket = open();
    socket.write(hook(hookTokenOf('secret-of-nobody'), 'content-length: 10000'));
    const drip = setInterval(() => socket.write(' '), 50);
    try {
      expect((await responseOf(socket)).status).toBe(408);
    } finally {
      clearInterval(drip);
    }
  });

  test('gets 408 when its headers are missing', async () => {
    const socket = open();
    socket.write('GET /v2/user HTTP/1.1\r\nhost: x\r\nx-slow: ');
    expect((await responseOf(socket)).status).toBe(408);
  });
});

test('a client that does not read its answer is cut off, and no other client', async () => {
  const socket = open();
  socket.pause();
  await once(socket, 'connect');
  // Each answer has about 400 kB. Sockets buffer a few of them, then the service would wait for ever.
  socket.write(head('GET /openapi.json HTTP/1.1').repeat(60));
  const closed = new Promise((resolve) => socket.once('close', resolve));
  // A paused socket learns of its end only by writing.
  const knock = setInterval(() => socket.write(head('GET /healthz HTTP/1.1')), 200);
  try {
    await closed;
  } finally {
    clearInterval(knock);
  }
  expect((await app.api('GET', '/v2/user')).status).toBe(200);
}, 20_000);

test('a flood of pipelined requests ends the connection instead of taking every permit', async () => {
  const socket = open();
  socket.resume();
  socket.write(head('GET /v2/user?limit=1 HTTP/1.1').repeat(2_000));
  await new Promise((resolve) => socket.once('close', resolve));
  expect((await app.api('GET', '/v2/user')).status).toBe(200);
});

test('some pipelined requests are answered in order', async () => {
  const socket = open();
  socket.write(head('GET /v2/user?limit=1 HTTP/1.1').repeat(19) + head('GET /nowhere HTTP/1.1', 'connection: close'));
  const statuses = [...(await text(socket)).matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));
  expect(statuses).toEqual([...Array(19).fill(200), 404]);
});

test('one address has no more connections than its limit, and gets new ones when it closes others', async () => {
  const crowd = Array.from({ length: 40 }, open);
  await Promise.all(crowd.map((socket) => once(socket, 'connect')));
  let closed = 0;
  for (const socket of crowd) socket.once('close', () => (closed += 1)).resume();
  await expect.poll(() => closed).toBeGreaterThanOrEqual(20);
  for (const socket of crowd) socket.destroy();
  await expect
    .poll(async () => {
      const socket = open();
      socket.write(head('GET /healthz HTTP/1.1', 'connection: close'));
      return (await text(socket)).slice(9, 12);
    })
    .toBe('200');
});

test('a process has no more connections than its limit, and gets new ones when others close', async () => {
  const small = await startTestApp({ PHIAL_MAX_CONNECTIONS: '10' }, { databaseUrl: app.databaseUrl });
  const { hostname, port } = new URL(small.baseUrl);
  const crowd = Array.from({ length: 15 }, () =>
    connect(Number(port), hostname)
      .on('error', () => undefined)
      .resume(),
  );
  let closed = 0;
  for (const socket of crowd) socket.once('close', () => (closed += 1));
  await expect.poll(() => closed).toBe(5);
  for (const socket of crowd) socket.destroy();
  await expect.poll(async () => (await fetch(`${small.baseUrl}/healthz`).catch(() => null))?.status).toBe(200);
  await small.close();
});

describe('a request that is too long', () => {
  test.each([8_193, 10_000, 20_000, 60_000, 200_000])('with an address of %i bytes gets 414', async (bytes) => {
    const socket = open();
    const path = '/v2/user?x=';
    socket.write(head(`GET ${path}${'x'.repeat(bytes - path.length)} HTTP/1.1`, 'connection: close'));
    const { status, body } = await responseOf(socket);
    expect([status, body.code]).toEqual([414, 'uri_too_long']);
  });

  test.each([17_000, 40_000, 200_000])('with headers of %i bytes gets 431', async (bytes) => {
    const socket = open();
    socket.write(head('GET /v2/user HTTP/1.1', `x-long: ${'x'.repeat(bytes)}`, 'connection: close'));
    const { status, body } = await responseOf(socket);
    expect([status, body.code]).toEqual([431, 'headers_too_large']);
  });

  test.each(['gzip', 'br', 'deflate', 'zstd'])(
    'a body in %s gets 415, and the text gives the reason',
    async (encoding) => {
      const socket = open();
      const headers = ['content-type: application/json', `content-encoding: ${encoding}`, 'content-length: 2'];
      socket.write(`${head('POST /v2/user HTTP/1.1', ...headers, 'connection: close')}{}`);
      const { status, body } = await responseOf(socket);
      expect([status, body.code]).toEqual([415, 'unsupported_media_type']);
      expect(body.detail).toContain(encoding);
    },
  );
});

describe('a stream', () => {
  /** Requests an export larger than the buffers of sockets (up to 10 MB). So the service waits for the reader. */
  const asked = async (letters: number): Promise<Socket> => {
    const team = await app.makeTeam();
    await sql`insert into users (id, team_id, client_user_id)
      select gen_random_uuid(), ${team.id}, repeat('x', ${letters}::integer) || n from generate_series(1, 4000)
        as n`.execute(app.db);
    const socket = open();
    socket.pause();
    socket.write(
      [
        `GET /v1/org/${team.org_id}/team/${team.id}/sandbox/export HTTP/1.1`,
        'host: x',
        `x-management-key: ${team.management_key}`,
        'connection: close',
        '',
        '',
      ].join('\r\n'),
    );
    return socket;
  };

  test('may last longer than a request, as long as its reader reads', async () => {
    const socket = await asked(4_000);
    const begun = performance.now();
    let received = '';
    for await (const chunk of socket) {
      received = (received + String(chunk)).slice(-2_000);
      if (performance.now() - begun < 3_500) await pause(15);
    }
    expect(performance.now() - begun).toBeGreaterThan(3_000);
    expect(received).toContain('"type":"end"');
  }, 30_000);

  test('is cut off where its reader stops', async () => {
    const socket = await asked(15_000);
    await once(socket, 'readable');
    const closed = new Promise((resolve) => socket.once('close', resolve));
    await pause(4_000);
    socket.resume();
    let received = '';
    socket.on('data', (chunk) => (received = (received + String(chunk)).slice(-2_000)));
    await closed;
    expect(received).not.toContain('"type":"end"');
  }, 30_000);
});
