// The kinds of bodies and answers other than JSON, on operations that exist in this test only.
import { createHash } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import { Type } from 'typebox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openApp, type App } from '../src/http/app.ts';
import { operation } from '../src/operation/operation.ts';
import { notFound } from '../src/errors.ts';
import { byteStream, html, ndjson, pdf, redirect } from '../src/operation/media.ts';
import { openMetrics } from '../src/metrics.ts';
import { buildOpenApi } from '../src/http/openapi/document.ts';
import { startTestApp, type TestApp } from './test-app.ts';

const Sample = Type.Object({ at: Type.String({ format: 'date-time' }), value: Type.Number() });
const Count = Type.Object({ count: Type.Integer() });
const FIT = 'application/vnd.ant.fit';
const shown = { tag: 'team', summary: 'For a test' } as const;

/** Yields so many rows, one by one; `made` counts them. */
let made = 0;
async function* samples(count: number): AsyncIterable<{ at: string; value: number; secret: string }> {
  for (made = 0; made < count; made += 1) yield { at: '2026-01-01T00:00:00.000Z', value: made, secret: 'never shown' };
}

const operations = [
  operation({
    ...shown,
    id: 'get_pdf',
    method: 'GET',
    path: '/pdf',
    response: pdf('letter'),
    handle: async () => Buffer.from('%PDF-1.7'),
  }),
  operation({
    ...shown,
    id: 'get_streamed_pdf',
    method: 'GET',
    path: '/pdf/streamed',
    response: pdf('letter'),
    handle: async () => Readable.from([Buffer.from('%PDF-'), Buffer.from('1.7')]),
  }),
  operation({
    ...shown,
    id: 'get_page',
    method: 'GET',
    path: '/page',
    auth: 'none',
    response: html,
    handle: async () => '<p>Hello</p>',
  }),
  operation({
    ...shown,
    id: 'go_elsewhere',
    method: 'GET',
    path: '/elsewhere',
    auth: 'none',
    response: redirect,
    handle: async () => 'https://example.com/in?state=1',
  }),
  operation({
    ...shown,
    id: 'list_samples',
    method: 'GET',
    path: '/samples',
    query: Type.Object({ count: Type.Integer() }),
    response: ndjson(Sample),
    handle: async (_ctx, { query: { count } }) => samples(count),
  }),
  operation({
    ...shown,
    id: 'add_samples',
    method: 'POST',
    path: '/samples',
    body: ndjson(Sample),
    response: Count,
    handle: async (_ctx, { body }) => {
      let count = 0;
      for await (const { value } of body) count += value >= 0 ? 1 : 0;
      return { count };
    },
  }),
  operation({
    ...shown,
    id: 'upload_file',
    method: 'POST',
    path: '/file',
    body: byteStream([FIT, 'application/octet-stream'], 1_000_000),
    response: Type.Object({ sha256: Type.String() }),
    status: 202,
    handle: async (_ctx, { body }) => {
      const hash = createHash('sha256');
      for await (const chunk of body) hash.update(chunk as Buffer);
      return { sha256: hash.digest('hex') };
    },
  }),
  operation({
    ...shown,
    id: 'refuse_file',
    method: 'POST',
    path: '/file/refused',
    body: byteStream([FIT], 1_000_000),
    response: Count,
    refusals: ['not_found'],
    handle: () => {
      throw notFound('File');
    },
  }),
];

