import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { createGunzip, gunzipSync } from 'node:zlib';
import Fastify from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { makeUser } from '../../../test/factories.ts';
import { compressResponses } from './compress.ts';
import { codingFor } from './content-coding.ts';

type FetchedResponse = { status: number; headers: Record<string, unknown>; bytes: Buffer };

/** Reads the answer as the connection sends it. `fetch` would decompress it and set Accept-Encoding itself. */
async function get(
  url: string,
  headers: Record<string, string> = {},
  method = 'GET',
  body = '',
): Promise<FetchedResponse> {
  const asked = request(url, { headers, method }).end(body);
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return { status: response.statusCode ?? 0, headers: response.headers, bytes: Buffer.concat(chunks) };
}

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
  for (let n = 0; n < 8; n += 1) await makeUser(app.team);
});
afterAll(() => app.close());

const asTeam = (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<FetchedResponse> =>
  get(app.baseUrl + path, { 'x-service-api-key': app.team.api_key, ...headers }, method);

describe('an answer of the service', () => {
  test('of 1 KiB and more is compressed for a client that accepts gzip, and has the same content', async () => {
    const plain = await asTeam('/v2/user?limit=8');
    expect([plain.headers['content-encoding'], plain.headers['vary']]).toEqual([undefined, 'accept-encoding']);
    expect(plain.bytes.length).toBeGreaterThan(1024);
    for (const accept of ['gzip', 'br, gzip;q=0.5', '*']) {
      const packed = await asTeam('/v2/user?limit=8', { 'accept-encoding': accept });
      expect([accept, packed.headers['content-encoding'], packed.headers['vary']]).toEqual([
        accept,
        'gzip',
        'accept-encoding',
      ]);
      expect(packed.headers['content-length']).toBe(String(packed.bytes.length));
      expect(packed.bytes.length).toBeLessThan(plain.bytes.length / 2);
      expect(gunzipSync(packed.bytes).equals(plain.bytes)).toBe(true);
    }
    for (const accept of ['br', 'identity', 'gzip;q=0', '']) {
      const asIs = await asTeam('/v2/user?limit=8', { 'accept-encoding': accept });
      expect([accept, asIs.headers['content-encoding'], asIs.bytes.equals(plain.bytes)]).toEqual([
        accept,
        undefined,
        true,
      ]);
    }
  });

  test('of less than 1 KiB is not compressed', async () => {
    const small = await asTeam('/v2/user?limit=1', { 'accept-encoding': 'gzip' });
    expect(small.bytes.length).toBeLessThan(1024);
    expect([small.headers['content-encoding'], small.headers['vary']]).toEqual([undefined, undefined]);
  });

  test('has the same headers for HEAD as for GET', async () => {
    const [got, head] = [
      await asTeam('/v2/user?limit=8', { 'accept-encoding': 'gzip' }),
      await asTeam('/v2/user?limit=8', { 'accept-encoding': 'gzip' }, 'HEAD'),
    ];
    for (const name of ['content-encoding', 'content-length', 'content-type', 'vary'])
      expect([name, head.headers[name]]).toEqual([name, got.headers[name]]);
    expect(head.bytes.length).toBe(0);
  });

  test('writes a line to the audit log', async () => {
    const { headers } = await asTeam('/v2/user?limit=8', { 'accept-encoding': 'gzip' });
    await app.flushAudit();
    const lines = await app.db
      .selectFrom('audit_log')
      .select('status')
      .where('request_id', '=', headers['x-request-id'] as string)
      .execute();
    expect(lines).toEqual([{ status: 200 }]);
  });

  test('that shows secrets or is a page for people is not compressed', async () => {
    const asks = {
      'accept-encoding': 'gzip',
      'x-service-api-key': app.team.api_key,
      'content-type': 'application/json',
    };
    const connections = await Promise.all(
      [1, 2, 3, 4].map(async (n) => ({
        user_id: (await makeUser(app.team)).user_id,
        access_token: `access-${n}`.repeat(20),
        refresh_token: `refresh-${n}`.repeat(20),
        provider_id: `oura-${n}`,
        expires_at: 2_000_000_000,
      })),
    );
    await app.api('POST', '/v2/link/bulk_import', { provider: 'oura', connections, wait_for_completion: true });
    const shown = await get(`${app.baseUrl}/v2/link/bulk_export`, asks, 'POST', '{"provider": "oura"}');
    const page = await get(`${app.baseUrl}/link?token=lt_${'x'.repeat(43)}`, asks);
    const { body } = await app.api<{ link_token: string }>('POST', '/v2/link/token', {
      user_id: connections[0]?.user_id,
    });
    const links = await get(`${app.baseUrl}/v2/link/providers`, { ...asks, 'x-service-link-token': body.link_token });
    expect(links.bytes.toString()).toContain(body.link_token);
    for (const { bytes, headers } of [shown, page, links]) {
      expect(bytes.length).toBeGreaterThan(1024);
      expect([headers['content-encoding'], headers['vary']]).toEqual([undefined, undefined]);
    }
  });

  test('that is a stream is compressed like any other', async () => {
    const { org_id, id, management_key } = app.team;
    const url = `${app.baseUrl}/v1/org/${org_id}/team/${id}/sandbox/export`;
    const packed = await get(url, { 'x-management-key': management_key, 'accept-encoding': 'gzip' });
    expect([packed.status, packed.headers['content-encoding']]).toEqual([200, 'gzip']);
    const lines = gunzipSync(packed.bytes).toString().trimEnd().split('\n');
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ type: 'end' });
  });
});

