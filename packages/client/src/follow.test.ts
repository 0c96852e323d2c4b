import { expect, test } from 'vitest';
import { openPhial } from './client.ts';
import { pagesOf } from './pages.ts';
import { unwrap } from './errors.ts';

type Answer = () => Response;

const json = (status: number, body: object): Response => Response.json(body, { status });
const refuse = (status: number, code: string): Response =>
  json(status, { code, detail: 'A reason.', request_id: '01940000-0000-7000-8000-000000000001' });
const lose: Answer = () => {
  throw new TypeError('fetch failed');
};
const page =
  (id: string): Answer =>
  () =>
    json(200, { data: [{ id }], next_cursor: `after-${id}`, has_more: false });

/** Opens a client whose requests get the answers one after the other. */
function open(answers: Answer[]): { phial: ReturnType<typeof openPhial>; asked: URL[] } {
  const asked: URL[] = [];
  const fetch = async ({ url }: Request): Promise<Response> => {
    asked.push(new URL(url));
    return (answers.shift() as Answer)();
  };
  return { phial: openPhial({ baseUrl: 'http://localhost', apiKey: 'key', retries: 0, fetch }), asked };
}

test('the feed is followed across lost connections, 429 and 5xx, from the last cursor, until a refusal', async () => {
  const failing = [lose, () => refuse(429, 'rate_limited'), () => new Response('<h1>', { status: 502 })];
  const { phial, asked } = open([page('one'), ...failing, page('two'), () => refuse(410, 'cursor_expired')]);
  const [seen, failures]: [string[], unknown[]] = [[], []];
  const following = (async () => {
    for await (const { id } of phial.events.follow({ onFailure: (error) => failures.push(error) })) seen.push(id);
  })();
  await expect(following).rejects.toMatchObject({ code: 'cursor_expired' });
  expect(seen).toEqual(['one', 'two']);
  expect(failures).toHaveLength(3);
  expect(asked.map(({ searchParams }) => searchParams.get('after'))).toEqual([
    null,
    ...Array.from({ length: 4 }, () => 'after-one'),
    'after-two',
  ]);
});

test.each([401, 403, 410, 422])('a %i ends it at once', async (status) => {
  const { phial, asked } = open([() => refuse(status, 'refused')]);
  await expect(phial.events.follow().next()).rejects.toMatchObject({ status });
  expect(asked).toHaveLength(1);
});

test('its signal ends a pause', async () => {
  const { phial } = open(Array.from({ length: 20 }, () => lose));
  const controller = new AbortController();
  const next = phial.events.follow({ signal: controller.signal, onFailure: () => controller.abort('enough') }).next();
  await expect(next).rejects.toBe('enough');
});

test('an error of the program that handles the events ends it', async () => {
  const { phial, asked } = open([page('one'), page('two')]);
  const following = (async () => {
    const onCursor = (): never => {
      throw new TypeError('of the program');
    };
    for await (const { id } of phial.events.follow({ onCursor })) expect(id).toBe('one');
  })();
  await expect(following).rejects.toThrow('of the program');
  expect(asked).toHaveLength(1);
});

test('a client is not opened with what is no address', () => {
  expect(() => openPhial({ baseUrl: 'localhost', apiKey: 'key' })).toThrow(TypeError);
});

test('a list that takes its token in the body, or under another name, is read to its end', async () => {
  const bodies: object[] = [];
  const fetch = async (request: Request): Promise<Response> => {
    const body = (await request.json()) as { next_token?: string };
    bodies.push(body);
    return json(200, { data: [], next_token: body.next_token === undefined ? 'T' : null });
  };
  const phial = openPhial({ baseUrl: 'http://localhost', apiKey: 'key', fetch });
  let pages = 0;
  for await (const _ of pagesOf((next) =>
    unwrap(phial.POST('/v2/link/bulk_export', { body: { provider: 'oura', ...next } })),
  ))
    pages += 1;
  expect(pages).toBe(2);
  expect(bodies[1]).toEqual({ provider: 'oura', next_cursor: 'T', next_token: 'T' });
});

test('answers that are empty at once, as from a cache, do not become a flood of requests', async () => {
  let asked = 0;
  const fetch = async (): Promise<Response> => {
    asked += 1;
    return json(200, { data: [], next_cursor: 'same', has_more: asked % 2 === 0 });
  };
  const phial = openPhial({ baseUrl: 'http://localhost', apiKey: 'key', fetch });
  const following = phial.events.follow({ signal: AbortSignal.timeout(1_000) }).next();
  await expect(following).rejects.toThrow('timeout');
  expect(asked).toBeLessThan(8);
});
