import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from './test-app.ts';
import { query } from './global-setup.ts';
import { makeUser, person, problemsOf, type Refusal } from './people.ts';

const BODY_LIMIT = 262_144;

let app: TestApp;
let key: Record<string, string>;
beforeAll(async () => {
  app = await startTestApp({ PHIAL_BODY_LIMIT_BYTES: String(BODY_LIMIT) });
  key = { 'x-service-api-key': app.team.api_key };
});
afterAll(() => app.close());

type Raw = {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Record<string, unknown>;
  text: string;
};

/** Sends a request exactly as written here, and checks what holds for every refusal. */
async function refused(
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body?: string,
): Promise<Raw> {
  const { host } = new URL(app.baseUrl);
  const answer = await new Promise<Raw>((resolve, reject) => {
    const request = httpRequest(
      { host: host.split(':')[0], port: host.split(':')[1], method, path, headers },
      async (response) => {
        const received = await text(response);
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: received,
          body: received === '' ? {} : (JSON.parse(received) as Record<string, unknown>),
        });
      },
    );
    request.on('error', reject);
    request.end(body);
  });
  checkRefusal(answer);
  return answer;
}

function checkRefusal({ status, headers, body }: Raw): void {
  expect(status).toBeGreaterThanOrEqual(400);
  expect(headers['content-type']).toBe('application/json; charset=utf-8');
  expect(body).toEqual({
    detail: expect.anything(),
    code: expect.stringMatching(/^[a-z_]+$/),
    request_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
  });
  expect(headers['x-request-id']).toBe(body['request_id']);
}

/** Writes `bytes` to the service's socket and reads until it closes. */
async function refusedRaw(bytes: string): Promise<Raw> {
  const { hostname, port } = new URL(app.baseUrl);
  const socket = connect(Number(port), hostname);
  socket.write(bytes);
  const received = await text(socket);
  const [head = '', body = ''] = received.split('\r\n\r\n');
  const [statusLine = '', ...lines] = head.split('\r\n');
  const answer = {
    status: Number(statusLine.split(' ')[1]),
    text: body,
    body: JSON.parse(body) as Record<string, unknown>,
    headers: Object.fromEntries(lines.map((line) => [line.split(': ')[0]?.toLowerCase(), line.split(': ')[1]])),
  };
  checkRefusal(answer);
  return answer;
}

const JSON_TYPE = { 'content-type': 'application/json' };
const post = (body: string, headers: Record<string, string> = {}): Promise<Raw> =>
  refused('POST', '/v2/user', { ...key, ...JSON_TYPE, ...headers }, body);

