import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Team, TestApp } from '../../../test/test-app.ts';
import { untilBlocked } from '../../../test/until-blocked.ts';
import { eachWithTwoServices } from '../../../test/two-services.ts';
import { createTeam } from '../teams/create.ts';
import { createManagementKey } from './create-management-key.ts';
import { revokeManagementKey } from './revoke-management-key.ts';

type Key = {
  id: string;
  label: string;
  key_prefix: string;
  created_at: string;
  creator: { type: string };
  role: string;
  team_role_bindings: { team_id: string }[] | null;
};
type NewKey = Key & { key: string };
type Page = { data: Key[]; next_cursor: string | null };
type Refusal = { code: string; limit?: number };
type Problems = { detail: { type: string; loc: string[] }[] };

let app: TestApp;
let elsewhere: TestApp;
let team: Team;
eachWithTwoServices((each) => ({ app, elsewhere, team } = each));

const path = (id = '', of: Team = team): string => `/v1/org/${of.org_id}/management_key${id && `/${id}`}`;
const create = <T = NewKey>(body: object, options: object = {}) => team.api<T>('POST', path(), body, options);
const bindings = (...ids: string[]) => ids.map((team_id) => ({ team_id }));
const list = async (query = '') => (await team.api<Page>('GET', `${path()}${query}`)).body.data;
const revoke = <T = Key>(id: string, key?: string) => team.api<T>('DELETE', path(id), undefined, key ? { key } : {});
/** Lists the API keys of a team with this management key, and returns the status of the response. */
const opens = async (key: string, of: Team = team) =>
  (await team.api('GET', `/v1/org/${of.org_id}/team_api_keys/sandbox/us?team_id=${of.id}`, undefined, { key })).status;

describe('making', () => {
  test('an Org Management Key manages the organisation, is shown once, and is listed by its prefix', async () => {
    const { status, body } = await create({ label: 'deploy', role: 'org_admin' });
    expect([status, body]).toEqual([
      200,
      {
        id: expect.any(String),
        label: 'deploy',
        key_prefix: body.key.slice(0, 12),
        created_at: expect.any(String),
        creator: { type: 'management_key' },
        role: 'org_admin',
        team_role_bindings: null,
        key: expect.stringMatching(/^mg_[0-9A-Za-z]{43}$/),
      },
    ]);
    expect(await opens(body.key)).toBe(200);
    const { key: _, ...shown } = body;
    expect(await list()).toEqual([
      expect.objectContaining({ label: 'first key', creator: { type: 'service_staff' }, role: 'org_admin' }),
      shown,
    ]);
    const rows = await app.db.selectFrom('management_keys').selectAll().where('id', '=', body.id).execute();
    expect(JSON.stringify(rows)).not.toContain(body.key);
  });

  test('a Team Management Key for two teams manages both, and neither a third nor the organisation', async () => {
    const second = await createTeam(app.ctx, { org_id: team.org_id, name: 'Second' });
    const third = await createTeam(app.ctx, { org_id: team.org_id, name: 'Third' });
    const { body } = await create({
      label: 'two clinics',
      role: 'team_admin',
      team_role_bindings: bindings(team.id, second.id.toUpperCase(), second.id),
    });
    expect(body.team_role_bindings).toEqual(bindings(team.id, second.id));
    expect(await opens(body.key)).toBe(200);
    expect(await opens(body.key, { ...team, id: second.id })).toBe(200);
    expect(await opens(body.key, { ...team, id: third.id })).toBe(403);
  });

  test('a Team Management Key cannot make, list, change or revoke management keys', async () => {
    const { body: bound } = await create({ label: 'bound', role: 'team_admin', team_role_bindings: bindings(team.id) });
    const options = { key: bound.key };
    const responses = [
      await create<Refusal>({ label: 'more', role: 'org_admin' }, options),
      await create<Refusal>({ label: 'same', role: 'team_admin', team_role_bindings: bindings(team.id) }, options),
      await team.api<Refusal>('GET', path(), undefined, options),
      await team.api<Refusal>('PATCH', path(bound.id), { team_role_bindings: bindings(team.id) }, options),
      await team.api<Refusal>('DELETE', path(bound.id), undefined, options),
    ];
    expect(responses.map(({ status, body }) => `${status} ${body.code}`)).toEqual(
      Array.from({ length: 5 }, () => '403 insufficient_scope'),
    );
    expect((await list()).map(({ label }) => label)).toEqual(['first key', 'bound']);
  });

  test('an unknown team or a team of another organisation is not found, and no key is made', async () => {
    const outsider = await app.makeTeam();
    for (const id of [outsider.id, randomUUID()]) {
      const response = await create({ label: 'x', role: 'team_admin', team_role_bindings: bindings(team.id, id) });
      expect(response.status).toBe(404);
    }
    expect(await list()).toHaveLength(1);
  });

  test('a repeated request gets the same key, which no row shows and no other key can read', async () => {
    const headers = { 'x-idempotency-key': 'deploy' };
    const body = { label: 'deploy', role: 'org_admin' };
    const [first, again] = [await create(body, { headers }), await create(body, { headers })];
    expect(again.body).toEqual(first.body);
    const other = await create<Refusal>(body, { headers, key: first.body.key });
    expect([other.status, other.body.code]).toEqual([409, 'idempotency_mismatch']);
    const stored = await app.db
      .selectFrom('idempotency_keys')
      .selectAll()
      .where('scope_id', '=', team.org_id)
      .execute();
    expect(stored).toHaveLength(1);
    expect(JSON.stringify(stored)).not.toContain(first.body.key);
  });

  test.each([
    [{}, ['missing body.label', 'missing body.role']],
    [{ label: '', role: 'king' }, ['string_too_short body.label', 'enum body.role']],
    [{ label: 'x', role: 'team_admin' }, ['missing body.team_role_bindings']],
    [{ label: 'x', role: 'team_admin', team_role_bindings: null }, ['missing body.team_role_bindings']],
    [{ label: 'x', role: 'team_admin', team_role_bindings: [] }, ['too_short body.team_role_bindings']],
    [{ label: 'x', role: 'team_admin', team_role_bindings: [{}] }, ['missing body.team_role_bindings.0.team_id']],
    [
      { label: 'x', role: 'org_admin', team_role_bindings: [{ team_id: randomUUID() }] },
      ['value_error body.team_role_bindings'],
    ],
    [
      {
        label: 'x',
        role: 'team_admin',
        team_role_bindings: Array.from({ length: 101 }, () => ({ team_id: randomUUID() })),
      },
      ['too_long body.team_role_bindings'],
    ],
  ])('%j is refused with every problem', async (body, problems) => {
    const response = await create<Problems>(body);
    expect(response.status).toBe(422);
    expect(response.body.detail.map(({ type, loc }) => `${type} ${loc.join('.')}`)).toEqual(problems);
  });
});

