import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import pg from 'pg';
import { sql } from 'kysely';
import { startTestApp, type Team, type TestApp } from '../../../test/test-app.ts';
import { createTeamKey } from './create-team-key.ts';

type Key = {
  id: string;
  value: string;
  scopes: string[] | null;
  expires_at: string | null;
  last_used_at: string | null;
};
type Refusal = { code: string; detail: string; required_scope: string };
type Problems = { detail: { type: string; loc: string[] }[] };

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ PHIAL_API_KEYS_PER_TEAM: '100' });
});
afterAll(() => app.close());

const path = (team: Team = app.team): string => `/v1/org/${team.org_id}/team_api_keys/sandbox/us`;
const create = <T = Key>(fields: object, team = app.team) =>
  team.api<T>('POST', path(team), { label: 'limited', team_id: team.id, ...fields });
const listed = async (id: string): Promise<Key | undefined> =>
  (await app.api<{ api_keys: Key[] }>('GET', path())).body.api_keys.find((key) => key.id === id);
const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString();

describe('a key with scopes', () => {
  test('is returned with each scope once, when it is made and in the list', async () => {
    const { body: key } = await create({ scopes: ['orders', 'read', 'orders'] });
    expect(key).toMatchObject({ scopes: ['orders', 'read'], expires_at: null, last_used_at: null });
    expect(await listed(key.id)).toMatchObject({ scopes: ['orders', 'read'] });
    const { body: open } = await create({ scopes: null });
    expect(open.scopes).toBeNull();
  });

  test('reads users and cannot make one: the refusal names the missing scope before any input is read', async () => {
    const { body: key } = await create({ scopes: ['read'] });
    const options = { key: key.value };
    expect((await app.api('GET', '/v2/user', undefined, options)).status).toBe(200);
    const refused = await app.api<Refusal>('POST', '/v2/user', undefined, { ...options, raw: '{"client_' });
    expect([refused.status, refused.body]).toEqual([
      403,
      {
        code: 'insufficient_scope',
        detail: 'This operation needs a key with the scope users. This key has read.',
        required_scope: 'users',
        request_id: expect.any(String),
      },
    ]);
  });

  test('gets no stored answer of a key with more rights', async () => {
    const headers = { 'x-idempotency-key': 'made-once' };
    const body = { client_user_id: 'made-once' };
    expect((await app.api('POST', '/v2/user', body, { headers })).status).toBe(200);
    const { body: key } = await create({ scopes: ['read', 'orders'] });
    expect((await app.api('POST', '/v2/user', body, { headers, key: key.value })).status).toBe(403);
  });

  test('loses scopes in every process at once, and an unknown scope gives no access', async () => {
    const key = await createTeamKey(app.ctx, { team_id: app.team.id, label: 'x', scopes: ['users'] });
    const ask = async () => (await app.api('GET', '/v2/user', undefined, { key: key.value })).status;
    expect(await ask()).toBe(200);
    await app.db
      .updateTable('team_api_keys')
      .set({ scopes: ['everything'] })
      .where('id', '=', key.id)
      .execute();
    await expect.poll(ask).toBe(403);
    await app.db.deleteFrom('team_api_keys').where('id', '=', key.id).execute();
  });
});

describe('a key with an end', () => {
  test('is valid until then', async () => {
    const { body: key } = await create({ expires_at: inDays(30) });
    expect((await listed(key.id))?.expires_at).toBe(key.expires_at);
    const ask = () => app.api<Refusal>('GET', '/v2/user', undefined, { key: key.value });
    expect((await ask()).status).toBe(200);
    await sql`update team_api_keys set expires_at = now() - interval '1 second' where id = ${key.id}`.execute(app.db);
    await expect.poll(async () => (await ask()).body.code).toBe('invalid_api_key');
    expect(await listed(key.id)).toBeUndefined();
  });

  test('ends at the last moment of a day that is given without a time', async () => {
    const day = inDays(30).slice(0, 10);
    expect((await create({ expires_at: day })).body.expires_at).toBe(`${day}T23:59:59.999Z`);
  });
});

test.each([
  [{ scopes: [] }, ['too_short body.scopes']],
  [{ scopes: ['orders', 'kings', 'orders:write'] }, ['enum body.scopes.1', 'enum body.scopes.2']],
  [{ scopes: 'orders' }, ['list_type body.scopes']],
  [{ scopes: Array.from({ length: 40 }, () => 'orders') }, ['too_long body.scopes']],
  [{ expires_at: '2026-01-01T00:00:00Z' }, ['datetime_parsing body.expires_at']],
  [{ expires_at: '2126-01-01T00:00:00Z' }, ['datetime_parsing body.expires_at']],
  [{ expires_at: 'soon' }, ['datetime_parsing body.expires_at']],
])('%j is refused', async (fields, problems) => {
  const { status, body } = await create<Problems>(fields);
  expect([status, body.detail.map(({ type, loc }) => `${type} ${loc.join('.')}`)]).toEqual([422, problems]);
});

describe('the last use of a key', () => {
  test('is written once for many requests, without clearing cached keys', async () => {
    const keys = [await create({}), await create({ scopes: ['users'] })].map(({ body }) => body);
    const { body: idle } = await create({});
    const ask = async () => {
      for (const key of keys) await app.api('GET', '/v2/user', undefined, { key: key.value });
    };
    await ask();
    await app.flushKeyUses();
    const first = (await listed(keys[0]?.id as string))?.last_used_at as string;
    expect(Math.abs(Date.parse(first) - Date.now())).toBeLessThan(60_000);
    expect((await listed(idle.id))?.last_used_at).toBeNull();

    const spy = vi.spyOn(pg.Client.prototype, 'query');
    try {
      for (let n = 0; n < 20; n += 1) await ask();
      await app.flushKeyUses();
      await app.flushKeyUses();
      await ask();
      const texts = spy.mock.calls.map(([call]) => (call as unknown as { text?: string }).text ?? String(call));
      expect(texts.filter((text) => text.includes('last_used_at'))).toHaveLength(1);
      expect(texts.filter((text) => text.includes('key_hash'))).toEqual([]);
    } finally {
      spy.mockRestore();
    }
    expect(Date.parse((await listed(keys[0]?.id as string))?.last_used_at as string)).toBeGreaterThan(
      Date.parse(first),
    );
  });

  test('waits for no lock: a locked key is written the next time', async () => {
    const { body: key } = await create({});
    const use = () => app.api('GET', '/v2/user', undefined, { key: key.value });
    await use();
    await app.db.transaction().execute(async (tx) => {
      await sql`select from team_api_keys where id = ${key.id} for update`.execute(tx);
      await app.flushKeyUses();
    });
    expect((await listed(key.id))?.last_used_at).toBeNull();
    await use();
    await app.flushKeyUses();
    expect((await listed(key.id))?.last_used_at).not.toBeNull();
  });

  test('does not count a refused key', async () => {
    const { body: key } = await create({});
    await app.api('DELETE', `${path()}?api_key_id=${key.id}`);
    await app.api('GET', '/v2/user', undefined, { key: key.value });
    await app.flushKeyUses();
    const { rows } = await sql<{ used: boolean }>`
      select last_used_at is not null as used from team_api_keys where id = ${key.id}`.execute(app.db);
    expect(rows).toEqual([{ used: false }]);
  });
});