describe('bodies', () => {
  test.each([
    '{"client_user_id": "secret-person"',
    '{client_user_id: 1}',
    "{'client_user_id': 'secret-person'}",
    '{"client_user_id": "secret-person",}',
    'secret-person',
    '\u0000',
    '{"client_user_id": "line\nbreak secret-person"}',
    `${'['.repeat(1900)}secret-person`,
  ])('%j is no JSON that we accept, and the answer repeats none of it', async (body) => {
    const answer = await post(body);
    expect([answer.status, answer.body['code']]).toEqual([422, 'validation_failed']);
    expect(answer.body['detail']).toEqual([{ type: 'json_invalid', loc: ['body'], msg: expect.any(String) }]);
    expect(answer.text).not.toMatch(/secret|proto/);
  });

  test.each([
    '{"client_user_id": "proto-1", "__proto__": {"team_id": "x"}}',
    '{"\\u005f_proto__": 1, "client_user_id": "proto-2"}',
    '{"client_user_id": "proto-3", "deep": [{"__proto__": null}]}',
  ])('%j has a key that is dropped, like every unknown key', async (body) => {
    const answer = await app.api<{ user_id: string; team_id: string }>('POST', '/v2/user', undefined, { raw: body });
    expect([answer.status, answer.body.team_id]).toEqual([200, app.team.id]);
  });

  test(
    'bytes that are no UTF-8 are refused, and so are other charsets and encodings, which nobody would read ' +
      'correctly',
    async () => {
      const send = async (body: Uint8Array, headers: Record<string, string>): Promise<[number, unknown]> => {
        const response = await fetch(`${app.baseUrl}/v2/user`, {
          method: 'POST',
          headers: { ...key, ...JSON_TYPE, ...headers },
          body,
        });
        return [response.status, ((await response.json()) as { code: string }).code];
      };
      const text = Buffer.from('{"client_user_id": "Jos\u00e9"}', 'latin1');
      expect(await send(text, {})).toEqual([422, 'validation_failed']);
      expect(await send(text, { 'content-type': 'application/json; charset=iso-8859-1' })).toEqual([
        415,
        'unsupported_media_type',
      ]);
      expect(await send(Buffer.from('{}'), { 'content-encoding': 'gzip' })).toEqual([415, 'unsupported_media_type']);
    },
  );

  test('a body far over the limit gets a 413 that its sender can read', async () => {
    const body = JSON.stringify({ client_user_id: 'x'.repeat(5_000_000) });
    for (let round = 0; round < 8; round += 1) {
      const response = await fetch(`${app.baseUrl}/v2/user`, {
        method: 'POST',
        headers: { ...key, ...JSON_TYPE },
        body,
      });
      expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([413, 'body_too_large']);
    }
  });

  test(
    'an empty path parameter, or one with a line break, is another path, and a repeated query parameter is ' +
      'refused',
    async () => {
      expect((await refused('GET', '/v2/user/', key)).body['code']).toBe('route_not_found');
      const twice = await refused('GET', '/v2/user?limit=1&limit=2', key);
      const broken = await refused('GET', '/logos/a%0Ab.svg');
      expect([broken.status, broken.body['code']]).toEqual([404, 'route_not_found']);
      expect([twice.status, (twice.body['detail'] as { loc: string[] }[])[0]?.loc]).toEqual([422, ['query', 'limit']]);
    },
  );

  test('lists nested as deeply as the limit allows are refused, not fatal', async () => {
    for (const depth of [100, 2_000, 10_000, 100_000]) {
      const lists = `${'['.repeat(depth)}${']'.repeat(depth)}`;
      expect((await post(`{"client_user_id": ${lists}}`)).status).toBe(422);
      expect((await post(`{"client_user_id": ${lists}, "escaped": "\\u0041"}`)).status).toBe(422);
    }
  });

  test('of many problems the answer lists a hundred', async () => {
    const many = await refused('GET', `/v3/orders?order_ids=${Array(400).fill('x').join()}`, key);
    expect(problemsOf(many)).toHaveLength(100);
  });

  test('broken JSON is listed beside problems of the path', async () => {
    const answer = await refused('PATCH', '/v2/user/nobody', { ...key, ...JSON_TYPE }, '{');
    expect(problemsOf(answer)).toEqual(['body json_invalid', 'path.user_id uuid_parsing']);
  });

  test.each(['', '   ', '\n'])('an empty body (%j) with a JSON content type is no body', async (body) => {
    expect(problemsOf(await post(body))).toEqual(['body missing']);
  });

  test('a body of exactly the limit is accepted and one byte more is 413, announced or not', async () => {
    const filled = JSON.stringify({ client_user_id: 'full', filler: '' });
    const full = filled.replace('""', `"${'x'.repeat(BODY_LIMIT - filled.length)}"`);
    expect((await app.api('POST', '/v2/user', undefined, { raw: full })).status).toBe(200);
    const announced = await post(`${full} `, { 'content-length': String(BODY_LIMIT + 1) });
    expect([announced.status, announced.body['code']]).toEqual([413, 'body_too_large']);
    const chunked = await post(`${full} `, { 'transfer-encoding': 'chunked' });
    expect(chunked.status).toBe(413);
  });

  test.each([
    'text/plain',
    'application/xml',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'nonsense',
    'application/jsonp',
  ])('the content type %s is 415', async (type) => {
    const answer = await post('{"client_user_id": "x"}', { 'content-type': type });
    expect([answer.status, answer.body['code']]).toEqual([415, 'unsupported_media_type']);
  });

  test('a body without a content type is 415', async () => {
    const answer = await refused('POST', '/v2/user', { ...key, 'content-length': '2' }, '{}');
    expect(answer.status).toBe(415);
  });

  test('a content type with a charset is JSON too', async () => {
    const headers = { 'content-type': 'application/json; charset=UTF-8' };
    const answer = await app.api('POST', '/v2/user', { client_user_id: 'charset' }, { headers });
    expect(answer.status).toBe(200);
  });

  test('unknown keys are ignored: they change nothing and are not stored', async () => {
    const other = await app.makeTeam();
    const made = await app.api<{ user_id: string }>('POST', '/v2/user', {
      client_user_id: 'unknown-keys',
      team_id: other.id,
      deleted_at: '2020-01-01',
      constructor: 1,
      toString: {},
      hasOwnProperty: null,
    } as object);
    const { user_id } = made.body;
    const patched = await app.api('PATCH', `/v2/user/${user_id}`, {
      team_id: other.id,
      deleted_at: '2020-01-01',
      surprise: 1,
    });
    expect(patched.status).toBe(204);
    expect((await app.api('GET', `/v2/user/${user_id}`)).body).toEqual(made.body);

    const address = { ...person.address, surprise: 1 };
    const info = await app.api('PATCH', `/v2/user/${user_id}/info`, { ...person, address, surprise: { secret: 1 } });
    expect(info.status).toBe(200);
    const row = await app.db
      .selectFrom('user_info')
      .select('info')
      .where('user_id', '=', user_id)
      .executeTakeFirstOrThrow();
    expect(JSON.stringify(row.info)).not.toContain('surprise');
  });

  test.each([
    ['\u0000', 'a zero character'],
    ['\ud800', 'half a surrogate pair'],
    ['x\udc00', 'the other half'],
  ])('text that PostgreSQL cannot store (%j, %s) is refused with its path', async (text) => {
    const userId = await makeUser(app.api);
    const address = { ...person.address, access_notes: `gate${text}code` };
    const answer = await app.api('PATCH', `/v2/user/${userId}/info`, { ...person, address });
    expect(answer.status).toBe(422);
    expect(problemsOf(answer)).toEqual(['body.address.access_notes string_unicode']);
  });
});

