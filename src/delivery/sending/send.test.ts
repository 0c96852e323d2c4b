import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createTcpServer, type AddressInfo, type Server as TcpServer, type Socket } from 'node:net';
import { setImmediate as nextImmediate } from 'node:timers/promises';
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
type Endpoint = { url: string; server: Server; requests: Received[]; sockets: Socket[] };

/** An endpoint that reads every request to its end and then calls `respond`. */
async function startEndpoint(respond: RequestListener): Promise<Endpoint> {
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

/** Writes without end, as fast as the client reads. */
function pour(response: NodeJS.WritableStream, chunk: Buffer): void {
  const more = () => {
    while (response.writable && response.write(chunk));
  };
  response.on('drain', more);
  more();
}

describe('the request', () => {
  test('is a signed JSON POST with the custom headers, which the standardwebhooks package accepts', async () => {
    const endpoint = await startEndpoint(status(200));
    const body = Buffer.from('{"note":"Grüße"}');
    const headers = { Authorization: 'Bearer abc' };
    await senderWith().send(requestTo(`${endpoint.url}/hook?team=1`, { headers, body }));
    const [received] = endpoint.requests;
    expect(received).toMatchObject({
      url: '/hook?team=1',
      body: body.toString(),
      headers: {
        host: new URL(endpoint.url).host,
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

  test('is not written when a header has a line break, and an unchecked one causes an outcome', async () => {
    const endpoint = await startEndpoint(status(200));
    const outcome = await senderWith().send(requestTo(endpoint.url, { headers: { 'x-a': '1\r\nx-injected: 1' } }));
    expect(outcome).toMatchObject({ ok: false, status: null, error: 'invalid_request' });
    expect(endpoint.requests).toEqual([]);
  });

  test('with a malformed secret is not sent', async () => {
    const endpoint = await startEndpoint(status(200));
    const outcome = await senderWith().send(requestTo(endpoint.url, { secrets: ['whsec_x'] }));
    expect(outcome).toMatchObject({ ok: false, error: 'invalid_request' });
    expect(endpoint.requests).toEqual([]);
  });

  test('uses a keep-alive connection: 20 sends one after another need one socket', async () => {
    const endpoint = await startEndpoint(status(204));
    const sender = senderWith();
    for (let n = 0; n < 20; n += 1) {
      expect((await sender.send(requestTo(endpoint.url))).ok).toBe(true);
      // undici frees a connection one turn of the event loop after the end of the answer.
      await nextImmediate();
    }
    expect(endpoint.requests).toHaveLength(20);
    expect(endpoint.sockets).toHaveLength(1);
  });

  test('waits for a connection when the origin has the most it may have: 40 at once over 4 sockets', async () => {
    const endpoint = await startEndpoint((_, response) => setTimeout(() => response.end(), 5));
    const sender = senderWith({ connectionsPerOrigin: 4, timeoutMs: 5000 });
    const outcomes = await Promise.all(Array.from({ length: 40 }, () => sender.send(requestTo(endpoint.url))));
    expect(outcomes.every((outcome) => outcome.ok)).toBe(true);
    expect(endpoint.sockets).toHaveLength(4);
  });
});

describe('two teams with one address', () => {
  test('have connections of their own: neither waits for the other or uses its connections', async () => {
    let hangs = true;
    const endpoint = await startEndpoint((_, response) => void (hangs || response.end()));
    const sender = senderWith({ connectionsPerOrigin: 1, timeoutMs: 5_000 });
    const pending = [1, 2].map(() => sender.send(requestTo(endpoint.url, { owner: own('one') })));
    await expect.poll(() => endpoint.requests.length).toBe(1);
    hangs = false;
    for (let n = 0; n < 2; n += 1) {
      expect((await sender.send(requestTo(endpoint.url, { owner: own('two') }))).ok).toBe(true);
      await nextImmediate();
    }
    expect([endpoint.requests.length, endpoint.sockets.length]).toEqual([3, 2]);
    await sender.close();
    expect((await Promise.all(pending)).map(({ error }) => error)).toEqual(['cancelled', 'cancelled']);
  });

  test('have their own look-ups', async () => {
    const endpoint = await startEndpoint(status(200));
    const teams: string[] = [];
    const lookup = ({ team }: Owner) => (teams.push(team), answering('127.0.0.1')());
    const sender = senderWith({ resolver: { lookup } });
    const url = endpoint.url.replace('127.0.0.1', 'receiver.example.com');
    for (const team of ['one', 'two']) expect((await sender.send(requestTo(url, { owner: own(team) }))).ok).toBe(true);
    expect(teams).toEqual(['one', 'two']);
  });
});

describe('the answer', () => {
  test.each([200, 201, 202, 204, 299])('%i is a success', async (code) => {
    const endpoint = await startEndpoint(status(code));
    const outcome = await senderWith().send(requestTo(endpoint.url));
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
        signature: endpoint.requests[0]?.headers['webhook-signature'],
        user_agent: endpoint.requests[0]?.headers['user-agent'],
      },
    });
  });

  test.each([400, 404, 429, 500, 503])('%i is a failure with its body', async (code) => {
    const endpoint = await startEndpoint(status(code, { 'retry-after': '120' }));
    expect(await senderWith().send(requestTo(endpoint.url))).toMatchObject({
      ok: false,
      status: code,
      error: null,
      response_body: 'the answer',
      retry_after_seconds: 120,
      gone: false,
    });
  });

  test('410 sets `gone`', async () => {
    const endpoint = await startEndpoint(status(410));
    expect(await senderWith().send(requestTo(endpoint.url))).toMatchObject({ ok: false, status: 410, gone: true });
  });

  test.each([301, 302, 303, 307, 308])(
    'a redirect by %i is a failure, and its target gets no request',
    async (code) => {
      const target = await startEndpoint(status(200));
      const endpoint = await startEndpoint(status(code, { location: `${target.url}/stolen` }));
      expect(await senderWith().send(requestTo(endpoint.url))).toMatchObject({
        ok: false,
        status: code,
        error: 'redirect',
      });
      expect(target.sockets).toEqual([]);
    },
  );

  test('early hints before the answer do not count as the answer', async () => {
    const endpoint = await startEndpoint((_, response) => {
      response.writeEarlyHints({ link: '</a>; rel=preload' }, () => response.writeHead(500).end('no'));
    });
    expect(await senderWith().send(requestTo(endpoint.url))).toMatchObject({ ok: false, status: 500 });
    const hinting = await startEndpoint((_, response) => response.writeEarlyHints({ link: '</a>; rel=preload' }));
    expect(await senderWith().send(requestTo(hinting.url))).toMatchObject({ status: null, error: 'timeout' });
  });

  test('a compressed body is stored as its bytes, not unpacked', async () => {
    const packed = gzipSync(Buffer.alloc(50_000_000));
    const endpoint = await startEndpoint((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed);
    });
    const outcome = await senderWith({ timeoutMs: 3000 }).send(requestTo(endpoint.url));
    expect(outcome.ok).toBe(true);
    expect(outcome.response_body.length).toBeLessThanOrEqual(LIMIT);
    expect(outcome.response_body.startsWith('\u001f\uFFFD\b')).toBe(true);
  });

  test('a body with invalid UTF-8 or NUL becomes text that PostgreSQL accepts', async () => {
    const endpoint = await startEndpoint((_, response) => response.end(Buffer.from([0x61, 0x00, 0xff, 0xc3, 0xbc])));
    expect((await senderWith().send(requestTo(endpoint.url))).response_body).toBe('a\uFFFD\uFFFDü');
  });

  test('of 16 KiB is stored and its connection stays open; of a longer one, 16 KiB are stored', async () => {
    let length = LIMIT;
    const endpoint = await startEndpoint((_, response) => response.end(Buffer.alloc(length, 'a')));
    const sender = senderWith();
    expect((await sender.send(requestTo(endpoint.url))).response_body).toHaveLength(LIMIT);
    await nextImmediate();
    length = LIMIT + 1;
    expect(await sender.send(requestTo(endpoint.url))).toMatchObject({ ok: true, response_body: 'a'.repeat(LIMIT) });
    expect(endpoint.sockets).toHaveLength(1);
  });

  test('a character that the limit splits is left out', async () => {
    const endpoint = await startEndpoint((_, response) => response.end(`a${'ü'.repeat(LIMIT)}`));
    const { response_body } = await senderWith().send(requestTo(endpoint.url));
    expect(response_body).toBe(`a${'ü'.repeat(LIMIT / 2 - 1)}`);
  });

  test.each([
    [200, true],
    [500, false],
  ])('an endless fast %i body is cut soon after 16 KiB', async (code, ok) => {
    const chunk = Buffer.alloc(64 * 1024, 'a');
    const endpoint = await startEndpoint((_, response) => pour(response.writeHead(code), chunk));
    const outcome = await senderWith({ timeoutMs: 30_000 }).send(requestTo(endpoint.url));
    expect(outcome).toMatchObject({ ok, status: code, error: null, response_body: 'a'.repeat(LIMIT) });
    expect(outcome.duration_ms).toBeLessThan(25_000);
    await expect.poll(() => endpoint.sockets[0]!.destroyed).toBe(true);
    // At most the two socket buffers of the kernel are full. If we did not close the connection after 16 KiB, the
    // endpoint would write some hundred MB until the deadline.
    expect(endpoint.sockets[0]!.bytesWritten).toBeLessThan(16 * 1024 * 1024);
  });

  test('endless headers, and an answer that is not HTTP, are bad responses', async () => {
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
  test('ends the connection to a server that reads the request and never answers', async () => {
    const endpoint = await startEndpoint(() => {});
    const outcome = await senderWith().send(requestTo(endpoint.url));
    expect(outcome).toMatchObject({ ok: false, status: null, error: 'timeout', response_body: '' });
    expect(outcome.duration_ms).toBeGreaterThanOrEqual(295);
    expect(outcome.duration_ms).toBeLessThan(10_000);
    await expect.poll(() => endpoint.sockets[0]!.destroyed).toBe(true);
  });

  test('ends a body that drips, which undici would read for ever, and the status line counts', async () => {
    const endpoint = await startEndpoint((_, response) => {
      const drip = setInterval(() => response.write('.'), 20);
      response.writeHead(200).on('close', () => clearInterval(drip));
    });
    const outcome = await senderWith().send(requestTo(endpoint.url));
    expect(outcome).toMatchObject({ ok: true, status: 200, error: null });
    expect(outcome.response_body).toMatch(/^\.{2,}$/);
    expect(outcome.duration_ms).toBeLessThan(10_000);
    await expect.poll(() => endpoint.sockets[0]!.destroyed).toBe(true);
  });

  test('ends headers that drip', async () => {
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

  test('covers the wait for a free connection: a request that was given up there is never sent', async () => {
    const endpoint = await startEndpoint(({ headers }, response) => {
      if (headers['webhook-id'] === 'next') response.end();
    });
    const sender = senderWith({ connectionsPerOrigin: 2 });
    // With fake timers all four deadlines pass in the same turn of the event loop. If one passed earlier, its
    // connection would become free for a request that waits.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const overdue = [1, 2, 3, 4].map(() => sender.send(requestTo(endpoint.url)));
    vi.advanceTimersByTime(200);
    const next = sender.send(requestTo(endpoint.url, { id: 'next' }));
    await expect.poll(() => endpoint.requests.length).toBe(2);
    vi.advanceTimersByTime(100);
    vi.useRealTimers();
    expect((await Promise.all(overdue)).map(({ error }) => error)).toEqual(Array(4).fill('timeout'));
    expect(await next).toMatchObject({ ok: true });
    const sent = endpoint.requests.map(({ headers }) => headers['webhook-id']);
    expect(sent).toEqual(['0199-event', '0199-event', 'next']);
  });

  test('leaves no timer and no socket', async () => {
    const endpoint = await startEndpoint(() => {});
    const sender = senderWith();
    await Promise.all(Array.from({ length: 10 }, () => sender.send(requestTo(endpoint.url))));
    await expect.poll(() => endpoint.sockets.every((socket) => socket.destroyed)).toBe(true);
    await nextImmediate();
    expect(endpoint.sockets).toHaveLength(10);
    // This waits without a timer, because a timer would count as a resource that was left.
    const patience = performance.now() + 10_000;
    while (resources().length > 0 && performance.now() < patience) await nextImmediate();
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
  ])('that is reset in the middle of an answer %i: the status line counts', async (code, ok, error) => {
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
    const endpoint = await startEndpoint(status(200));
    const sender = senderWith();
    expect((await sender.send(requestTo(endpoint.url))).ok).toBe(true);
    endpoint.sockets[0]!.destroy();
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect((await sender.send(requestTo(endpoint.url))).ok).toBe(true);
    expect(endpoint.sockets).toHaveLength(2);
  });

  test('that is idle is closed after its time', async () => {
    const endpoint = await startEndpoint(status(200));
    endpoint.server.keepAliveTimeout = 0;
    await senderWith({ keepAliveMs: 50 }).send(requestTo(endpoint.url));
    await expect.poll(() => endpoint.sockets[0]!.destroyed, { timeout: 3000 }).toBe(true);
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

  test('over TLS to a server without TLS', async () => {
    const endpoint = await startEndpoint(status(200));
    const outcome = await senderWith().send(requestTo(endpoint.url.replace('http:', 'https:')));
    expect(outcome).toMatchObject({ ok: false, status: null, error: 'tls' });
  });
});

describe('an address of our network', () => {
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
  ])('written as %s gets no connection', async (host) => {
    const endpoint = await startEndpoint(status(200));
    const outcome = await senderWith({ allow: [] }).send(requestTo(`http://${host}:${new URL(endpoint.url).port}/`));
    expect(outcome).toMatchObject({ ok: false, status: null, error: 'address_refused', response_body: '' });
    expect(endpoint.sockets).toEqual([]);
  });

  test.each([
    ['private', ['10.0.0.1']],
    ['loopback', ['127.0.0.1']],
    ['mixed', ['8.8.8.8', '127.0.0.1']],
    ['NAT64', ['64:ff9b::7f00:1']],
  ])('behind a name with %s answers gets no connection', async (_, addresses) => {
    const endpoint = await startEndpoint(status(200));
    const sender = senderWith({ allow: [], resolver: { lookup: answering(...addresses) } });
    const outcome = await sender.send(requestTo(`http://receiver.example.com:${new URL(endpoint.url).port}/`));
    expect(outcome).toMatchObject({ ok: false, status: null, error: 'address_refused' });
    expect(endpoint.sockets).toEqual([]);
  });

  test('is not reached by a name that changes its answer between two sends', async () => {
    const endpoint = await startEndpoint((_, response) => response.writeHead(200, { connection: 'close' }).end());
    let lookups = 0;
    const lookup = () => answering(lookups++ === 0 ? '127.0.0.1' : '127.0.0.2')();
    const sender = senderWith({ allow: ['127.0.0.1'], resolver: { lookup } });
    const request = requestTo(`http://receiver.example.com:${new URL(endpoint.url).port}/`);
    expect((await sender.send(request)).ok).toBe(true);
    expect(await sender.send(request)).toMatchObject({ ok: false, error: 'address_refused' });
    expect(endpoint.requests).toHaveLength(1);
  });

  test('is not the only refusal: plain http is refused when https is required', async () => {
    const endpoint = await startEndpoint(status(200));
    const outcome = await senderWith({ allowHttp: false }).send(requestTo(endpoint.url));
    expect(outcome).toMatchObject({ ok: false, error: 'address_refused' });
    expect(endpoint.sockets).toEqual([]);
  });

  test('does not affect the next send to a good address after a refusal by the sender', async () => {
    const endpoint = await startEndpoint(status(200));
    let addresses = ['10.0.0.1'];
    const sender = senderWith({ resolver: { lookup: () => answering(...addresses)() } });
    const request = requestTo(`http://receiver.example.com:${new URL(endpoint.url).port}/`);
    expect(await sender.send(request)).toMatchObject({ error: 'address_refused' });
    addresses = ['127.0.0.1'];
    expect((await sender.send(request)).ok).toBe(true);
  });
});

describe('close', () => {
  test('ends attempts under way as cancelled, closes connections and sends nothing more', async () => {
    const endpoint = await startEndpoint(() => {});
    const sender = senderWith({ connectionsPerOrigin: 1, timeoutMs: 5000 });
    const pending = [sender.send(requestTo(endpoint.url)), sender.send(requestTo(endpoint.url))];
    await expect.poll(() => endpoint.requests.length).toBe(1);
    await sender.close();
    for (const outcome of await Promise.all(pending)) expect(outcome).toMatchObject({ ok: false, error: 'cancelled' });
    await expect.poll(() => endpoint.sockets[0]!.destroyed).toBe(true);
    expect(await sender.send(requestTo(endpoint.url))).toMatchObject({ ok: false, error: 'cancelled' });
    expect(endpoint.requests).toHaveLength(1);
  });

  test('also ends an attempt that waited for a connection that failed', async () => {
    const endpoint = await startEndpoint(() => {});
    let lookups = 0;
    const lookup = () => (lookups++ < 2 ? unknownName() : answering('127.0.0.1')());
    const sender = senderWith({ resolver: { lookup }, connectionsPerOrigin: 2, timeoutMs: 5000 });
    const request = requestTo(`http://receiver.example.com:${new URL(endpoint.url).port}/`);
    const pending = [1, 2, 3].map(() => sender.send(request));
    await expect.poll(() => endpoint.requests.length).toBe(1);
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
