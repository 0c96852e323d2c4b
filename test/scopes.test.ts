// Calls every operation of team API keys with limited keys: each key allows what its scopes name and nothing else.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { operations } from '../src/operations.ts';
import { AREAS, type Area } from '../src/operation/areas.ts';
import type { Operation } from '../src/operation/operation.ts';
import { createTeamKey } from '../src/tenancy/keys/create-team-key.ts';
import { KEY_SCOPES, type KeyScope } from '../src/tenancy/keys/key-scopes.ts';
import { startTestApp, type TestApp } from './test-app.ts';

type Refusal = { code?: string; detail?: unknown; required_scope?: string };

/** A list, so that somebody must review it before a read-only key may call an operation that is not GET. */
const READ_BY_POST = [
  'find_users',
  'query_user',
  'search_payors_by_post',
  'validate_icd_codes',
  'list_order_set_markers',
  'search_compendium',
  'convert_compendium',
  'get_phlebotomy_availability',
  'get_psc_availability',
];

/** Operations that reach another area than their tag says. */
const ELSEWHERE: Record<string, Area> = {
  // A phone sends samples by the token.
  create_sign_in_token: 'wearables',
  // The page shows results.
  create_portal_url: 'results',
  get_result_pdf: 'results',
  get_transaction_result_pdf: 'results',
};

const ofTeams = operations.filter(({ auth }) => auth === 'team_key' || auth === 'team_key_or_user_token');

let app: TestApp;
const keys = {} as Record<KeyScope, string>;
beforeAll(async () => {
  app = await startTestApp();
  for (const scope of KEY_SCOPES) keys[scope] = await keyWith(scope);
});
afterAll(() => app.close());

const keyWith = async (...scopes: KeyScope[]): Promise<string> =>
  (await createTeamKey(app.ctx, { team_id: app.team.id, label: scopes.join(), scopes })).value;

/** A request that names nothing of the team. Its body is broken, which nobody checks where the key has no access. */
const ask = ({ method, path }: Operation, key: string) =>
  app.api<Refusal | undefined>(
    method,
    path.replaceAll(/\{\w+\}/g, () => randomUUID()),
    undefined,
    { key, ...(method === 'GET' || method === 'DELETE' ? {} : { raw: '{"' }) },
  );
const refusedFor = async (operation: Operation, key: string): Promise<string | null> => {
  const { status, body } = await ask(operation, key);
  if (body?.code !== 'insufficient_scope') return null;
  expect([operation.id, status, body.detail]).toEqual([
    operation.id,
    403,
    expect.stringContaining(`the scope ${body.required_scope}.`),
  ]);
  return body.required_scope ?? null;
};

describe.each(ofTeams.map((operation) => [operation.id, operation] as const))('%s', (_, operation) => {
  const { area, reads } = operation as Operation & { area: Area };
  const needed: KeyScope = reads ? `${area}:read` : area;

  test('is open to keys of its area, to read-only keys if it reads, and to no other', async () => {
    const open: KeyScope[] = reads ? ['read', area, `${area}:read`] : [area];
    for (const scope of KEY_SCOPES) {
      expect([scope, await refusedFor(operation, keys[scope])]).toEqual([scope, open.includes(scope) ? null : needed]);
    }
    expect(await refusedFor(operation, app.team.api_key)).toBeNull();
  });
});

test('operations that read without GET, or reach another area than their tag, are listed here', () => {
  expect(ofTeams.filter(({ method, reads }) => reads && method !== 'GET').map(({ id }) => id)).toEqual(READ_BY_POST);
  expect(ofTeams.filter(({ method, reads }) => method === 'GET' && !reads)).toEqual([]);
  const tagsOfArea = (of: Area) =>
    new Set(ofTeams.filter(({ area, id }) => area === of && !(id in ELSEWHERE)).map(({ tag }) => tag));
  const shared = AREAS.flatMap((area) => [...tagsOfArea(area)].map((tag) => `${tag} ${area}`));
  expect(shared.length).toBe(new Set(ofTeams.map(({ tag }) => tag)).size);
  expect(Object.fromEntries(ofTeams.flatMap(({ id, area }) => (id in ELSEWHERE ? [[id, area]] : [])))).toEqual(
    ELSEWHERE,
  );
});

test('several scopes together allow what each allows', async () => {
  const key = await keyWith('users', 'orders:read');
  const opens = async (id: string) =>
    (await refusedFor(operations.find((each) => each.id === id) as Operation, key)) === null;
  expect([await opens('create_user'), await opens('list_orders'), await opens('create_order')]).toEqual([
    true,
    true,
    false,
  ]);
});

test('the document names the scope that each operation needs', () => {
  const { paths } = JSON.parse(readFileSync('openapi.json', 'utf8')) as {
    paths: Record<string, Record<string, { security: Record<string, string[]>[]; responses: Record<string, unknown> }>>;
  };
  for (const { id, path, method, area, reads } of ofTeams) {
    const operation = paths[path]?.[method.toLowerCase()];
    const scopes = operation?.security.flatMap((each) => each['team_key'] ?? []);
    expect([id, scopes]).toEqual([id, [reads ? `${area}:read` : area]]);
    expect(Object.keys(operation?.responses ?? {})).toContain('403');
  }
});