describe('routes and methods', () => {
  test.each(['/nowhere', '/v2', '/v2/users/', '/v2//user', '/V2/user', '/v3/user'])(
    'the unknown path %s is 404 in JSON, with and without a key',
    async (path) => {
      for (const headers of [{}, key]) {
        const answer = await refused('GET', path, headers);
        expect([answer.status, answer.body['code']]).toEqual([404, 'route_not_found']);
      }
    },
  );

  test('the answer does not repeat an unknown path', async () => {
    expect((await refused('GET', '/secret-person?dob=1980-01-01')).text).not.toMatch(/secret|1980/);
  });

  test.each([
    ['PUT', '/v2/user', 'POST, GET, HEAD'],
    ['DELETE', '/v2/user', 'POST, GET, HEAD'],
    ['OPTIONS', '/v2/user', 'POST, GET, HEAD'],
    ['TRACE', '/v2/user', 'POST, GET, HEAD'],
    ['PROPFIND', '/v2/user', 'POST, GET, HEAD'],
    ['GET', '/v2/user/undo_delete', 'POST'],
    ['POST', '/v2/user/metrics', 'GET, HEAD'],
    ['PATCH', '/v2/user/metrics', 'GET, HEAD'],
    ['POST', '/v2/user/not-even-an-id', 'GET, HEAD, PATCH, DELETE'],
  ])('%s %s is 405 and allows %s', async (method, path, allow) => {
    const answer = await refused(method, path);
    expect([answer.status, answer.body['code']]).toEqual([405, 'method_not_allowed']);
    expect(answer.headers['allow']).toBe(allow);
  });

  test('HEAD answers like GET, without the body', async () => {
    const { status, headers } = await fetch(`${app.baseUrl}/v2/user/metrics`, { method: 'HEAD', headers: key });
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
  });

  test('a path that is not URL-encoded text is refused', async () => {
    const answer = await refused('GET', '/v2/user/resolve/%zz', key);
    expect([answer.status, answer.body['code']]).toEqual([400, 'bad_request']);
    expect(answer.text).not.toContain('zz');
  });
});