let service: TestApp;
let app: App;
let baseUrl: string;
beforeAll(async () => {
  service = await startTestApp();
  app = openApp(service.ctx, operations, openMetrics());
  baseUrl = await app.server.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(async () => {
  await app.server.close();
  await service.close();
});

const call = (
  method: string,
  path: string,
  options: { type?: string; body?: RequestInit['body'] } = {},
): Promise<Response> =>
  fetch(baseUrl + path, {
    method,
    headers: { 'x-service-api-key': service.team.api_key, ...(options.type ? { 'content-type': options.type } : {}) },
    ...(options.body === undefined ? {} : { body: options.body, duplex: 'half' }),
    redirect: 'manual',
  } as RequestInit);
const codeOf = async (response: Response): Promise<[number, string]> => [
  response.status,
  ((await response.json()) as { code: string }).code,
];

describe('an operation can answer with', () => {
  test.each(['/pdf', '/pdf/streamed'])('a PDF at %s', async (path) => {
    const response = await call('GET', path);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/pdf']);
    expect(await response.text()).toBe('%PDF-1.7');
  });

  test('a page', async () => {
    const response = await call('GET', '/page');
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(await response.text()).toBe('<p>Hello</p>');
  });

  test('a redirect', async () => {
    const response = await call('GET', '/elsewhere');
    expect([response.status, response.headers.get('location')]).toEqual([302, 'https://example.com/in?state=1']);
  });

  test('lines, each in the declared schema', async () => {
    const response = await call('GET', '/samples?count=2');
    expect(response.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
    expect(await response.text()).toBe(
      '{"at":"2026-01-01T00:00:00.000Z","value":0}\n{"at":"2026-01-01T00:00:00.000Z","value":1}\n',
    );
  });

  test('lines no faster than the client reads them', async () => {
    const response = await new Promise<NodeJS.ReadableStream & { destroy: () => void }>((resolve, reject) => {
      const request = httpRequest(
        `${baseUrl}/samples?count=100000000`,
        { headers: { 'x-service-api-key': service.team.api_key } },
        (answer) => resolve(answer.pause()),
      );
      request.on('error', reject).end();
    });
    await expect.poll(() => made).toBeGreaterThan(1000);
    // It stops when the buffers of both sockets are full, long before the end.
    let before = -1;
    await expect
      .poll(
        () => {
          const stands = made === before;
          before = made;
          return stands;
        },
        { interval: 200, timeout: 20_000 },
      )
      .toBe(true);
    expect(made).toBeLessThan(10_000_000);
    response.destroy();
  });
});

describe('an operation', () => {
  test('can accept a file, which it reads as it arrives', async () => {
    const bytes = Buffer.alloc(900_000, 'x');
    const response = await call('POST', '/file', { type: FIT, body: bytes });
    expect([response.status, await response.json()]).toEqual([
      202,
      { sha256: createHash('sha256').update(bytes).digest('hex') },
    ]);
  });

  test('refuses a file of another type or above its limit, announced or not', async () => {
    for (const type of ['text/plain', 'application/json', 'multipart/form-data; boundary=x']) {
      const refused = await call('POST', '/file', { type, body: 'x' });
      expect([refused.status, ((await refused.json()) as { detail: string }).detail]).toEqual([
        415,
        `The body must be the bytes themselves: ${FIT}, application/octet-stream, as the content-type header states.`,
      ]);
    }
    expect(await codeOf(await call('POST', '/file', { type: FIT, body: Buffer.alloc(1_000_001) }))).toEqual([
      413,
      'body_too_large',
    ]);
    const unannounced = Readable.toWeb(Readable.from([Buffer.alloc(600_000), Buffer.alloc(600_000)]));
    expect(await codeOf(await call('POST', '/file', { type: FIT, body: unannounced as RequestInit['body'] }))).toEqual([
      413,
      'body_too_large',
    ]);
    expect(await codeOf(await call('POST', '/file'))).toEqual([422, 'validation_failed']);
  });

  test('answers at once when it refuses a body unread', async () => {
    // If the service did not read the rest, this would take two seconds. On a busy machine one try may be slow, so the
    // best of several counts.
    let best = Infinity;
    for (let round = 0; round < 4 && best >= 1_500; round += 1) {
      const begin = performance.now();
      const refused = await call('POST', '/file/refused', { type: FIT, body: Buffer.alloc(900_000) });
      expect(await codeOf(refused)).toEqual([404, 'not_found']);
      best = Math.min(best, performance.now() - begin);
    }
    expect(best).toBeLessThan(1_500);
  });

  test('can accept lines, each checked like a body', async () => {
    const line = '{"at":"2026-01-01T00:00:00Z","value":1,"more":"dropped"}';
    const send = (body: string): Promise<Response> => call('POST', '/samples', { type: 'application/x-ndjson', body });
    expect(await (await send(`${line}\n${line}\r\n\n${line}`)).json()).toEqual({ count: 3 });
    const wrong = (await (await send(`${line}\n{"at":"soon","value":"x"}\n`)).json()) as {
      detail: { loc: unknown[] }[];
    };
    expect(wrong.detail.map(({ loc }) => loc.join('.'))).toEqual(['body.1.at', 'body.1.value']);
    const broken = (await (await send(`${line}\n{`)).json()) as { detail: { type: string; loc: unknown[] }[] };
    expect(broken.detail).toMatchObject([{ type: 'json_invalid', loc: ['body', 1] }]);
    expect(await codeOf(await send(`"${'x'.repeat(1_100_000)}`))).toEqual([413, 'body_too_large']);
  });

  test('can accept JSON beside a stream, as usual', async () => {
    const answer = await call('POST', '/samples', { type: 'application/json', body: '{}' });
    expect(answer.status).toBe(415);
  });
});

test('writes a line to the audit log for each of them', async () => {
  const answers = [await call('GET', '/pdf'), await call('POST', '/file', { type: FIT, body: 'x' })];
  await buffer(Readable.fromWeb((answers[0] as Response).body as never));
  await app.audit.flush();
  for (const answer of answers) {
    const lines = await service.db
      .selectFrom('audit_log')
      .select('status')
      .where('request_id', '=', answer.headers.get('x-request-id'))
      .execute();
    expect(lines).toEqual([{ status: answer.status }]);
  }
});

test('the document describes the kinds, and no idempotency key where none is accepted', () => {
  const { paths } = buildOpenApi(operations, [], { version: '1', interfaceVersion: '1' }) as {
    paths: Record<
      string,
      Record<string, { parameters?: unknown; requestBody?: { content: object }; responses: Record<string, object> }>
    >;
  };
  // Generators of clients make an empty object from an empty schema.
  const file = { schema: { type: 'string', format: 'binary' } };
  expect(paths['/pdf']?.['get']?.responses['200']).toMatchObject({ content: { 'application/pdf': file } });
  expect(paths['/page']?.['get']?.responses['200']).toMatchObject({ content: { 'text/html': {} } });
  expect(paths['/elsewhere']?.['get']?.responses['302']).toMatchObject({ headers: { Location: {} } });
  expect(paths['/samples']?.['post']).toMatchObject({ requestBody: { content: { 'application/x-ndjson': {} } } });
  expect(Object.keys(paths['/file']?.['post']?.requestBody?.content ?? {})).toEqual([FIT, 'application/octet-stream']);
  expect(paths['/file']?.['post']?.parameters).toBeUndefined();
});
