import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createTcpServer, type AddressInfo, type Server as TcpServer, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { Webhook } from 'standardwebhooks';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Owner } from '../../fair/round-robin.ts';
import { addressPolicy } from '../../outbound/address-policy.ts';
import { openSender, parseRetryAfter, type SenderOptions, type SendRequest } from './send.ts';
import { newSecret } from './sign.ts';

const own = (team: string): Owner => ({ org: team, team });

const LIMIT = 16 * 1024;
const secret = newSecret();
const closers: (() => unknown)[] = [];

afterEach(async () => {
  vi.useRealTimers();
  for (const close of closers.splice(0)) await close();
});

async function listen(server: TcpServer): Promise<string> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket.on('error', () => {})));
  closers.push(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

type Received = { headers: IncomingMessage['headers']; url: string; body: string };
type Receiver = { url: string; server: Server; requests: Received[]; sockets: Socket[] };

/** A receiver that reads every request whole and then lets `respond` answer. */
async function startReceiver(respond: RequestListener): Promise<Receiver> {
  const requests: Received[] = [];
  const sockets: Socket[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    requests.push({ headers: request.headers, url: request.url!, body: Buffer.concat(chunks).toString() });
    respond(request, response);
  });
  server.on('connection', (socket) => sockets.push(socket));
  return { url: await listen(server), server, requests, sockets };
}

function senderWith(options: Partial<SenderOptions> & { allow?: string[]; allowHttp?: boolean } = {}) {
  const { allow = ['127.0.0.0/8'], allowHttp = true, ...rest } = options;
  const policy = addressPolicy({ allowedNetworks: allow, allowHttp });
  const sender = openSender({ policy, userAgent: 'Phial-Test/1', timeoutMs: 300, ...rest });
  closers.push(sender.close);
  return sender;
}

function requestTo(url: string, more: Partial<SendRequest> = {}): SendRequest {
  return {
    owner: own('one'),
    url,
    headers: {},
    id: '0199-event',
    origin: null,
    body: Buffer.from('{"n":1}'),
    secrets: [secret],
    ...more,
  };
}

const status =
  (code: number, headers: Record<string, string> = {}) =>
  (_: unknown, response: ServerResponse) =>
    response.writeHead(code, headers).end('the answer');

const answering =
  (...addresses: string[]) =>
  async () =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));