describe('a stream', () => {
  async function* endless(written: string[]): AsyncGenerator<string> {
    try {
      for (;;) {
        yield '{"line": 1}\n';
        await wait(20);
      }
    } finally {
      written.push('ended');
    }
  }
  const serve = async (make: () => Readable) => {
    const server = Fastify();
    compressResponses(server);
    const errors: unknown[] = [];
    server.get('/', (_request, reply) => {
      const source = make().once('error', (error) => errors.push(error.message));
      return reply.type('application/x-ndjson').send(source);
    });
    const url = await server.listen({ port: 0, host: '127.0.0.1' });
    return { server, url, errors };
  };
  const open = async (url: string) => {
    const asked = request(url, { headers: { 'accept-encoding': 'gzip' } }).end();
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    expect(response.headers['content-encoding']).toBe('gzip');
    return { asked, response };
  };

  test('is sent while its source pauses, and destroys its source when the client goes away', async () => {
    const written: string[] = [];
    const { server, url, errors } = await serve(() => Readable.from(endless(written)));
    const { asked, response } = await open(url);
    const [line] = (await once(response.pipe(createGunzip()), 'data')) as [Buffer];
    expect(line.toString()).toMatch(/^\{"line": 1\}\n/);
    asked.on('error', () => undefined).destroy();
    await expect.poll(() => written).toEqual(['ended']);
    expect(errors).toEqual([]);
    await server.close();
  });

  test('is cut off, not ended, when its source fails', async () => {
    const failing = async function* (): AsyncGenerator<string> {
      for (let n = 0; n < 10; n += 1) yield randomBytes(100_000).toString('hex');
      throw new Error('the source failed');
    };
    const { server, url, errors } = await serve(() => Readable.from(failing()));
    const { response } = await open(url);
    await expect(response.toArray()).rejects.toThrow('aborted');
    expect(errors).toEqual(['the source failed']);
    await server.close();
  });

  test('without content-encoding is an error when its source fails before the first byte', async () => {
    const failing = new Readable({ read: (): void => void failing.destroy(new Error('at once')) });
    const { server, url } = await serve(() => failing);
    const { status, headers, bytes } = await get(url, { 'accept-encoding': 'gzip' });
    expect([status, headers['content-encoding'], JSON.parse(bytes.toString())]).toMatchObject([500, undefined, {}]);
    await server.close();
  });
});

test('An answer is not compressed while 8 MiB are being compressed', async () => {
  const server = Fastify();
  compressResponses(server);
  server.get('/', (_request, reply) => reply.type('application/json').send(`"${'x'.repeat(5 * 1024 * 1024)}"`));
  await server.listen({ port: 0, host: '127.0.0.1' });
  const { port } = server.server.address() as AddressInfo;
  const ask = (more: string): string => `GET / HTTP/1.1\r\nhost: x\r\naccept-encoding: gzip\r\n${more}\r\n`;
  const socket = connect(port, '127.0.0.1');
  // All six requests arrive before the first response is compressed. So the limit allows only one to be compressed.
  socket.write(ask('').repeat(5) + ask('connection: close\r\n'));
  const heads = (await socket.toArray()).map((chunk: Buffer) => chunk.toString('latin1')).join('');
  expect([heads.match(/HTTP\/1\.1 200/g)?.length, heads.match(/content-encoding: gzip/g)?.length]).toEqual([6, 1]);
  await server.close();
});

test.each([
  ['gzip, deflate, br', ['br', 'gzip'], 'br'],
  ['gzip, deflate', ['br', 'gzip'], 'gzip'],
  ['br;q=0.5, gzip', ['br', 'gzip'], 'gzip'],
  ['br;q=0, *;q=0.1', ['br', 'gzip'], 'gzip'],
  ['identity, gzip;q=0.5', ['gzip'], null],
  ['GZIP;Q=1', ['gzip'], 'gzip'],
  ['gzip;q=nonsense', ['gzip'], null],
  ['', ['gzip'], null],
  [undefined, ['gzip'], null],
] as const)('codingFor(%j, %j) returns %j', (header, offered, taken) => {
  expect(codingFor(header, offered)).toBe(taken);
});
