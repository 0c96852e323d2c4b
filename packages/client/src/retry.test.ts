import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { openPhial, PhialError, unwrap, type Phial } from './client.ts';

type Answer = (response: ServerResponse) => void;

const USER = '01940000-0000-7000-8000-000000000001';
const path = { params: { path: { user_id: USER } } };

/** What the stand-in of the service answers, one after the other. The last answer is given to all later requests. */
let answers: Answer[] = [];
const received: { method: string; headers: IncomingHttpHeaders; body: string }[] = [];
const server = createServer((request, response) => {
  let body = '';
  request.on('data', (chunk: Buffer) => (body += chunk.toString()));
  request.on('end', () => {
    received.push({ method: String(request.method), headers: request.headers, body });
    const [answer] = answers.length > 1 ? answers.splice(0, 1) : answers;
    answer?.(response);
  });
});

const json =
  (status: number, body: unknown = {}, headers: Record<string, string> = {}): Answer =>
  (response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
const refuse = (status: number, code: string, headers?: Record<string, string>): Answer =>
  json(status, { code, detail: 'A reason.', request_id: USER }, headers);
const cutOff: Answer = (response) => response.destroy();
const fine = json(200, { user_id: USER });

const address = (): { baseUrl: string } => ({
  baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
});

let phial: Phial;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  phial = openPhial({ ...address(), apiKey: 'key' });
});
afterAll(() => server.close());
beforeEach(() => {
  received.length = 0;
});

describe('a request is sent again', () => {
  test.each([
    ['a lost connection', cutOff],
    ['an error of the service', refuse(500, 'internal_error')],
    ['an answer of a proxy', (response: ServerResponse) => response.writeHead(502).end('<h1>Bad gateway</h1>')],
  ])('that reads, after %s', async (_, failure) => {
    answers = [failure, fine];
    expect(await unwrap(phial.GET('/v2/user/{user_id}', path))).toEqual({ user_id: USER });
    expect(received).toHaveLength(2);
  });

  test('with the same idempotency key and body, if its operation takes a key', async () => {
    answers = [cutOff, refuse(500, 'internal_error'), fine];
    await unwrap(phial.POST('/v2/user', { body: { client_user_id: 'ada' } }));
    const [first, ...others] = received;
    expect(first?.headers['x-idempotency-key']).toMatch(/^[0-9a-f-]{36}$/);
    expect(others).toHaveLength(2);
    for (const { headers, body } of others)
      expect([headers['x-idempotency-key'], body]).toEqual([first?.headers['x-idempotency-key'], first?.body]);
  });

  test('with the key that the caller chose', async () => {
    answers = [cutOff, fine];
    const params = { header: { 'X-Idempotency-Key': 'chosen' } };
    await unwrap(phial.POST('/v2/user', { params, body: { client_user_id: 'ada' } }));
    expect(received.map(({ headers }) => headers['x-idempotency-key'])).toEqual(['chosen', 'chosen']);
  });

  test.each([429, 500, 502, 503, 504])(
    'after a %i without a key, because a repetition changes nothing',
    async (status) => {
      answers = [refuse(status, 'rate_limited', { 'retry-after': '0' }), fine];
      await unwrap(phial.PATCH('/v2/user/{user_id}', { ...path, body: {} }));
      expect(received.map(({ method, headers }) => [method, headers['x-idempotency-key']])).toEqual([
        ['PATCH', undefined],
        ['PATCH', undefined],
      ]);
    },
  );

  test('after the pause of Retry-After', async () => {
    answers = [refuse(429, 'rate_limited', { 'retry-after': '1' }), fine];
    const begun = performance.now();
    await unwrap(phial.GET('/v2/user/{user_id}', path));
    expect(performance.now() - begun).toBeGreaterThan(990);
  });

  test('until the first try has ended, if only its response got lost', async () => {
    const running = refuse(409, 'idempotency_in_flight');
    answers = [cutOff, running, running, running, running, fine];
    const body = { client_user_id: 'ada' };
    expect(await unwrap(phial.POST('/v2/user', { body }))).toEqual({ user_id: USER });
    expect(new Set(received.map(({ headers }) => headers['x-idempotency-key'])).size).toBe(1);
    expect(received).toHaveLength(6);
  }, 15_000);

  test('three times at most', async () => {
    answers = [refuse(503, 'not_ready', { 'retry-after': '0' })];
    await expect(unwrap(phial.GET('/v2/user/{user_id}', path))).rejects.toMatchObject({ code: 'not_ready' });
    expect(received).toHaveLength(4);
  });
});