const unknownName = () => Promise.reject(Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND' }));

const resources = () => process.getActiveResourcesInfo().filter((name) => /^(Timeout|TCPSocketWrap)$/.test(name));

/** Writes as fast as the other side reads, for ever. */
function pour(response: NodeJS.WritableStream, chunk: Buffer): void {
  const more = () => {
    while (response.writable && response.write(chunk));
  };
  response.on('drain', more);
  more();
}

describe('the request', () => {
  test('is a signed JSON POST with the custom headers, which the standardwebhooks package accepts', async () => {
    const receiver = await startReceiver(status(200));
    const body = Buffer.from('{"note":"Grüße"}');
    const headers = { Authorization: 'Bearer abc' };
    await senderWith().send(requestTo(`${receiver.url}/hook?team=1`, { headers, body }));
    const [received] = receiver.requests;
    expect(received).toMatchObject({
      url: '/hook?team=1',
      body: body.toString(),
      headers: {
        host: new URL(receiver.url).host,
        authorization: 'Bearer abc',
        'content-type': 'application/json',
        'content-length': String(body.length),
        'user-agent': 'Phial-Test/1',
        'accept-encoding': 'identity',
        'webhook-id': '0199-event',
      },
    });
    expect(new Webhook(secret).verify(body, received!.headers as Record<string, string>)).toEqual({ note: 'Grüße' });
    expect(received!.headers['svix-signature']).toBe(received!.headers['webhook-signature']);
  });

  test('is never written when a header holds a line break, and one that is not checked ends in an outcome', async () => {
    const receiver = await startReceiver(status(200));
    const outcome = await senderWith().send(requestTo(receiver.url, { headers: { 'x-a': '1\r\nx-injected: 1' } }));
    expect(outcome).toMatchObject({ ok: false, status: null, error: 'invalid_request' });
    expect(receiver.requests).toEqual([]);
  });

  test('with a malformed secret is not sent', async () => {
    const receiver = await startReceiver(status(200));
    const outcome = await senderWith().send(requestTo(receiver.url, { secrets: ['whsec_x'] }));
    expect(outcome).toMatchObject({ ok: false, error: 'invalid_request' });
    expect(receiver.requests).toEqual([]);
  });

  test('goes over a kept connection: 20 sends one after another need one socket', async () => {
    const receiver = await startReceiver(status(204));
    const sender = senderWith();
    for (let n = 0; n < 20; n += 1) {
      expect((await sender.send(requestTo(receiver.url))).ok).toBe(true);
      // undici frees a connection one turn of the event loop after the answer's end.
      await nextTurn();
    }
    expect(receiver.requests).toHaveLength(20);
    expect(receiver.sockets).toHaveLength(1);
  });

  test('waits for a connection when the origin has as many as it may: 40 at once over 4 sockets', async () => {
    const receiver = await startReceiver((_, response) => setTimeout(() => response.end(), 5));
    const sender = senderWith({ connectionsPerOrigin: 4, timeoutMs: 5000 });
    const outcomes = await Promise.all(Array.from({ length: 40 }, () => sender.send(requestTo(receiver.url))));
    expect(outcomes.every((outcome) => outcome.ok)).toBe(true);
    expect(receiver.sockets).toHaveLength(4);
  });
});

describe('of two teams to one address', () => {
  test('each has connections of its own: neither waits for the other, nor uses what the other has kept', async () => {
    let hangs = true;
    const receiver = await startReceiver((_, response) => void (hangs || response.end()));
    const sender = senderWith({ connectionsPerOrigin: 1, timeoutMs: 5_000 });
    const held = [1, 2].map(() => sender.send(requestTo(receiver.url, { owner: own('one') })));
    await expect.poll(() => receiver.requests.length).toBe(1);
    hangs = false;
    for (let n = 0; n < 2; n += 1) {
      expect((await sender.send(requestTo(receiver.url, { owner: own('two') }))).ok).toBe(true);
      await nextTurn();
    }
    expect([receiver.requests.length, receiver.sockets.length]).toEqual([3, 2]);
    await sender.close();
    expect((await Promise.all(held)).map(({ error }) => error)).toEqual(['cancelled', 'cancelled']);
  });

  test('each has its name looked up on its own account', async () => {
    const receiver = await startReceiver(status(200));
    const teams: string[] = [];
    const lookup = ({ team }: Owner) => (teams.push(team), answering('127.0.0.1')());
    const sender = senderWith({ resolver: { lookup } });
    const url = receiver.url.replace('127.0.0.1', 'receiver.example.com');
    for (const team of ['one', 'two']) expect((await sender.send(requestTo(url, { owner: own(team) }))).ok).toBe(true);
    expect(teams).toEqual(['one', 'two']);
  });
});

describe('the answer', () => {
  test.each([200, 201, 202, 204, 299])('%i is a success', async (code) => {
    const receiver = await startReceiver(status(code));
    const outcome = await senderWith().send(requestTo(receiver.url));
    expect(outcome).toEqual({
      ok: true,
      status: code,
      error: null,
      error_detail: null,
      duration_ms: expect.any(Number),
      response_body: code === 204 ? '' : 'the answer',
      retry_after_seconds: null,
      gone: false,
      sent: {
        at_ms: expect.closeTo(Date.now(), -5),
        signature: receiver.requests[0]?.headers['webhook-signature'],
        user_agent: receiver.requests[0]?.headers['user-agent'],
      },
    });
  });

  test.each([400, 404, 429, 500, 503])('%i is a failure with its body', async (code) => {
    const receiver = await startReceiver(status(code, { 'retry-after': '120' }));
    expect(await senderWith().send(requestTo(receiver.url))).toMatchObject({
      ok: false,
      status: code,
      error: null,
      response_body: 'the answer',
      retry_after_seconds: 120,
      gone: false,
    });
  });

  test('410 says that the receiver is gone', async () => {
    const receiver = await startReceiver(status(410));
    expect(await senderWith().send(requestTo(receiver.url))).toMatchObject({ ok: false, status: 410, gone: true });
  });

  test.each([301, 302, 303, 307, 308])(
    'a redirect by %i is a failure, and its target sees no request',
    async (code) => {
      const target = await startReceiver(status(200));
      const receiver = await startReceiver(status(code, { location: `${target.url}/stolen` }));
      expect(await senderWith().send(requestTo(receiver.url))).toMatchObject({
        ok: false,
        status: code,
        error: 'redirect',
      });
      expect(target.sockets).toEqual([]);
    },
  );

  test('early hints before the answer are no answer', async () => {
    const receiver = await startReceiver((_, response) => {
      response.writeEarlyHints({ link: '</a>; rel=preload' }, () => response.writeHead(500).end('no'));
    });
    expect(await senderWith().send(requestTo(receiver.url))).toMatchObject({ ok: false, status: 500 });
    const hinting = await startReceiver((_, response) => response.writeEarlyHints({ link: '</a>; rel=preload' }));
    expect(await senderWith().send(requestTo(hinting.url))).toMatchObject({ status: null, error: 'timeout' });
  });

  test('a compressed body is kept as the bytes that came, not unpacked', async () => {
    const packed = gzipSync(Buffer.alloc(50_000_000));
    const receiver = await startReceiver((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed);
    });
    const outcome = await senderWith({ timeoutMs: 3000 }).send(requestTo(receiver.url));
    expect(outcome.ok).toBe(true);
    expect(outcome.response_body.length).toBeLessThanOrEqual(LIMIT);
    expect(outcome.response_body.startsWith('\u001f\uFFFD\b')).toBe(true);
  });

  test('a body that is no UTF-8 or holds NUL becomes text that PostgreSQL takes', async () => {
    const receiver = await startReceiver((_, response) => response.end(Buffer.from([0x61, 0x00, 0xff, 0xc3, 0xbc])));
    expect((await senderWith().send(requestTo(receiver.url))).response_body).toBe('a\uFFFD\uFFFDü');
  });

  test('of exactly 16 KiB is kept whole and so is its connection; of more, the first 16 KiB', async () => {
    let length = LIMIT;
    const receiver = await startReceiver((_, response) => response.end(Buffer.alloc(length, 'a')));
    const sender = senderWith();
    expect((await sender.send(requestTo(receiver.url))).response_body).toHaveLength(LIMIT);
    await nextTurn();
    length = LIMIT + 1;
    expect(await sender.send(requestTo(receiver.url))).toMatchObject({ ok: true, response_body: 'a'.repeat(LIMIT) });
    expect(receiver.sockets).toHaveLength(1);
  });

  test('a character that the limit cuts in two is left out', async () => {
    const receiver = await startReceiver((_, response) => response.end(`a${'ü'.repeat(LIMIT)}`));
    const { response_body } = await senderWith().send(requestTo(receiver.url));
    expect(response_body).toBe(`a${'ü'.repeat(LIMIT / 2 - 1)}`);
  });

  test.each([
    [200, true],
    [500, false],
  ])('an endless fast %i body is cut soon after 16 KiB', async (code, ok) => {
    const chunk = Buffer.alloc(64 * 1024, 'a');
    const receiver = await startReceiver((_, response) => pour(response.writeHead(code), chunk));
    const outcome = await senderWith({ timeoutMs: 30_000 }).send(requestTo(receiver.url));
    expect(outcome).toMatchObject({ ok, status: code, error: null, response_body: 'a'.repeat(LIMIT) });
    expect(outcome.duration_ms).toBeLessThan(25_000);
    await expect.poll(() => receiver.sockets[0]!.destroyed).toBe(true);
    // What the kernel's two socket buffers took; without the cut it is some hundred MB by the deadline.
    expect(receiver.sockets[0]!.bytesWritten).toBeLessThan(16 * 1024 * 1024);
  });

  test('headers without end, and an answer that is no HTTP, are bad responses', async () => {
    const endless = createTcpServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      pour(socket, Buffer.from(`x-a: ${'a'.repeat(1000)}\r\n`));
    });
    const garbage = createTcpServer((socket) => socket.end('SSH-2.0-OpenSSH_9.9\r\n'));
    for (const server of [endless, garbage]) {
      const outcome = await senderWith({ timeoutMs: 3000 }).send(requestTo(await listen(server)));
      expect(outcome).toMatchObject({ ok: false, status: null, error: 'bad_response' });
    }
  });
});

