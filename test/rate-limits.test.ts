import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signedUrl } from '../src/privacy/signed-link.ts';
import { createManagementKey } from '../src/tenancy/keys/create-management-key.ts';
import { createTeamKey } from '../src/tenancy/keys/create-team-key.ts';
import { startTestApp, type TestApp } from './test-app.ts';

// A refill so slow that it has no effect within a test.
const BURST = 40;
const LIMIT = { PHIAL_RATE_LIMIT_PER_SECOND: '1', PHIAL_RATE_LIMIT_BURST: String(BURST) };

describe('with a limit per key', () => {
  let app: TestApp;
  let second: TestApp;
  beforeAll(async () => {
    app = await startTestApp(LIMIT);
    second = await startTestApp(LIMIT, { databaseUrl: app.databaseUrl });
  });
  afterAll(async () => {
    await second.close();
    await app.close();
  });

  const call = (baseUrl: string, key: string): Promise<Response> =>
    fetch(`${baseUrl}/v2/user?limit=1`, { headers: { 'x-service-api-key': key } });

  test('two processes together allow as much as one, and refuse no request of another team', async () => {
    const flooding = await app.makeTeam();
    const calm = await app.makeTeam();
    const started = Date.now();
    const calls = Array.from({ length: 4 * BURST }, (_, n) =>
      call([app, second][n % 2]?.baseUrl as string, flooding.api_key),
    );
    const others = Array.from({ length: 10 }, () => call(second.baseUrl, calm.api_key));
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    const taken = statuses.filter((status) => status === 200).length;
    const refilled = (Date.now() - started) / 1000 + 1;
    expect(taken).toBeGreaterThanOrEqual(BURST);
    expect(taken).toBeLessThanOrEqual(BURST + Math.ceil(refilled));
    expect(statuses.filter((status) => status === 429)).toHaveLength(4 * BURST - taken);
    expect((await Promise.all(others)).map(({ status }) => status)).toEqual(Array(10).fill(200));
  });

  test('a signed link has its own rate, all links of a team share one, and its keys have another', async () => {
    const team = await app.makeTeam();
    const links = Array.from({ length: 8 }, () =>
      signedUrl(app.ctx, 'requisition', { team_id: team.id, id: randomUUID() }),
    );
    const open = async (link: string, times: number): Promise<number[]> => {
      const path = `${app.baseUrl}${new URL(link).pathname}`;
      return (await Promise.all(Array.from({ length: times }, () => fetch(path)))).map(({ status }) => status);
    };
    const passed = (statuses: number[]): number => statuses.filter((status) => status === 403).length;
    const one = await open(links[0] as string, 30);
    expect(passed(one)).toBeGreaterThanOrEqual(10);
    expect(passed(one)).toBeLessThan(20);
    let all = passed(one);
    for (const link of links.slice(1)) all += passed(await open(link, 10));
    expect(all).toBeGreaterThanOrEqual(BURST);
    expect(all).toBeLessThan(60);
    expect((await call(app.baseUrl, team.api_key)).status).toBe(200);
  });

  test('the tokens of users of a team together have the rate of one key, and its keys have another', async () => {
    const team = await app.makeTeam();
    const { user_id } = (await team.api<{ user_id: string }>('POST', '/v2/user', { client_user_id: 'phone' })).body;
    const tokens: string[] = [];
    for (let n = 0; n < 10; n += 1) {
      const { body } = await team.api<{ sign_in_token: string }>('POST', `/v2/user/${user_id}/sign_in_token`);
      tokens.push(body.sign_in_token);
    }
    const push = async (token: string): Promise<number> => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const path = `${app.baseUrl}/v2/timeseries/${user_id}/samples`;
      return (await fetch(path, { method: 'POST', headers, body: '[{}]' })).status;
    };
    const statuses: number[] = [];
    for (const token of tokens)
      statuses.push(...(await Promise.all(Array.from({ length: BURST / 4 }, () => push(token)))));
    const passed = statuses.filter((status) => status === 422).length;
    expect(statuses.filter((status) => status === 429)).toHaveLength(statuses.length - passed);
    expect(passed).toBeGreaterThanOrEqual(BURST);
    expect(passed).toBeLessThan(2 * BURST);
    expect((await call(app.baseUrl, team.api_key)).status).toBe(200);
  });

  test('every answer has the policy and the remaining requests, and a refusal says when to try again', async () => {
    const team = await app.makeTeam();
    const first = await call(app.baseUrl, team.api_key);
    expect(first.headers.get('ratelimit-policy')).toBe(`"key";q=${BURST};w=${BURST}`);
    expect(first.headers.get('ratelimit')).toBe(`"key";r=${BURST - 1};t=1`);
    let last = first;
    for (let sent = 0; sent < 3 * BURST && last.status === 200; sent += 1) last = await call(app.baseUrl, team.api_key);
    expect([last.status, await last.json()]).toEqual([
      429,
      {
        detail: expect.stringContaining('1 requests per second'),
        code: 'rate_limited',
        request_id: last.headers.get('x-request-id'),
      },
    ]);
    expect(last.headers.get('ratelimit')).toMatch(/^"key";r=0;t=\d+$/);
    expect(last.headers.get('retry-after')).toBe('1');
  });

  test('a flood of refused requests causes hardly a statement', async () => {
    const team = await app.makeTeam();
    const executor = app.ctx.db.getExecutor();
    const execute = executor.executeQuery.bind(executor);
    let leases = 0;
    executor.executeQuery = ((query: { sql: string }, ...rest: unknown[]) => {
      if (query.sql.includes('rate_limits')) leases += 1;
      return (execute as (...all: unknown[]) => unknown)(query, ...rest);
    }) as typeof executor.executeQuery;
    try {
      const started = Date.now();
      const calls = Array.from({ length: 8 * BURST }, () => call(app.baseUrl, team.api_key));
      const refused = (await Promise.all(calls)).filter(({ status }) => status === 429);
      const seconds = (Date.now() - started) / 1000;
      expect(refused.length).toBeGreaterThan(6 * BURST);
      // With such a slow refill, each lease has one token. So each accepted request needs a lease.
      expect(leases).toBeGreaterThanOrEqual(BURST);
      expect(leases).toBeLessThanOrEqual(BURST + 3 + 2 * seconds);
    } finally {
      executor.executeQuery = execute;
    }
  });

  test('a refused key has no more requests than another, and beyond them writes no line to the audit log', async () => {
    const team = await app.makeTeam();
    const revoked = await createTeamKey(app.ctx, { team_id: team.id, label: 'gone' });
    const bound = await createManagementKey(app.ctx, {
      org_id: team.org_id,
      label: 'clinic',
      role: 'team_admin',
      team_ids: [team.id],
    });
    await app.db
      .updateTable('team_api_keys')
      .set({ revoked_at: sql`now()` })
      .where('id', '=', revoked.id)
      .execute();
    const floods: [path: string, headers: Record<string, string>, refused: number][] = [
      ['/v2/user', { 'x-service-api-key': team.management_key }, 401],
      ['/v2/user', { 'x-service-api-key': revoked.value }, 401],
      [`/v1/org/${team.org_id}/management_key`, { 'x-management-key': bound.value }, 403],
    ];
    const answered: number[] = [];
    for (const [path, headers, refused] of floods) {
      const statuses: number[] = [];
      while (!statuses.includes(429) && statuses.length < 10 * BURST)
        statuses.push((await fetch(app.baseUrl + path, { headers })).status);
      expect([...new Set(statuses)]).toEqual([refused, 429]);
      expect(statuses.length).toBeGreaterThan(BURST);
      answered.push(...statuses.slice(0, -1));
    }
    await app.flushAudit();
    const lines = await app.db
      .selectFrom('audit_log')
      .select('status')
      .where('org_id', '=', team.org_id)
      .orderBy('id')
      .execute();
    expect(lines.map(({ status }) => status)).toEqual(answered);
  });

  test('operations that need no key are not counted', async () => {
    const responses = await Promise.all(Array.from({ length: 2 * BURST }, () => fetch(`${app.baseUrl}/healthz`)));
    expect(responses.every(({ status, headers }) => status === 200 && !headers.has('ratelimit'))).toBe(true);
  });
});

test('production has 50 requests a second for a key by default', async () => {
  const app = await startTestApp({ PHIAL_ENVIRONMENT: 'production', PHIAL_BASE_URL: 'https://phial.example.com' });
  try {
    const { headers } = await app.api('GET', '/v2/user');
    expect(headers.get('ratelimit-policy')).toBe('"key";q=100;w=2');
  } finally {
    await app.close();
  }
});

test('the sandbox has no limit by default', async () => {
  const app = await startTestApp();
  try {
    const { headers } = await app.api('GET', '/v2/user');
    expect([headers.get('ratelimit'), headers.get('ratelimit-policy')]).toEqual([null, null]);
  } finally {
    await app.close();
  }
});