describe('listing', () => {
  test('the list is filtered by role and team, and has every key once page by page', async () => {
    const second = await createTeam(app.ctx, { org_id: team.org_id, name: 'Second' });
    const { body: bound } = await create({
      label: 'bound',
      role: 'team_admin',
      team_role_bindings: bindings(second.id),
    });
    expect((await list('?role=team_admin')).map(({ id }) => id)).toEqual([bound.id]);
    expect((await list(`?team_id=${second.id}`)).map(({ id }) => id)).toEqual([bound.id]);
    expect(await list(`?team_id=${team.id}`)).toEqual([]);
    const unknown = await team.api('GET', `/v1/org/${team.org_id}/management_key?team_id=${randomUUID()}`);
    expect(unknown).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect(await list('?role=king')).toEqual([]);

    const org = { org_id: team.org_id, role: 'org_admin', team_ids: null } as const;
    for (let n = 0; n < 55; n += 1) await createManagementKey(app.ctx, { ...org, label: `key ${n}` });
    const first = (await team.api<Page>('GET', path())).body;
    const rest = (await team.api<Page>('GET', `${path()}?next_cursor=${first.next_cursor}`)).body;
    expect([first.data.length, rest.data.length, rest.next_cursor]).toEqual([50, 7, null]);
    expect(new Set([...first.data, ...rest.data].map(({ id }) => id)).size).toBe(57);
    expect((await team.api('GET', `${path()}?next_cursor=nonsense`)).status).toBe(422);
  });
});

