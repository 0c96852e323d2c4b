import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { TSchema } from 'typebox';
import { Value } from 'typebox/value';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { operations } from '../src/operations.ts';
import { startTestApp, type TestApp } from './test-app.ts';
import { linkTokenOf, makeUser } from './factories.ts';
import { pngHead } from './images.ts';
import { reportForm } from './sent-reports.ts';

type Operation = {
  operationId: string;
  parameters?: { name?: string; in?: string; example?: unknown }[];
  requestBody?: { content: { 'application/json': { example?: unknown } } };
  responses: Record<string, unknown>;
};
const document = JSON.parse(readFileSync('openapi.json', 'utf8')) as {
  paths: Record<string, Record<string, Operation>>;
};

let app: TestApp;
let linkToken: string;
beforeAll(async () => {
  app = await startTestApp();
  const { user_id } = await makeUser(app.team);
  linkToken = (await linkTokenOf(app.team, user_id)).link_token;
});
afterAll(() => app.close());

/** The example as somebody would paste it from the reference page, with the organisation and team of the key. */
function pasted(path: string, { parameters = [] }: Operation): string {
  const own: Record<string, string> = { org_id: app.team.org_id, team_id: app.team.id };
  const query = parameters.flatMap(({ name, in: location, example }): [string, string][] =>
    location === 'query' && example !== undefined ? [example].flat().map((value) => [String(name), String(value)]) : [],
  );
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(own[name] ?? String(parameters.find((each) => each.name === name)?.example)),
  );
  return query.length === 0 ? filled : `${filled}?${new URLSearchParams(query).toString()}`;
}

/** Operations with a file get one. */
const file = ({ requestBody }: Operation) =>
  requestBody && 'multipart/form-data' in requestBody.content
    ? reportForm({ user_id: randomUUID() }, [pngHead(5, 5)])
    : requestBody && 'application/x-www-form-urlencoded' in requestBody.content
      ? { raw: 'name=Grace', headers: { 'content-type': 'application/x-www-form-urlencoded' } }
      : requestBody && 'application/octet-stream' in requestBody.content
        ? { raw: '<gpx/>', headers: { 'content-type': 'application/octet-stream' } }
        : {};

/** Operations that may delete the team, or end its keys, come last. */
const inOrder = operations.toSorted(
  (one, other) => Number(one.auth === 'management_key') - Number(other.auth === 'management_key'),
);

test.each(inOrder.map(({ id, ...more }) => [id, more] as const))(
  'the example of %s succeeds, or is refused as the reference says',
  async (id, { method, path, auth, operatorOnly }) => {
    const operation = document.paths[path]?.[method.toLowerCase()] as Operation;
    const json = operation.requestBody?.content['application/json'];
    if (json) expect(json).toHaveProperty('example');
    const body = json?.example as Record<string, unknown> | undefined;
    const sent = body && 'team_id' in body ? { ...body, team_id: app.team.id } : body;
    const { status, body: said } = await app.api<unknown>(method, pasted(path, operation), sent, {
      ...(auth === 'link_token' ? { headers: { 'x-service-link-token': linkToken } } : {}),
      ...file(operation),
    });
    expect(Object.keys(operation.responses), JSON.stringify(said)).toContain(String(status));
    // No example contains a secret of a known provider.
    if ((said as { code?: string } | undefined)?.code === 'signature_refused') return;
    // Nor a link that we signed.
    if (auth.endsWith('signature') || path === '/sign-in/{token}') return expect(status).toBe(403);
    // Nor a session.
    if (auth === 'session') return expect(status).toBe(401);
    // Nor the operator's session. An earlier example may have deleted the team.
    if (operatorOnly) return expect(status).toBeOneOf([403, 404]);
    expect(status, JSON.stringify(said)).not.toBeOneOf([401, 403, 405, 415, 422, 500, 503]);
    // The catalogue exists from the start, so an example with one of its codes finds it.
    if (id === 'get_marker') expect(status, JSON.stringify(said)).toBe(200);
  },
);

const bodies = operations.flatMap(({ id, method, path, body }) => {
  const json = document.paths[path]?.[method.toLowerCase()]?.requestBody?.content['application/json'];
  return body && json ? [[id, body as TSchema, json.example] as const] : [];
});

test.each(bodies)('the example of %s has no key that its operation ignores', (_, body, example) => {
  expect(Value.Clean(body, structuredClone(example))).toEqual(example);
});