describe('the deadline', () => {
  test('cuts a server that takes the request and never answers, and its connection', async () => {
    const receiver = await startReceiver(() => {});
    const outcome = await senderWith().send(requestTo(receiver.url));
    expect(outcome).toMatchObject({ ok: false, status: null, error: 'timeout', response_body: '' });
    expect(outcome.duration_ms).toBeGreaterThanOrEqual(295);
    expect(outcome.duration_ms).toBeLessThan(10_000);
    await expect.poll(() => receiver.sockets[0]!.destroyed).toBe(true);
  });

  test('cuts a body that drips, which undici would let go on for ever: the status line was the answer', async () => {
    const receiver = await startReceiver((_, response) => {
      const drip = setInterval(() => response.write('.'), 20);
      response.writeHead(200).on('close', () => clearInterval(drip));
    });
    const outcome = await senderWith().send(requestTo(receiver.url));
    expect(outcome).toMatchObject({ ok: true, status: 200, error: null });
    expect(outcome.response_body).toMatch(/^\.{2,}$/);
    expect(outcome.duration_ms).toBeLessThan(10_000);
    await expect.poll(() => receiver.sockets[0]!.destroyed).toBe(true);
  });

  test('cuts headers that drip', async () => {
    const server = createTcpServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const drip = setInterval(() => socket.write('x-a: 1\r\n'), 20);
      socket.on('close', () => clearInterval(drip));
    });
    expect(await senderWith().send(requestTo(await listen(server)))).toMatchObject({ ok: false, error: 'timeout' });
  });

  test('covers a name server that does not answer', async () => {
    const sender = senderWith({ resolver: { lookup: () => new Promise(() => {}) } });
    const outcome = await sender.send(requestTo('http://receiver.example.com/'));
    expect(outcome).toMatchObject({ ok: false, status: null, error: 'timeout' });
    expect(outcome.duration_ms).toBeLessThan(10_000);
  });

  test('covers the wait for a free connection: what was given up there is never sent', async () => {
    const receiver = await startReceiver(({ headers }, response) => {
      if (headers['webhook-id'] === 'next') response.end();
    });
    const sender = senderWith({ connectionsPerOrigin: 2 });
    // The four deadlines must pass in the same turn: one that passes earlier frees its connection for the rest.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const overdue = [1, 2, 3, 4].map(() => sender.send(requestTo(receiver.url)));
    vi.advanceTimersByTime(200);
    const next = sender.send(requestTo(receiver.url, { id: 'next' }));
    await expect.poll(() => receiver.requests.length).toBe(2);
    vi.advanceTimersByTime(100);
    vi.useRealTimers();
    expect((await Promise.all(overdue)).map(({ error }) => error)).toEqual(Array(4).fill('timeout'));
    expect(await next).toMatchObject({ ok: true });
    const sent = receiver.requests.map(({ headers }) => headers['webhook-id']);
    expect(sent).toEqual(['0199-event', '0199-event', 'next']);
  });

  test('leaves no timer and no socket behind', async () => {
    const receiver = await startReceiver(() => {});
    const sender = senderWith();
    await Promise.all(Array.from({ length: 10 }, () => sender.send(requestTo(receiver.url))));
    await expect.poll(() => receiver.sockets.every((socket) => socket.destroyed)).toBe(true);
    await nextTurn();
    expect(receiver.sockets).toHaveLength(10);
    // Waited for without a timer, which would be one of them.
    const patience = performance.now() + 10_000;
    while (resources().length > 0 && performance.now() < patience) await nextTurn();
    expect(resources()).toEqual([]);
  });
});