describe('a DELETE that was sent again', () => {
  const gone = refuse(404, 'not_found');
  const remove = (): Promise<unknown> => unwrap(phial.DELETE('/v2/user/{user_id}', path));

  test('is done if the record is gone and an earlier response got lost', async () => {
    for (const lost of [cutOff, (response: ServerResponse): unknown => response.writeHead(504).end()]) {
      answers = [lost as Answer, gone];
      expect(await remove()).toEqual({ success: true });
    }
  });

  test('is refused if the service has answered before, or at the first try', async () => {
    for (const before of [[refuse(503, 'not_ready')], []]) {
      answers = [...before, gone];
      await expect(remove()).rejects.toMatchObject({ code: 'not_found' });
    }
  });

  test('is refused if it is about data of an unknown user', async () => {
    answers = [cutOff, gone];
    const asked = phial.DELETE('/v2/timeseries/{user_id}/samples', { ...path, body: { ids: [USER] } } as never);
    await expect(unwrap(asked)).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('a request is not sent again', () => {
  test('if it uses up a code', async () => {
    answers = [cutOff, fine];
    const params = { query: { code: 'a-code' } };
    await expect(phial.POST('/v2/link/code/exchange', { params })).rejects.toThrow('fetch failed');
    expect(received).toHaveLength(1);
  });

  test('without retries, also while the first try runs', async () => {
    answers = [refuse(409, 'idempotency_in_flight')];
    const once = openPhial({ ...address(), apiKey: 'key', retries: 0 });
    await expect(unwrap(once.POST('/v2/user', { body: { client_user_id: 'ada' } }))).rejects.toMatchObject({
      code: 'idempotency_in_flight',
    });
    expect(received).toHaveLength(1);
  });

  test('after a refusal', async () => {
    answers = [refuse(404, 'not_found')];
    await expect(unwrap(phial.GET('/v2/user/{user_id}', path))).rejects.toBeInstanceOf(PhialError);
    expect(received).toHaveLength(1);
  });

  test('when the caller gave up, before or during a pause', async () => {
    answers = [refuse(503, 'not_ready', { 'retry-after': '30' })];
    const controller = new AbortController();
    const asked = unwrap(phial.GET('/v2/user/{user_id}', { ...path, signal: controller.signal }));
    await expect.poll(() => received.length).toBe(1);
    controller.abort(new Error('given up'));
    await expect(asked).rejects.toThrow('given up');
    await expect(phial.GET('/v2/user/{user_id}', { ...path, signal: controller.signal })).rejects.toThrow('given up');
    expect(received).toHaveLength(1);
  });
});

test('an answer that is not from the service is an error with its status', async () => {
  answers = [(response) => response.writeHead(403, { 'content-type': 'text/html' }).end('<h1>Forbidden</h1>')];
  const asked = unwrap(phial.GET('/v2/user/{user_id}', path));
  await expect(asked).rejects.toMatchObject({ status: 403, code: 'unknown_answer', requestId: 'unknown' });
});

describe('a request', () => {
  test('ends when its signal aborts, although a garbage collection came before', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    answers = [() => undefined];
    const control = new AbortController();
    const asked = phial.GET('/v2/user/{user_id}', { ...path, signal: control.signal });
    await vi.waitFor(() => expect(received).toHaveLength(1));
    for (let n = 0; n < 3; n += 1) {
      collect();
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    control.abort(new Error('enough'));
    await expect(asked).rejects.toThrow('enough');
  });

  test('follows no redirect, so that no other host gets the key', async () => {
    const other: IncomingHttpHeaders[] = [];
    const elsewhere = createServer((request, response) => {
      other.push(request.headers);
      response.end('{}');
    });
    await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
    const location = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/`;
    answers = [(response) => response.writeHead(307, { location }).end()];
    await expect(unwrap(phial.GET('/v2/user/{user_id}', path))).rejects.toThrow(/307 unknown_answer: .* is a redirect/);
    expect(other).toEqual([]);
    elsewhere.close();
  });
});
