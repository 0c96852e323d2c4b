// Clients disconnect over real sockets. Each request must have an audit line, even if its client reads no response.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { setImmediate as nextImmediate } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { steps } from '../../../test/invented-events.ts';
import { makeUser } from '../../../test/factories.ts';
import { publishTo } from '../../../test/publish-event.ts';
import { serveApi } from '../../api.ts';
import { operations } from '../../operations.ts';
import { openLog } from '../../log.ts';
import { createTeamKey } from '../../tenancy/keys/create-team-key.ts';
import type { Auth, Operation } from '../../operation/operation.ts';
import type { ByteStream } from '../../operation/media.ts';
import { openMetrics } from '../../metrics.ts';

type Served = ReturnType<typeof serveApi>;

let app: TestApp;
let served: Served;
const logLines: string[] = [];
beforeAll(async () => {
  app = await startTestApp();
  const log = openLog('info', { write: (line) => logLines.push(line) });
  served = serveApi({ ...app.ctx, log }, openMetrics());
  await served.server.listen({ port: 0, host: '127.0.0.1' });
  for (let n = 0; n < 3; n += 1) await publishTo(app, app.team, steps, { n, s: 'é'.repeat(100_000) });
});
afterAll(async () => {
  await served.server.close();
  await app.close();
});

const READS = 100;
/** The interval is short, because the tests wait after each of hundreds of requests. */
const PATIENCE = { timeout: 20_000, interval: 2 };
const severe = (): string[] => logLines.filter((line) => (JSON.parse(line) as { level: number }).level >= 50);

