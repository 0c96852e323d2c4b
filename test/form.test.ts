// Forms with files, on an operation that exists in this test only.
import { createHash, randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { Type } from 'typebox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { operation } from '../src/operation/operation.ts';
import { openApp, type App } from '../src/http/app.ts';
import { multipart } from '../src/operation/media.ts';
import { openMetrics } from '../src/metrics.ts';
import { buildOpenApi } from '../src/http/openapi/document.ts';
import { startTestApp, type TestApp } from './test-app.ts';

const MAX_BYTES = 300_000;
const Fields = Type.Object({
  user_id: Type.String({ format: 'uuid' }),
  urgent: Type.Optional(Type.Boolean({ default: false })),
});

const declared = operation({
  id: 'take_form',
  method: 'POST',
  path: '/form',
  tag: 'team',
  summary: 'For a test',
  body: multipart(Fields, { file: 'file', maxFiles: 3, maxBytes: MAX_BYTES }),
  response: Type.Object({ user_id: Type.String(), urgent: Type.Boolean(), files: Type.Array(Type.String()) }),
  handle: async (_ctx, { body }) => {
    const files: string[] = [];
    for await (const file of body.files) {
      const hash = createHash('sha256');
      for await (const chunk of file) hash.update(chunk);
      files.push(hash.digest('hex'));
    }
    const { user_id, urgent = false } = body.fields();
    return { user_id, urgent, files };
  },
});

let service: TestApp;
let app: App;
let baseUrl: string;
beforeAll(async () => {
  service = await startTestApp({ PHIAL_REQUEST_TIMEOUT_SECONDS: '1' });
  app = openApp(service.ctx, [declared], openMetrics());
  app.server.server.requestTimeout = 1_000;
  baseUrl = await app.server.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(async () => {
  await app.server.close();
  await service.close();
});

const user_id = randomUUID();
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const blob = (bytes: Uint8Array): Blob => new Blob([bytes as Uint8Array<ArrayBuffer>]);
type Part = [name: string, value: string | Blob];

async function post(body: RequestInit['body'], headers: Record<string, string> = {}) {
  const response = await fetch(`${baseUrl}/form`, {
    method: 'POST',
    headers: { 'x-service-api-key': service.team.api_key, ...headers },
    body: body as NonNullable<RequestInit['body']>,
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}
function send(...parts: Part[]) {
  const form = new FormData();
  for (const [name, value] of parts) {
    if (typeof value === 'string') form.append(name, value);
    else form.append(name, value, 'Grace Palmer.pdf');
  }
  return post(form);
}
const problemPathsOf = ({ body }: { body: Record<string, unknown> }): string[] =>
  (body['detail'] as { type: string; loc: string[] }[]).map(({ type, loc }) => `${loc.join('.')} ${type}`);

/** A form written by hand, so that it can be wrong. */
const raw = (text: string, boundary = 'edge') =>
  post(text.replaceAll('\n', '\r\n'), { 'content-type': `multipart/form-data; boundary=${boundary}` });

describe('a form', () => {
  test('delivers its files byte by byte and its fields, in any order', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.uint8Array({ maxLength: 70_000, size: 'max' }), { minLength: 1, maxLength: 3 }),
        fc.nat(),
        async (files, at) => {
          const parts: Part[] = files.map((bytes) => ['file', blob(bytes)]);
          parts.splice(at % (parts.length + 1), 0, ['user_id', user_id], ['urgent', 'true']);
          expect(await send(...parts)).toEqual({
            status: 200,
            body: { user_id, urgent: true, files: files.map(sha256) },
          });
        },
      ),
      { numRuns: 25 },
    );
  });

  test('may contain unknown fields and files, which are ignored', async () => {
    const { status, body } = await send(
      ['photo', blob(Buffer.alloc(100_000))],
      ['user_id', user_id],
      ['colour', 'red'],
      ['file', blob(Buffer.from('a'))],
    );
    expect([status, body['files']]).toEqual([200, [sha256(Buffer.from('a'))]]);
  });

  test('gets all its problems at once', async () => {
    expect(problemPathsOf(await send(['urgent', 'maybe']))).toEqual([
      'body.file missing',
      'body.user_id missing',
      'body.urgent bool_type',
    ]);
    expect(problemPathsOf(await send(['file', 'a text'], ['user_id', blob(Buffer.from(user_id))]))).toEqual([
      'body.file missing',
      'body.user_id missing',
    ]);
    const twice = await send(['user_id', user_id], ['user_id', randomUUID()], ['file', blob(Buffer.from('a'))]);
    expect(twice.status).toBe(422);
    const long = await send(['user_id', 'x'.repeat(2_000)], ['file', blob(Buffer.from('a'))]);
    expect(problemPathsOf(long)).toContain('body.user_id string_too_long');
  });

  test.each<[string, Part[]]>([
    ['files', Array.from({ length: 4 }, () => ['file', blob(Buffer.from('a'))])],
    ['fields', Array.from({ length: 21 }, (_, n) => [`f${n}`, 'x'])],
    ['parts', Array.from({ length: 500 }, () => ['a', ''])],
  ])('is refused with more %s than allowed', async (_what, parts) => {
    const answer = await send(['user_id', user_id], ...parts);
    expect([answer.status, problemPathsOf(answer)]).toEqual([422, ['body too_long']]);
  });

  test('has a total size limit, announced or not', async () => {
    const large = blob(Buffer.alloc(MAX_BYTES));
    expect(await send(['user_id', user_id], ['file', large])).toMatchObject({ status: 413 });
    const unannounced = new Response(
      (() => {
        const form = new FormData();
        form.append('file', large, 'x');
        return form;
      })(),
    );
    const type = unannounced.headers.get('content-type') as string;
    const response = await fetch(`${baseUrl}/form`, {
      method: 'POST',
      headers: { 'x-service-api-key': service.team.api_key, 'content-type': type },
      body: unannounced.body,
      duplex: 'half',
    } as RequestInit);
    expect(response.status).toBe(413);
  });

  const head = '--edge\nContent-Disposition: form-data; name="file"; filename="a"\n';
  test.each([
    ['that ends early', `${head}\nabc`],
    ['that ends in the head of a part', `${head}`],
    ['that is no form', 'hello'],
    ['that is empty', ''],
    ['whose part has a head without end', `--edge\nContent-Disposition: ${'x'.repeat(20_000)}`],
    ['within a form', '--edge\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nx\n--b--\n--edge--\n'],
  ])('%s is refused', async (_what, text) => {
    expect((await raw(text)).status).toBe(422);
  });

  test('without a boundary, or of another type, is refused', async () => {
    expect(problemPathsOf(await post('x', { 'content-type': 'multipart/form-data' }))).toEqual([
      'header.content-type value_error',
    ]);
    expect(await post('{}', { 'content-type': 'application/json' })).toMatchObject({ status: 415 });
  });

  test('never stops the service, whatever it contains', async () => {
    const fragments = [
      '--edge',
      '--',
      '\r\n',
      '\n',
      'Content-Disposition: form-data; name=',
      '"file"',
      'filename="',
      ';',
      '\0',
      'ff',
      'Content-Type: x/y; charset=utf-16',
    ];
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...fragments), { maxLength: 30 }), async (parts) => {
        const answer = await post(parts.join(''), { 'content-type': 'multipart/form-data; boundary=edge' });
        expect([200, 422]).toContain(answer.status);
      }),
      { numRuns: 60 },
    );
  });

  test('whose sender stops in a file is given up', async () => {
    const { hostname, port } = new URL(baseUrl);
    const socket = connect(Number(port), hostname);
    const begun = `${head}\nabc`.replaceAll('\n', '\r\n');
    socket.write(
      `POST /form HTTP/1.1\r\nhost: x\r\nx-service-api-key: ${service.team.api_key}\r\n` +
        `content-type: multipart/form-data; boundary=edge\r\ncontent-length: 5000\r\n\r\n${begun}`,
    );
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 408 /);
  });
});

test('the document describes the files and fields of a form', () => {
  const { paths } = buildOpenApi([declared], [], { version: '1', interfaceVersion: '1' });
  const { requestBody } = (paths as { '/form': { post: { requestBody: object } } })['/form'].post;
  expect(requestBody).toMatchObject({
    required: true,
    content: {
      'multipart/form-data': {
        schema: {
          type: 'object',
          required: ['file', 'user_id'],
          properties: { file: { type: 'array', minItems: 1, maxItems: 3 }, user_id: { format: 'uuid' } },
        },
      },
    },
  });
});
