import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { startTestApp, type Answer, type Team, type TestApp } from '../../../test/test-app.ts';
import { signInOperator } from '../../../test/signed-in.ts';
import { query } from '../../../test/global-setup.ts';
import type { Db } from '../../db/open-database.ts';
import { operations } from '../../operations.ts';
import { createManagementKey } from '../../tenancy/keys/create-management-key.ts';
import { createTeam } from '../../tenancy/teams/create.ts';
import { createTeamKey } from '../../tenancy/keys/create-team-key.ts';
import { newManagementKey, newTeamKey } from '../../tenancy/keys/key-value.ts';
import { AccessCache } from './access.ts';

type Refusal = { code: string; detail: string; required_plan?: string };

/** The operations that anonymous callers can use. We list them here, so that a reviewer sees each addition. */
const OPEN_TO_ANYBODY = [
  'get_sign_in_ways',
  'request_sign_in_link',
  'start_openid',
  'finish_openid',
  'open_sign_in_link',
  'use_sign_in_link',
  'get_provider_logo',
  'exchange_link_code',
  'start_oauth',
  'finish_oauth',
  'get_demo_page',
  'answer_demo_page',
  'get_link_page',
  'get_link_outcome',
  'answer_hook_challenge',
  'receive_hook',
  'answer_hook_challenge_with_token',
  'receive_hook_with_token',
  'receive_carrier_news',
  'receive_scheduler_news',
  'receive_at_demo_endpoint',
  'get_service',
  'get_health',
  'get_readiness',
];

/** The operations that a signed link opens without a key. We list them here for the same reason. */
const OPENED_BY_LINKS = [
  'accept_invite',
  'download_lab_report',
  'open_invite',
  'open_portal',
  'open_portal_message',
  'open_requisition_link',
  'open_result_link',
];

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const users = (
  key: string | null,
  options: { on?: TestApp; headers?: Record<string, string> } = {},
): Promise<Answer<Refusal>> =>
  (options.on ?? app).api<Refusal>('GET', '/v2/user', undefined, { key, headers: options.headers ?? {} });
const keysPath = (team: Team): string => `/v1/org/${team.org_id}/team_api_keys/sandbox/us`;
const keys = (key: string | null, headers: Record<string, string> = {}, on = app): Promise<Answer<Refusal>> =>
  on.api<Refusal>('GET', keysPath(app.team), undefined, { key, headers });
const said = ({ status, body }: Answer<Refusal>): [number, string] => [status, body.code];

const makeKey = async (): Promise<{ id: string; value: string }> =>
  createTeamKey(app.ctx, { team_id: app.team.id, label: 'one more' });
const makeManagementKey = async (
  team_ids: string[] | null = null,
  org_id = app.team.org_id,
): Promise<{ id: string; value: string }> =>
  createManagementKey(
    app.ctx,
    team_ids
      ? { org_id, label: 'bound', role: 'team_admin', team_ids }
      : { org_id, label: 'org', role: 'org_admin', team_ids: null },
  );

const PAST = '2026-01-01T00:00:00Z';
const revokeInDatabase = (id: string) =>
  app.db.updateTable('team_api_keys').set({ revoked_at: PAST }).where('id', '=', id).execute();