/** A connection that ignores its errors. */
async function dial(): Promise<Socket> {
  const socket = connect((served.server.server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

const head = (method: string, path: string, key: string, rest = ''): string =>
  `${method} ${path} HTTP/1.1\r\nhost: x\r\nx-service-api-key: ${key}\r\n${rest}\r\n`;

/** Resolves with the request that `socket` sent, when its headers have arrived at the service. */
function arrival(socket: Socket): Promise<IncomingMessage> {
  return new Promise((resolve) => {
    const look = (request: IncomingMessage): void => {
      if (request.socket.remotePort !== socket.localPort) return;
      served.server.server.off('request', look);
      resolve(request);
    };
    served.server.server.prependListener('request', look);
  });
}

async function reset(socket: Socket): Promise<void> {
  socket.resetAndDestroy();
  if (!socket.closed) await once(socket, 'close');
}

/** A client in its own thread. So it can reset the connection before the service knows that its response is sent. */
const CLIENT = `
const { connect } = require('node:net');
const { workerData: { port, request, reads, minBytes } } = require('node:worker_threads');
const isWhole = (text) => {
  const end = text.indexOf('\\r\\n\\r\\n');
  return end >= 0 && text.length - end - 4 >= Number(/content-length: (\\d+)/i.exec(text)[1]);
};
const read = () => new Promise((resolve) => {
  const socket = connect(port, '127.0.0.1', () => socket.write(request));
  let text = '';
  socket.on('error', () => undefined).on('close', resolve).on('data', (chunk) => {
    text += chunk.toString('latin1');
    if (minBytes === null ? isWhole(text) : text.length >= minBytes) socket.resetAndDestroy();
  });
});
(async () => { for (let n = 0; n < reads; n += 1) await read(); })();
`;

async function readAndReset(request: string, minBytes: number | null): Promise<void> {
  const { port } = served.server.server.address() as AddressInfo;
  const client = new Worker(CLIENT, { eval: true, workerData: { port, request, reads: READS, minBytes } });
  await once(client, 'exit');
}

/** Sends requests, and resets each connection when the headers of its request have arrived at the service. */
async function askAndReset(request: string): Promise<void> {
  for (let n = 0; n < READS; n += 1) {
    const socket = await dial();
    const arrived = arrival(socket);
    socket.write(request);
    await arrived;
    await reset(socket);
  }
}

const WAYS: Record<string, { path: string; hangUp: (request: string) => Promise<void> }> = {
  'after the last byte': { path: '/v2/user?limit=1', hangUp: (request) => readAndReset(request, null) },
  'in the middle': { path: '/v2/events', hangUp: (request) => readAndReset(request, 1_000) },
  'before the first byte': { path: '/v2/user?limit=1', hangUp: askAndReset },
};

/** A client in its own thread. It resets the connection before the service handles the request. */
const HASTY_CLIENT = `
const { connect } = require('node:net');
const { workerData: { port, request, reads } } = require('node:worker_threads');
const ask = () => new Promise((resolve) => {
  const socket = connect(port, '127.0.0.1', () => socket.write(request, () => socket.resetAndDestroy()));
  socket.on('error', () => undefined).on('close', resolve);
});
(async () => { for (let n = 0; n < reads; n += 1) await ask(); })();
`;

test('Requests whose connection is reset before we handle them have audit lines and log no error', async () => {
  const { id, value } = await createTeamKey(app.ctx, { team_id: app.team.id, label: 'hasty' });
  let arrived = 0;
  let nameless = 0;
  const look = ({ socket }: IncomingMessage): void => {
    arrived += 1;
    if (socket.remoteAddress === undefined) nameless += 1;
  };
  served.server.server.on('request', look);
  const { port } = served.server.server.address() as AddressInfo;
  const request = head('GET', '/v2/user?limit=1', value);
  const client = new Worker(HASTY_CLIENT, { eval: true, workerData: { port, request, reads: READS } });
  let isOver = false;
  client.once('exit', () => (isOver = true));
  // We keep the service busy for 30 ms at a time. When it handles the requests that arrived meanwhile, the client has
  // already reset their connections.
  while (!isOver) {
    const until = performance.now() + 30;
    while (performance.now() < until);
    await nextImmediate();
  }
  await vi.waitUntil(() => arrived >= READS, { timeout: 5_000 }).catch(() => undefined);
  served.server.server.off('request', look);
  expect(nameless).toBeGreaterThan(0);
  const lines = async (): Promise<unknown[]> => {
    await served.audit.flush();
    return app.db.selectFrom('audit_log').select('status').where('key_id', '=', id).execute();
  };
  await vi.waitUntil(async () => (await lines()).length >= arrived, PATIENCE).catch(() => undefined);
  expect(await lines()).toEqual(Array.from({ length: arrived }, () => ({ status: 200 })));
  expect(severe()).toEqual([]);
});

describe('the client resets the connection of a hundred reads', () => {
  for (const [when, { path, hangUp }] of Object.entries(WAYS)) {
    test(`${when}, and each read has an audit line with the client's address`, async () => {
      const { id, value } = await createTeamKey(app.ctx, { team_id: app.team.id, label: when });
      await hangUp(head('GET', path, value));
      const lines = async (): Promise<unknown[]> => {
        await served.audit.flush();
        const query = app.db.selectFrom('audit_log').select(['status', 'address']).where('key_id', '=', id);
        return query.execute();
      };
      await vi.waitUntil(async () => (await lines()).length >= READS, PATIENCE).catch(() => undefined);
      expect(await lines()).toEqual(Array.from({ length: READS }, () => ({ status: 200, address: '127.0.0.1' })));
    });
  }
});

/** Returns the media type that an operation reads, and the start of such a body. */
function bodyOf({ body }: Operation): { type: string; chunk: string } {
  const media = body && 'media' in body ? body.media : 'json';
  if (media === 'bytes') return { type: (body as ByteStream).types[0] as string, chunk: '{"a":' };
  if (media === 'multipart') {
    const type = 'multipart/form-data; boundary=b';
    return { type, chunk: '--b\r\ncontent-disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n%PDF-1.7' };
  }
  if (media === 'web_form') return { type: 'application/x-www-form-urlencoded', chunk: 'name=A' };
  return { type: 'application/json', chunk: '[{"a":' };
}

const TIMES = ['with its head', 'a moment later'] as const;
const BODYLESS = new Set(['GET', 'DELETE']);
const WITH_LINE = new Set<Auth>(['session', 'team_key', 'team_key_or_user_token', 'management_key', 'link_token']);

describe('a request whose client goes away', () => {
  const partsOf = ({ method, auth, ...operation }: Operation, path: string): string => {
    const key = auth === 'management_key' ? '' : app.team.api_key;
    const manager = `x-management-key: ${app.team.management_key}\r\n`;
    if (BODYLESS.has(method)) return head(method, path, key, manager);
    const { type, chunk } = bodyOf(operation as Operation);
    return head(method, path, key, `${manager}content-type: ${type}\r\ncontent-length: 900\r\n`) + chunk;
  };

  test('has an audit line and logs no error, for every operation', async () => {
    const { user_id } = await makeUser(app.team);
    const ids = { user_id, org_id: app.team.org_id, team_id: app.team.id };
    const fixed: Record<string, string> = { env: 'sandbox', environment: 'sandbox', region: 'us', ...ids };
    Object.assign(fixed, { provider: 'oura', carrier: 'ups' });
    const before = (await lines()).length;
    let completed = 0;
    for (const operation of operations.filter(({ revokes, erases }) => !revokes && !erases)) {
      const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => fixed[name] ?? randomUUID());
      for (const time of TIMES) {
        const socket = await dial();
        const arrived = arrival(socket);
        socket.write(partsOf(operation, path));
        const request = await arrived;
        if (time === 'a moment later') await nextLook(() => request.readableFlowing !== null);
        await reset(socket);
        if (WITH_LINE.has(operation.auth)) completed += 1;
      }
    }
    expect(completed).toBeGreaterThan(300);
    await nextLook(async () => (await lines()).length >= before + completed);
    expect(await lines()).toHaveLength(before + completed);
    expect(severe()).toEqual([]);
  });

  test('is in the request log', async () => {
    const requests = (): number => logLines.filter((line) => line.includes('"msg":"request"')).length;
    const before = requests();
    await askAndReset(head('GET', '/v2/user?limit=1', app.team.api_key));
    await readAndReset(head('GET', '/v2/events', app.team.api_key), 1_000);
    await nextLook(() => requests() >= before + 2 * READS);
    expect(requests()).toBe(before + 2 * READS);
  });

  const lines = async (): Promise<unknown[]> => {
    await served.audit.flush();
    return app.db.selectFrom('audit_log').select('action').where('status', 'is not', null).execute();
  };
  const nextLook = (isSo: () => boolean | Promise<boolean>): Promise<unknown> =>
    vi.waitUntil(isSo, PATIENCE).catch(() => undefined);
});