describe('changing', () => {
  test('a key loses teams in every process at once', async () => {
    const second = await createTeam(app.ctx, { org_id: team.org_id, name: 'Second' });
    const { body: key } = await create({
      label: 'both',
      role: 'team_admin',
      team_role_bindings: bindings(team.id, second.id),
    });
    const ask = async () =>
      (
        await fetch(`${elsewhere.baseUrl}/v1/org/${team.org_id}/team_api_keys/sandbox/us?team_id=${second.id}`, {
          headers: { 'x-management-key': key.key },
        })
      ).status;
    expect(await ask()).toBe(200);
    const patched = await team.api<Key>('PATCH', path(key.id), { team_role_bindings: bindings(team.id) });
    expect(await ask()).toBe(403);
    expect(patched.body).toMatchObject({ label: 'both', team_role_bindings: bindings(team.id) });
    const renamed = await team.api<Key>('PATCH', path(key.id), { label: 'one', team_role_bindings: null });
    expect(renamed.body).toMatchObject({ label: 'one', team_role_bindings: bindings(team.id) });
  });

  test('an Org Management Key cannot be bound; unknown and revoked keys and unknown teams are not found', async () => {
    const [first] = await list();
    const org = await team.api<Refusal>('PATCH', path(first?.id), { team_role_bindings: bindings(team.id) });
    expect([org.status, org.body.code]).toEqual([400, 'key_not_bindable']);
    const { body: key } = await create({ label: 'x', role: 'team_admin', team_role_bindings: bindings(team.id) });
    const unknown = { team_role_bindings: bindings(randomUUID()) };
    expect((await team.api('PATCH', path(key.id), unknown)).status).toBe(404);
    expect((await team.api('PATCH', path(randomUUID()), { label: 'x' })).status).toBe(404);
    await revoke(key.id);
    expect((await team.api('PATCH', path(key.id), { label: 'x' })).status).toBe(404);
  });
});

describe('revoking', () => {
  test('a revoked key is refused in every process and not listed; a second revocation returns null', async () => {
    const { body: key } = await create({ label: 'leaked', role: 'org_admin' });
    const ask = async () =>
      (await fetch(`${elsewhere.baseUrl}${path()}`, { headers: { 'x-management-key': key.key } })).status;
    expect(await ask()).toBe(200);
    const { key: _, ...shown } = key;
    const revoked = await revoke(key.id);
    expect(await ask()).toBe(401);
    expect([revoked.status, revoked.body]).toEqual([200, shown]);
    expect((await list()).map(({ id }) => id)).not.toContain(key.id);
    const again = await revoke<null>(key.id);
    expect([again.status, again.body]).toEqual([200, null]);
  });

  test('the last Org Management Key cannot be revoked, but can be with another one, also by itself', async () => {
    const [last] = await list();
    await create({ label: 'bound', role: 'team_admin', team_role_bindings: bindings(team.id) });
    const refused = await revoke<Refusal>(last?.id as string);
    expect([refused.status, refused.body.code]).toEqual([400, 'last_management_key']);
    expect(await opens(team.management_key)).toBe(200);

    const { body: another } = await create({ label: 'another', role: 'org_admin' });
    expect((await revoke(last?.id as string)).status).toBe(200);
    expect(await opens(team.management_key)).toBe(401);
    expect((await revoke<Refusal>(another.id, another.key)).body.code).toBe('last_management_key');
  });

  test('of two Org Management Keys that revoke each other at once, one stays', async () => {
    const [first] = await list();
    const { body: second } = await create({ label: 'second', role: 'org_admin' });
    let other: Promise<{ status: number; body: Refusal }> | undefined;
    await app.db.transaction().execute(async (db) => {
      await revokeManagementKey({ ...app.ctx, db }, team.org_id, second.id);
      other = revoke<Refusal>(first?.id as string);
      await untilBlocked(app.db);
    });
    expect((await other)?.body.code).toBe('last_management_key');
  });

  test("another organisation's keys are not found and stay valid", async () => {
    const outsider = await app.makeTeam();
    const { data } = (await outsider.api<Page>('GET', path('', outsider))).body;
    expect((await revoke(data[0]?.id as string)).status).toBe(404);
    expect((await revoke(randomUUID())).status).toBe(404);
    expect((await team.api('GET', path('', outsider))).status).toBe(404);
    expect(await opens(outsider.management_key, outsider)).toBe(200);
  });

  test('the operator can revoke the last key too, because the command line can make another', async () => {
    const [last] = await list();
    await revokeManagementKey(app.ctx, team.org_id, last?.id as string, { lastToo: true });
    // The command line and the service are two processes, so the notification takes a moment.
    await expect.poll(() => opens(team.management_key)).toBe(401);
  });
});

test('an organisation has a limit of unrevoked management keys', async () => {
  const { limits } = app.config;
  const org = { org_id: team.org_id, label: 'x', role: 'org_admin', team_ids: null } as const;
  for (let n = 1; n < limits.managementKeysPerOrg; n += 1) await createManagementKey(app.ctx, org);
  const refused = await create<Refusal>({ label: 'one more', role: 'org_admin' });
  expect([refused.status, refused.body.code, refused.body.limit]).toEqual([403, 'limit_reached', 100]);
});