describe('sizes', () => {
  test('an address of 8,192 characters is read and a longer one is 414', async () => {
    const path = '/v2/user/metrics?';
    const longest = path + 'x'.repeat(8192 - path.length);
    expect((await app.api('GET', longest)).status).toBe(200);
    const answer = await refused('GET', `${longest}x`, key);
    expect([answer.status, answer.body['code']]).toEqual([414, 'uri_too_long']);
  });

  test('an impossible path parameter is refused in the usual shape', async () => {
    const answer = await refused('GET', `/v2/user/${'x'.repeat(8000)}`, key);
    expect([404, 414, 422]).toContain(answer.status);
  });

  test('headers over 16 KiB are 431', async () => {
    const answer = await refusedRaw(
      `GET /v2/user/metrics HTTP/1.1\r\nhost: x\r\nconnection: close\r\nx-filler: ${'x'.repeat(20_000)}\r\n\r\n`,
    );
    expect([answer.status, answer.body['code']]).toEqual([431, 'headers_too_large']);
  });

  test('what is not HTTP is 400', async () => {
    const answer = await refusedRaw('HELLO secret-person\r\n\r\n');
    expect([answer.status, answer.body['code']]).toEqual([400, 'bad_request']);
    expect(answer.text).not.toContain('secret');
  });
});

describe('the order of checks', () => {
  const big = JSON.stringify({ client_user_id: 'x'.repeat(BODY_LIMIT) });

  test('an unknown path and a wrong method come before the missing key', async () => {
    expect((await refused('POST', '/nowhere', JSON_TYPE, big)).status).toBe(404);
    expect((await refused('PUT', '/v2/user', { 'content-type': 'text/plain' }, big)).status).toBe(405);
  });

  test('a missing key comes before size, media type and validation', async () => {
    expect((await refused('POST', '/v2/user', JSON_TYPE, big)).status).toBe(401);
    expect((await refused('POST', '/v2/user', { 'content-type': 'text/plain' }, 'x')).status).toBe(401);
    expect((await refused('POST', '/v2/user', JSON_TYPE, '{')).status).toBe(401);
    expect((await refused('GET', '/v2/user/not-an-id')).status).toBe(401);
  });

  test('size and media type come before validation', async () => {
    expect((await refused('PATCH', '/v2/user/not-an-id', { ...key, ...JSON_TYPE }, big)).status).toBe(413);
    expect((await refused('PATCH', '/v2/user/not-an-id', { ...key, 'content-type': 'text/plain' }, 'x')).status).toBe(
      415,
    );
  });

  test('validation comes before existence, and existence before business rules', async () => {
    const nobody = '0197a1b2-0000-7000-8000-000000000000';
    const wrong = await app.api('PATCH', `/v2/user/${nobody}`, { fallback_time_zone: 'Mars' });
    expect(problemsOf(wrong)).toEqual(['body.fallback_time_zone value_error']);
    await makeUser(app.api, 'taken');
    const unknown = await app.api<{ code: string }>('PATCH', `/v2/user/${nobody}`, { client_user_id: 'taken' });
    expect([unknown.status, unknown.body.code]).toEqual([404, 'not_found']);
  });
});

test('path, query, headers and body are checked together', async () => {
  const answer = await app.api<Refusal>(
    'POST',
    '/v2/user',
    { client_user_id: '' },
    { headers: { 'x-idempotency-key': 'k'.repeat(256) } },
  );
  expect(answer.status).toBe(422);
  expect(problemsOf(answer)).toEqual([
    'body.client_user_id string_too_short',
    'header.x-idempotency-key string_too_long',
  ]);
});

test('an unexpected error is 500 with a fixed text', async () => {
  await query(app.databaseUrl, 'alter table user_info rename to secret_person');
  try {
    const answer = await refused('GET', `/v2/user/${await makeUser(app.api)}/info/latest`, key);
    expect([answer.status, answer.body['code']]).toEqual([500, 'internal_error']);
    expect(answer.text).not.toMatch(/secret|user_info|relation/);
  } finally {
    await query(app.databaseUrl, 'alter table secret_person rename to user_info');
  }
});