describe('a connection', () => {
  test('that is refused', async () => {
    const server = createTcpServer();
    const url = await listen(server);
    await new Promise((resolve) => server.close(resolve));
    expect(await senderWith().send(requestTo(url))).toMatchObject({
      ok: false,
      status: null,
      error: 'connection_refused',
      error_detail: 'ECONNREFUSED',
    });
  });

  test('that is reset before the answer', async () => {
    const server = createTcpServer((socket) => socket.once('data', () => socket.resetAndDestroy()));
    const outcome = await senderWith().send(requestTo(await listen(server)));
    expect(outcome).toMatchObject({ ok: false, status: null, error: 'connection_lost' });
  });

  test.each([
    [200, true, null],
    [500, false, 'connection_lost'],
  ])('that is reset in the middle of an answer %i: the status line decides', async (code, ok, error) => {
    const server = createTcpServer((socket) => {
      socket.once('data', () => {
        socket.write(`HTTP/1.1 ${code} Whatever\r\ncontent-length: 100\r\n\r\nhalf`, () => {
          setTimeout(() => socket.resetAndDestroy(), 30);
        });
      });
    });
    expect(await senderWith().send(requestTo(await listen(server)))).toMatchObject({
      ok,
      status: code,
      error,
      response_body: 'half',
    });
  });

  test('that the server closes while it is idle is replaced by a new one', async () => {
    const receiver = await startReceiver(status(200));
    const sender = senderWith();
    expect((await sender.send(requestTo(receiver.url))).ok).toBe(true);
    receiver.sockets[0]!.destroy();
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect((await sender.send(requestTo(receiver.url))).ok).toBe(true);
    expect(receiver.sockets).toHaveLength(2);
  });

  test('that is idle is closed after its time', async () => {
    const receiver = await startReceiver(status(200));
    receiver.server.keepAliveTimeout = 0;
    await senderWith({ keepAliveMs: 50 }).send(requestTo(receiver.url));
    await expect.poll(() => receiver.sockets[0]!.destroyed, { timeout: 3000 }).toBe(true);
  });

  test('to a name that does not exist', async () => {
    expect(
      await senderWith({ resolver: { lookup: unknownName } }).send(requestTo('http://nowhere.example.com/')),
    ).toMatchObject({
      ok: false,
      error: 'dns',
      error_detail: 'ENOTFOUND',
    });
  });

  test('over TLS to a server that does not speak it', async () => {
    const receiver = await startReceiver(status(200));
    const outcome = await senderWith().send(requestTo(receiver.url.replace('http:', 'https:')));
    expect(outcome).toMatchObject({ ok: false, status: null, error: 'tls' });
  });
});

