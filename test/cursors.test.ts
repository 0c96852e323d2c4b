// Problems that a request shows by itself are reported before any look-up. Cursors of all lists follow the same rules.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { encodeCursor } from '../src/db/cursor.ts';
import { operations } from '../src/operations.ts';
import { BODIES, PARAMETERS, QUERIES } from '../src/openapi-texts/examples.ts';
import type { Operation } from '../src/operation/operation.ts';
import { jsonOf } from '../src/operation/media.ts';
import { startTestApp, type TestApp } from './test-app.ts';
import { problemsOf } from './people.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

type Shape = { properties?: Record<string, { format?: string }> } | undefined;
const namesIn = (shape: unknown): string[] =>
  Object.entries((shape as Shape)?.properties ?? {}).flatMap(([name, { format }]) => (format === 'cursor' ? name : []));
const cursorsOf = ({ query, body }: Operation): string[] => [...namesIn(query), ...namesIn(jsonOf(body))];

const lists = operations.filter((operation) => cursorsOf(operation).length > 0);

/** Every id in the path is unknown, except the organisation, which the key determines. */
function addressOf({ id, path, query }: Operation, cursors: Record<string, string>): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    if (name === 'org_id') return app.team.org_id;
    return name.endsWith('_id') || name === 'query_id_or_slug' ? randomUUID() : String(PARAMETERS[name]);
  });
  const needed = ((query?.required ?? []) as string[]).map((name) => [name, PARAMETERS[name]]);
  const unknown = Object.keys(query?.properties ?? {}).filter((name) => ['team_id', 'user_id'].includes(name));
  const asked = { ...Object.fromEntries([...needed, ...unknown.map((name) => [name, randomUUID()])]), ...QUERIES[id] };
  return `${filled}?${new URLSearchParams({ ...asked, ...cursors }).toString()}`;
}

test('many lists have pages that begin at a cursor', () => {
  expect(lists.length).toBeGreaterThan(20);
});

test.each(lists.map((operation) => [operation.id, operation] as const))(
  'a wrong cursor of %s is refused before the look-up of its path',
  async (id, operation) => {
    const said = async (method: string, address: string, body?: object) => {
      const response = await app.api<{ code: string }>(method, address, body);
      return [response.status, response.body.code, ...problemsOf(response)];
    };
    for (const cursor of ['nonsense', encodeCursor({ of: 'another list' })]) {
      for (const name of namesIn(operation.query)) {
        const response = await said('GET', addressOf(operation, { [name]: cursor }));
        expect(response).toEqual([422, 'invalid_cursor', `query.${name} value_error`]);
      }
      for (const name of namesIn(jsonOf(operation.body))) {
        const response = await said('POST', addressOf(operation, {}), { ...(BODIES[id] as object), [name]: cursor });
        expect(response).toEqual([422, 'invalid_cursor', `body.${name} value_error`]);
      }
    }
  },
);

test('a wrong cursor is listed with the other problems of its request', async () => {
  const { org_id, id } = app.team;
  const path = `/v1/org/${org_id}/team/${id}/sandbox/webhook/${randomUUID()}/attempt`;
  const response = await app.api('GET', `${path}?limit=0&status=nonsense&next_cursor=garbage`);
  expect([response.status, ...problemsOf(response)]).toEqual([
    422,
    expect.stringMatching('^query.limit '),
    'query.next_cursor value_error',
  ]);
});