describe('without a valid key', () => {
  test('every other operation refuses', async () => {
    for (const { id, method, path, auth } of operations) {
      if ([...OPEN_TO_ANYBODY, ...OPENED_BY_LINKS].includes(id)) continue;
      const at = path.replaceAll(/\{\w+\}/g, randomUUID());
      const response = await app.api<Refusal>(method, at, method === 'GET' || method === 'DELETE' ? undefined : {}, {
        key: null,
      });
      const code = auth === 'session' ? 'invalid_session' : 'invalid_api_key';
      expect([id, auth === 'none', ...said(response)]).toEqual([id, false, 401, code]);
    }
  });

  test('anonymous callers can use exactly the operations in this list', () => {
    expect(operations.filter(({ auth }) => auth === 'none').map(({ id }) => id)).toEqual(OPEN_TO_ANYBODY);
  });

  test('signed links can call exactly the operations in this list', () => {
    expect(operations.flatMap(({ auth, id }) => (auth.endsWith('signature') ? [id] : [])).toSorted()).toEqual(
      OPENED_BY_LINKS,
    );
  });

  test('every invalid team key gets the same answer', async () => {
    const revoked = await makeKey();
    await revokeInDatabase(revoked.id);
    const expired = await makeKey();
    await app.db.updateTable('team_api_keys').set({ expires_at: PAST }).where('id', '=', expired.id).execute();
    const responses = await Promise.all(
      [
        null,
        'nonsense',
        'sk_us_short',
        `${app.team.api_key}x`,
        newTeamKey(app.config).value,
        revoked.value,
        expired.value,
      ].map((key) => users(key)),
    );
    for (const response of responses) {
      expect(said(response)).toEqual([401, 'invalid_api_key']);
      expect(response.body.detail).toBe(responses[0]?.body.detail);
    }
  });

  test('every invalid management key gets the same answer', async () => {
    const revoked = await makeManagementKey();
    await app.db.updateTable('management_keys').set({ revoked_at: PAST }).where('id', '=', revoked.id).execute();
    const responses = await Promise.all(
      [null, 'nonsense', 'mg_short', newManagementKey().value, revoked.value].map((key) => keys(key)),
    );
    for (const response of responses) {
      expect(said(response)).toEqual([401, 'invalid_api_key']);
      expect(response.body.detail).toBe(responses[0]?.body.detail);
    }
  });

  test('the answer reports no other problem of the request', async () => {
    const response = await app.api<Refusal>('POST', '/v2/user', undefined, { key: null, raw: '{"client_user_id":' });
    expect(said(response)).toEqual([401, 'invalid_api_key']);
  });

  test('a key in use stops being valid at its expiry', async () => {
    const key = await makeKey();
    await app.db
      .updateTable('team_api_keys')
      .set({ expires_at: new Date(Date.now() + 700).toISOString() })
      .where('id', '=', key.id)
      .execute();
    expect((await users(key.value)).status).toBe(200);
    await vi.waitFor(async () => expect(said(await users(key.value))).toEqual([401, 'invalid_api_key']), {
      timeout: 5_000,
      interval: 50,
    });
  });
});

describe('a key of another kind or deployment', () => {
  test.each([
    ['production', 'us', 'pk_us_'],
    ['sandbox', 'eu', 'sk_eu_'],
    ['production', 'eu', 'pk_eu_'],
  ] as const)('the refusal of a key of %s %s names that deployment', async (environment, region, prefix) => {
    const { value } = newTeamKey({ environment, region });
    expect(value.startsWith(prefix)).toBe(true);
    const response = await users(value);
    expect(said(response)).toEqual([401, 'wrong_environment']);
    expect(response.body.detail).toMatch(new RegExp(`key of ${environment} ${region}.*service is sandbox us`));
  });

  test('a production service refuses a sandbox key in the same way', async () => {
    const production = await startTestApp({
      PHIAL_ENVIRONMENT: 'production',
      PHIAL_REGION: 'eu',
    });
    try {
      expect(production.team.api_key).toMatch(/^pk_eu_/);
      expect((await users(production.team.api_key, { on: production })).status).toBe(200);
      const response = await users(app.team.api_key, { on: production });
      expect(said(response)).toEqual([401, 'wrong_environment']);
      expect(response.body.detail).toMatch(/key of sandbox us.*service is production eu/);
    } finally {
      await production.close();
    }
  });

  test('a management key is refused by the service API', async () => {
    expect(said(await users(app.team.management_key))).toEqual([401, 'wrong_key_kind']);
  });

  test('the service API refuses a management key in X-Management-Key, unless a team key is sent too', async () => {
    for (const header of ['x-management-key', 'x-service-org-key']) {
      const headers = { [header]: app.team.management_key };
      expect([header, ...said(await users(null, { headers }))]).toEqual([header, 401, 'wrong_key_kind']);
      expect((await users(app.team.api_key, { headers })).status).toBe(200);
    }
    expect(said(await users(null, { headers: { 'x-management-key': app.team.api_key } }))).toEqual([
      401,
      'wrong_key_kind',
    ]);
  });

  test('the management API refuses a team key in either header', async () => {
    expect(said(await keys(app.team.api_key))).toEqual([401, 'wrong_key_kind']);
    expect(said(await keys(null, { 'x-service-org-key': app.team.api_key }))).toEqual([401, 'wrong_key_kind']);
    expect(said(await keys(null, { 'x-service-api-key': app.team.api_key }))).toEqual([401, 'wrong_key_kind']);
  });
});