describe('an address of ours', () => {
  test.each([
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f.1',
    '0177.0.0.1',
    '①②⑦.⓪.⓪.①',
    '0.0.0.0',
    'localhost',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[64:ff9b::7f00:1]',
    '[::1]',
    'user:pass@127.0.0.1',
  ])('written as %s sees no connection', async (host) => {
    const receiver = await startReceiver(status(200));
    const outcome = await senderWith({ allow: [] }).send(requestTo(`http://${host}:${new URL(receiver.url).port}/`));
    expect(outcome).toMatchObject({ ok: false, status: null, error: 'address_refused', response_body: '' });
    expect(receiver.sockets).toEqual([]);
  });

  test.each([
    ['private', ['10.0.0.1']],
    ['loopback', ['127.0.0.1']],
    ['mixed', ['8.8.8.8', '127.0.0.1']],
    ['NAT64', ['64:ff9b::7f00:1']],
  ])('behind a name with %s answers sees no connection', async (_, addresses) => {
    const receiver = await startReceiver(status(200));
    const sender = senderWith({ allow: [], resolver: { lookup: answering(...addresses) } });
    const outcome = await sender.send(requestTo(`http://receiver.example.com:${new URL(receiver.url).port}/`));
    expect(outcome).toMatchObject({ ok: false, status: null, error: 'address_refused' });
    expect(receiver.sockets).toEqual([]);
  });

  test('is not reached by a name that is rebound between two sends', async () => {
    const receiver = await startReceiver((_, response) => response.writeHead(200, { connection: 'close' }).end());
    let lookups = 0;
    const lookup = () => answering(lookups++ === 0 ? '127.0.0.1' : '127.0.0.2')();
    const sender = senderWith({ allow: ['127.0.0.1'], resolver: { lookup } });
    const request = requestTo(`http://receiver.example.com:${new URL(receiver.url).port}/`);
    expect((await sender.send(request)).ok).toBe(true);
    expect(await sender.send(request)).toMatchObject({ ok: false, error: 'address_refused' });
    expect(receiver.requests).toHaveLength(1);
  });

  test('does not hold for plain http alone: that is refused where https is asked for', async () => {
    const receiver = await startReceiver(status(200));
    const outcome = await senderWith({ allowHttp: false }).send(requestTo(receiver.url));
    expect(outcome).toMatchObject({ ok: false, error: 'address_refused' });
    expect(receiver.sockets).toEqual([]);
  });

  test('is left alone after a refusal by the sender: the next send to a good address goes through', async () => {
    const receiver = await startReceiver(status(200));
    let addresses = ['10.0.0.1'];
    const sender = senderWith({ resolver: { lookup: () => answering(...addresses)() } });
    const request = requestTo(`http://receiver.example.com:${new URL(receiver.url).port}/`);
    expect(await sender.send(request)).toMatchObject({ error: 'address_refused' });
    addresses = ['127.0.0.1'];
    expect((await sender.send(request)).ok).toBe(true);
  });
});

