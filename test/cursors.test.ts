// What a request shows by itself is told before anything is looked up, the cursors of all lists alike.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { encodeCursor } from '../src/db/page.ts';
import { endpoints } from '../src/endpoints.ts';
import { BODIES, PARAMETERS, QUERIES } from '../src/glossary/examples.ts';
import type { Endpoint } from '../src/http/endpoint.ts';
import { jsonOf } from '../src/http/media.ts';
import { startTestApp, type TestApp } from './app.ts';
import { problemsOf } from './people.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

type Shape = { properties?: Record<string, { format?: string }> } | undefined;
const namesIn = (shape: unknown): string[] =>
  Object.entries((shape as Shape)?.properties ?? {}).flatMap(([name, { format }]) => (format === 'cursor' ? name : []));
const cursorsOf = ({ query, body }: Endpoint): string[] => [...namesIn(query), ...namesIn(jsonOf(body))];

const lists = endpoints.filter((endpoint) => cursorsOf(endpoint).length > 0);

/** Everything in the path that can be unknown is, but the organisation, which the key names. */
function addressOf({ id, path, query }: Endpoint, cursors: Record<string, string>): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    if (name === 'org_id') return app.team.org_id;
    return name.endsWith('_id') || name === 'query_id_or_slug' ? randomUUID() : String(PARAMETERS[name]);
  });
  const needed = ((query?.required ?? []) as string[]).map((name) => [name, PARAMETERS[name]]);
  const unknown = Object.keys(query?.properties ?? {}).filter((name) => ['team_id', 'user_id'].includes(name));
  const asked = { ...Object.fromEntries([...needed, ...unknown.map((name) => [name, randomUUID()])]), ...QUERIES[id] };
  return `${filled}?${new URLSearchParams({ ...asked, ...cursors }).toString()}`;
}

test('there are lists by the dozen whose pages begin at a cursor', () => {
  expect(lists.length).toBeGreaterThan(20);
});

test.each(lists.map((endpoint) => [endpoint.id, endpoint] as const))(
  'a cursor that is none of %s is refused before what it asks for is found unknown',
  async (id, endpoint) => {
    const said = async (method: string, address: string, body?: object) => {
      const answer = await app.api<{ code: string }>(method, address, body);
      return [answer.status, answer.body.code, ...problemsOf(answer)];
    };
    for (const cursor of ['nonsense', encodeCursor({ of: 'another list' })]) {
      for (const name of namesIn(endpoint.query)) {
        const told = await said('GET', addressOf(endpoint, { [name]: cursor }));
        expect(told).toEqual([422, 'invalid_cursor', `query.${name} value_error`]);
      }
      for (const name of namesIn(jsonOf(endpoint.body))) {
        const told = await said('POST', addressOf(endpoint, {}), { ...(BODIES[id] as object), [name]: cursor });
        expect(told).toEqual([422, 'invalid_cursor', `body.${name} value_error`]);
      }
    }
  },
);

test('a cursor that is none is listed with the other problems of its request', async () => {
  const { org_id, id } = app.team;
  const path = `/v1/org/${org_id}/team/${id}/sandbox/webhook/${randomUUID()}/attempt`;
  const answer = await app.api('GET', `${path}?limit=0&status=nonsense&next_cursor=garbage`);
  expect([answer.status, ...problemsOf(answer)]).toEqual([
    422,
    expect.stringMatching('^query.limit '),
    'query.next_cursor value_error',
  ]);
});