describe('headers', () => {
  test.each(['x-service-api-key', 'x-acme-api-key', 'X-Acme-Health2-API-Key'])(
    'a key is read from %s',
    async (header) => {
      expect((await users(null, { headers: { [header]: app.team.api_key } })).status).toBe(200);
    },
  );

  test.each(['x--api-key', 'x-api-key', 'acme-api-key', 'x-acme_api-key', `x-${'a'.repeat(41)}-api-key`, 'x-acme-key'])(
    'a key is not read from %s',
    async (header) => {
      expect(said(await users(null, { headers: { [header]: app.team.api_key } }))).toEqual([401, 'invalid_api_key']);
    },
  );

  test('several headers are accepted with the same key and refused with different keys', async () => {
    const { value: another } = await makeKey();
    const both = (...[a, b]: string[]) =>
      users(null, { headers: { 'x-acme-api-key': a ?? '', 'x-other-api-key': b ?? '' } });
    expect((await both(app.team.api_key, app.team.api_key)).status).toBe(200);
    expect((await both('', app.team.api_key)).status).toBe(200);
    const different = await both(app.team.api_key, another);
    expect(said(different)).toEqual([401, 'invalid_api_key']);
    expect(different.body.detail).toMatch(/^Several headers of the form x-<word>-api-key have different values/);
    const documented = await users(app.team.api_key, { headers: { 'x-zebra-api-key': 'of a gateway' } });
    expect(said(documented)).toEqual([401, 'invalid_api_key']);
  });

  test('with configured prefixes only those are read, and a refusal names them', async () => {
    const narrower = await startTestApp({ PHIAL_HEADER_PREFIXES: 'x-acme-' });
    const of = (headers: Record<string, string>) => users(null, { on: narrower, headers });
    try {
      const { api_key } = narrower.team;
      for (const header of ['x-service-api-key', 'x-acme-api-key', 'X-Acme-API-Key'])
        expect([header, (await of({ [header]: api_key })).status]).toEqual([header, 200]);
      expect((await of({ 'x-service-api-key': api_key, 'x-gateway-api-key': 'its own' })).status).toBe(200);
      const refused = await of({ 'x-other-api-key': api_key });
      expect(said(refused)).toEqual([401, 'invalid_api_key']);
      expect(refused.body.detail).toMatch(
        /reads x-service-api-key, x-acme-api-key and no other header of that form: see PHIAL_HEADER_PREFIXES\.$/,
      );
    } finally {
      await narrower.close();
    }
  });

  test('the older header of the management key works and is marked as deprecated', async () => {
    const older = await keys(null, { 'x-service-org-key': app.team.management_key });
    expect(older.status).toBe(200);
    expect(older.headers.get('deprecation')).toMatch(/^@\d+$/);
    expect(older.headers.get('link')).toBe('</docs/introduction#authentication>; rel="deprecation"');
    const newer = await keys(app.team.management_key);
    expect([newer.status, newer.headers.get('deprecation')]).toEqual([200, null]);
    const both = await keys(app.team.management_key, { 'x-service-org-key': 'mg_unknown' });
    expect([both.status, both.headers.get('deprecation')]).toEqual([200, older.headers.get('deprecation')]);
  });

  test('the use of a deprecated header is logged once per key and day', async () => {
    const warnings: unknown[] = [];
    const logTo = (line: string): void => {
      const { msg, key_id, deprecated } = JSON.parse(line) as Record<string, string>;
      if (deprecated) warnings.push([msg, key_id, deprecated]);
    };
    const logged = await startTestApp({ PHIAL_LOG_LEVEL: 'warn' }, { databaseUrl: app.databaseUrl, logTo });
    try {
      const other = await logged.makeTeam();
      const ask = async (): Promise<unknown> => {
        for (const team of [logged.team, logged.team, other]) await team.api('GET', '/v3/lab_tests');
        return warnings.splice(0);
      };
      const line = ['a deprecated operation or header is in use', expect.any(String), 'list_lab_tests'];
      // The test needs two days. We use yesterday and today, not tomorrow. Ids contain the time and only grow, so all
      // later ids of this process would be from tomorrow too.
      vi.setSystemTime(Date.now() - 86_400_000);
      expect(await ask()).toEqual([line, line]);
      expect(await ask()).toEqual([]);
      vi.useRealTimers();
      expect(await ask()).toEqual([line, line]);
    } finally {
      vi.useRealTimers();
      await logged.close();
    }
  });

  test('a refused request is marked as deprecated too', async () => {
    const header = await keys(null, { 'x-service-org-key': 'mg_unknown' });
    expect([header.status, header.headers.get('link')]).toEqual([
      401,
      '</docs/introduction#authentication>; rel="deprecation"',
    ]);
    const operation = await app.api('GET', '/v3/lab_tests', undefined, { key: 'sk_us_unknown' });
    expect([operation.status, operation.headers.get('deprecation')]).toEqual([401, expect.stringMatching(/^@\d+$/)]);
  });
});