describe('close', () => {
  test('ends attempts under way as cancelled, closes connections and sends nothing more', async () => {
    const receiver = await startReceiver(() => {});
    const sender = senderWith({ connectionsPerOrigin: 1, timeoutMs: 5000 });
    const pending = [sender.send(requestTo(receiver.url)), sender.send(requestTo(receiver.url))];
    await expect.poll(() => receiver.requests.length).toBe(1);
    await sender.close();
    for (const outcome of await Promise.all(pending)) expect(outcome).toMatchObject({ ok: false, error: 'cancelled' });
    await expect.poll(() => receiver.sockets[0]!.destroyed).toBe(true);
    expect(await sender.send(requestTo(receiver.url))).toMatchObject({ ok: false, error: 'cancelled' });
    expect(receiver.requests).toHaveLength(1);
  });

  test('also ends the attempt that waited for a connection that failed', async () => {
    const receiver = await startReceiver(() => {});
    let lookups = 0;
    const lookup = () => (lookups++ < 2 ? unknownName() : answering('127.0.0.1')());
    const sender = senderWith({ resolver: { lookup }, connectionsPerOrigin: 2, timeoutMs: 5000 });
    const request = requestTo(`http://receiver.example.com:${new URL(receiver.url).port}/`);
    const pending = [1, 2, 3].map(() => sender.send(request));
    await expect.poll(() => receiver.requests.length).toBe(1);
    await sender.close();
    expect((await Promise.all(pending)).map(({ error }) => error)).toEqual(['dns', 'dns', 'cancelled']);
  });
});

describe('parseRetryAfter', () => {
  const now = Date.parse('2026-01-01T00:00:00.500Z');

  test.each([
    ['120', 120],
    [' 0 ', 0],
    ['99999999999999999999', 604_800],
    ['Thu, 01 Jan 2026 00:02:00 GMT', 120],
    ['Thursday, 01-Jan-26 00:02:00 GMT', 120],
    ['Wed, 31 Dec 2025 00:00:00 GMT', 0],
    ['Fri, 01 Jan 2100 00:00:00 GMT', 604_800],
    ['', null],
    ['-5', null],
    ['1.5', null],
    ['soon', null],
    ['2026-01-01', null],
    ['Thu, 99 Jan 2026 99:02:00 GMT', null],
  ])('reads %j as %j seconds', (value, seconds) => {
    expect(parseRetryAfter(value, now)).toBe(seconds);
  });
});