describe('the scope of a management key', () => {
  test('a Team Management Key manages its own teams only, and not the organisation', async () => {
    const sibling = await createTeam(app.ctx, { org_id: app.team.org_id, name: 'Sibling' });
    const { value: key } = await makeManagementKey([sibling.id]);
    const webhooks = (id: string): Promise<Answer<Refusal>> =>
      app.api<Refusal>('GET', `/v1/org/${app.team.org_id}/team/${id}/sandbox/webhook`, undefined, { key });
    expect((await webhooks(sibling.id)).status).toBe(200);
    expect(said(await webhooks(app.team.id))).toEqual([403, 'insufficient_scope']);
    expect(said(await webhooks((await app.makeTeam()).id))).toEqual([404, 'not_found']);
    const ofOrganisations = operations.filter((operation) => operation.scope === 'org');
    expect(ofOrganisations.map(({ id }) => id)).toContain('create_team');
    for (const { id, method, path, body } of ofOrganisations) {
      const response = await app.api<Refusal>(
        method,
        path.replace('{org_id}', app.team.org_id).replaceAll(/\{\w+\}/g, randomUUID()),
        body && {},
        { key },
      );
      expect([id, ...said(response)]).toEqual([id, 403, 'insufficient_scope']);
    }
  });

  test('a plan below scale refuses every management operation and names the plan that allows it', async () => {
    const team = await app.makeTeam('Small Clinic');
    const list = (): Promise<Answer<Refusal>> => team.api<Refusal>('GET', keysPath(team));
    expect((await list()).status).toBe(200);
    for (const plan of ['launch', 'grow']) {
      await app.db.updateTable('orgs').set({ plan }).where('id', '=', team.org_id).execute();
      await vi.waitFor(async () => {
        const response = await list();
        expect([...said(response), response.body.required_plan]).toEqual([403, 'plan_required', 'scale']);
      });
    }
    expect((await team.api('GET', '/v2/user')).status).toBe(200);
  });

  test('a path accepts the ids of organisation and team in upper case', async () => {
    const path = `/v1/org/${app.team.org_id.toUpperCase()}/team/${app.team.id.toUpperCase()}/sandbox/webhook`;
    expect((await app.api('GET', path)).status).toBe(200);
  });

  test('the scope is checked before the idempotency key, so a key without access gets no stored answer', async () => {
    const sibling = await createTeam(app.ctx, { org_id: app.team.org_id, name: 'Another Sibling' });
    const { value: bound } = await makeManagementKey([sibling.id]);
    const create = (key: string): Promise<Answer<Refusal>> =>
      app.api<Refusal>(
        'POST',
        `/v1/org/${app.team.org_id}/team/${app.team.id}/sandbox/webhook`,
        { url: 'http://127.0.0.1:9999/in' },
        { key, headers: { 'x-idempotency-key': 'known-to-both' } },
      );
    const first = await create(app.team.management_key);
    expect(first.status).toBe(200);
    expect((await create(app.team.management_key)).body).toEqual(first.body);
    expect(said(await create(bound))).toEqual([403, 'insufficient_scope']);
    expect(said(await create((await app.makeTeam()).management_key))).toEqual([404, 'not_found']);
  });

  test('another organisation is not found', async () => {
    const other = await app.makeTeam();
    for (const org_id of [other.org_id, randomUUID()]) {
      const response = await app.api<Refusal>('GET', `/v1/org/${org_id}/team_api_keys/sandbox/us`);
      expect([...said(response), response.body.detail]).toEqual([404, 'not_found', 'Organisation not found.']);
    }
  });

  test.each(['production/us', 'sandbox/eu', 'production/eu'])(
    '%s in a path is refused as another deployment',
    async (deployment) => {
      const response = await app.api<Refusal>('GET', `/v1/org/${app.team.org_id}/team_api_keys/${deployment}`);
      expect(said(response)).toEqual([404, 'wrong_deployment']);
      expect(response.body.detail).toMatch(new RegExp(`${deployment.replace('/', ' ')}.*sandbox us`));
    },
  );
});

/** Counts the queries for keys that this process sends from now on. */
function countKeyQueries(): { count: () => number; stop: () => void } {
  const spy = vi.spyOn(pg.Client.prototype, 'query');
  const isKeyQuery = (call: unknown): boolean => {
    const text = typeof call === 'string' ? call : ((call as { text?: string } | undefined)?.text ?? '');
    return /select .*(team_api_keys|management_keys|"sessions")/s.test(text) && /key_hash|token_hash/.test(text);
  };
  return { count: () => spy.mock.calls.filter(([call]) => isKeyQuery(call)).length, stop: () => spy.mockRestore() };
}

describe('a key in use', () => {
  test('causes no query on either API', async () => {
    const [key, manager] = [await makeKey(), await makeManagementKey()];
    const queries = countKeyQueries();
    try {
      for (let n = 0; n < 50; n += 1) {
        expect((await users(key.value)).status).toBe(200);
        expect((await keys(manager.value)).status).toBe(200);
      }
      expect(queries.count()).toBe(2);
    } finally {
      queries.stop();
    }
  });

  test('that is unknown causes one query, however often it is sent, and the cache replaces the oldest', async () => {
    const { value } = newTeamKey(app.config);
    const queries = countKeyQueries();
    try {
      for (let n = 0; n < 20; n += 1) expect(said(await users(value))).toEqual([401, 'invalid_api_key']);
      expect(queries.count()).toBe(1);
    } finally {
      queries.stop();
    }
    const access = new AccessCache(app.ctx, { ...app.ctx, db: app.ctx.reserved as Db }, 20);
    access.listening();
    const all = Array.from({ length: 21 }, () => newTeamKey(app.config).value);
    const others = countKeyQueries();
    try {
      for (const key of all) await access.team(key, '127.0.0.1');
      expect(others.count()).toBe(21);
      await access.team(all.at(-1) as string, '127.0.0.1');
      expect(others.count()).toBe(21);
      // The cache of unknown keys was full, so it dropped the oldest key for the newest.
      await access.team(all[0] as string, '127.0.0.1');
      expect(others.count()).toBe(22);
    } finally {
      others.stop();
    }
  });
});

test('a session is cached for its teams, and made-up teams take no place in the cache', async () => {
  const { token } = await signInOperator(app, app.team);
  const access = new AccessCache(app.ctx, { ...app.ctx, db: app.ctx.reserved as Db });
  access.listening();
  const queries = countKeyQueries();
  try {
    const own = async () => (await access.session(token, app.team.id, '127.0.0.1'))?.team?.id;
    expect([await own(), await own(), queries.count()]).toEqual([app.team.id, app.team.id, 1]);
    const other = randomUUID();
    for (let n = 0; n < 2; n += 1) expect((await access.session(token, other, '127.0.0.1'))?.team).toBeNull();
    expect([await own(), queries.count()]).toEqual([app.team.id, 3]);
  } finally {
    queries.stop();
  }
});

describe('with two services on one database', () => {
  let second: TestApp;
  beforeAll(async () => {
    second = await startTestApp({}, { databaseUrl: app.databaseUrl });
  });
  afterAll(() => second.close());

  const revoke = async (id: string, on: TestApp): Promise<void> => {
    const url = `${on.baseUrl}${keysPath(app.team)}?api_key_id=${id}`;
    const response = await fetch(url, { method: 'DELETE', headers: { 'x-management-key': app.team.management_key } });
    expect(await response.json()).toMatchObject({ success: [id] });
  };

  test('a key that one service revokes is refused by the other at the next request', async () => {
    for (let n = 0; n < 10; n += 1) {
      const key = await makeKey();
      expect((await users(key.value)).status).toBe(200);
      expect((await users(key.value, { on: second })).status).toBe(200);
      await revoke(key.id, n % 2 ? app : second);
      expect(said(await users(key.value))).toEqual([401, 'invalid_api_key']);
      expect(said(await users(key.value, { on: second }))).toEqual([401, 'invalid_api_key']);
    }
  });

  test.each(['team API key', 'management key'])(
    'a %s that is made right after it was refused is accepted by both',
    async (kind) => {
      const key = kind === 'team API key' ? newTeamKey(app.config) : newManagementKey();
      const send = (on: TestApp) => (kind === 'team API key' ? users(key.value, { on }) : keys(key.value, {}, on));
      for (const on of [app, second, app, second]) expect(said(await send(on))).toEqual([401, 'invalid_api_key']);
      const row = { id: randomUUID(), label: 'known before', key_hash: key.hash, key_start: key.start };
      if (kind === 'team API key')
        await app.db
          .insertInto('team_api_keys')
          .values({ ...row, team_id: app.team.id })
          .execute();
      else
        await app.db
          .insertInto('management_keys')
          .values({ ...row, org_id: app.team.org_id, role: 'org_admin' })
          .execute();
      // Without the notification, a process would refuse the key for ten seconds, because it cached the key as unknown.
      for (const on of [app, second])
        await vi.waitFor(async () => expect((await send(on)).status).toBe(200), { timeout: 2_000, interval: 5 });
    },
  );

  test('while the listening connection is lost, nothing is cached and a revoked key is refused at once', async () => {
    const [active, revoked] = [await makeKey(), await makeKey()];
    for (const { value } of [active, revoked]) expect((await users(value)).status).toBe(200);
    const database = new URL(app.databaseUrl).pathname.slice(1);
    const isCached = async (key: string): Promise<boolean> => {
      const queries = countKeyQueries();
      try {
        expect((await users(key)).status).toBe(200);
        return queries.count() === 0;
      } finally {
        queries.stop();
      }
    };
    expect(await isCached(active.value)).toBe(true);

    // Open connections stay, but the listener cannot connect again.
    await query(inject('serverUrl'), `alter database ${database} with allow_connections false`);
    try {
      await query(
        inject('serverUrl'),
        `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = '${database}' and application_name = 'phial listener'`,
      );
      await vi.waitFor(async () => expect(await isCached(active.value)).toBe(false), { timeout: 5_000, interval: 20 });
      expect(await isCached(active.value)).toBe(false);
      const queries = countKeyQueries();
      const unknown = newTeamKey(app.config).value;
      for (let n = 0; n < 2; n += 1) expect((await users(unknown)).status).toBe(401);
      expect(queries.count()).toBe(2);
      queries.stop();
      expect((await users(revoked.value)).status).toBe(200);
      await revokeInDatabase(revoked.id);
      expect(said(await users(revoked.value))).toEqual([401, 'invalid_api_key']);
      await wait(600); // This is enough time for two attempts of the listener to connect.
      expect(await isCached(active.value)).toBe(false);
      expect(await isCached(active.value)).toBe(false);
    } finally {
      await query(inject('serverUrl'), `alter database ${database} with allow_connections true`);
    }

    await vi.waitFor(async () => expect(await isCached(active.value)).toBe(true), { timeout: 5_000, interval: 50 });
    expect(said(await users(revoked.value))).toEqual([401, 'invalid_api_key']);
    await revokeInDatabase(active.id);
    await vi.waitFor(async () => expect(said(await users(active.value))).toEqual([401, 'invalid_api_key']), {
      timeout: 1_000,
      interval: 10,
    });
  });
});
