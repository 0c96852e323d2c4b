import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../../test/test-app.ts';
import { createTeam } from '../teams/create.ts';
import { createManagementKey } from './create-management-key.ts';
import { createTeamKey } from './create-team-key.ts';

type Problems = { detail: { type: string; loc: string[] }[] };
type Refusal = { code: string; detail: string };
type Key = { id: string; label: string; value: string; team_id: string; created_at: string };
type KeyPage = { api_keys: Key[]; next_cursor: string | null };
type Revoked = { success: string[]; failure: string[]; not_found: string[] };

let app: TestApp;
let other: Team;
beforeAll(async () => {
  app = await startTestApp({ PHIAL_API_KEYS_PER_TEAM: '100' });
  other = await app.makeTeam('Mesa Labs');
});
afterAll(() => app.close());

const problemPathsOf = (response: { body: Problems }): string[] =>
  response.body.detail.map(({ type, loc }) => `${type} ${loc.join('.')}`);

describe('team API keys', () => {
  const keysOf = (team: { org_id: string }, deployment = 'sandbox/us'): string =>
    `/v1/org/${team.org_id}/team_api_keys/${deployment}`;
  const create = (team: Team, label = 'a key') => team.api<Key>('POST', keysOf(team), { label, team_id: team.id });
  const list = async (team: Team, query = '', key?: string) =>
    (await team.api<KeyPage>('GET', `${keysOf(team)}${query}`, undefined, key ? { key } : {})).body;
  const revoke = (team: Team, ids: string[], key?: string) =>
    team.api<Revoked & { code: string }>(
      'DELETE',
      `${keysOf(team)}?${ids.map((id) => `api_key_id=${id}`).join('&')}`,
      undefined,
      key ? { key } : {},
    );

  test('a key is shown whole only when it is made', async () => {
    const { status, body } = await create(app.team, 'backend');
    expect([status, body]).toEqual([
      200,
      {
        id: expect.any(String),
        label: 'backend',
        team_id: app.team.id,
        created_at: expect.any(String),
        scopes: null,
        expires_at: null,
        last_used_at: null,
        value: expect.stringMatching(/^sk_us_[0-9A-Za-z]{43}$/),
      },
    ]);
    const listed = (await list(app.team)).api_keys.find(({ id }) => id === body.id);
    expect(listed).toEqual({ ...body, value: `${body.value.slice(0, 12)}…` });
    const row = await app.db
      .selectFrom('team_api_keys')
      .selectAll()
      .where('id', '=', body.id)
      .executeTakeFirstOrThrow();
    expect(JSON.stringify(row)).not.toContain(body.value);
  });

  test('a revoked key is refused at once and not listed', async () => {
    const { body: key } = await create(app.team);
    const ask = () => app.api('GET', '/v2/user', undefined, { key: key.value });
    expect((await ask()).status).toBe(200);
    const unknown = randomUUID();
    const { body } = await revoke(app.team, [key.id, unknown]);
    expect(body).toEqual({ success: [key.id], failure: [], not_found: [unknown] });
    expect((await ask()).status).toBe(401);
    expect((await list(app.team)).api_keys.map(({ id }) => id)).not.toContain(key.id);
    expect((await revoke(app.team, [key.id])).body).toEqual({ success: [], failure: [], not_found: [key.id] });
  });

  test('several keys are revoked by repeated names or commas, each reported once, in any case', async () => {
    const [{ body: one }, { body: two }] = [await create(app.team), await create(app.team)];
    const { body } = await revoke(app.team, [one.id.toUpperCase(), `${one.id},${two.id}`]);
    expect(body.success.toSorted()).toEqual([one.id, two.id].toSorted());
    expect(body.not_found).toEqual([]);
  });

  test("another organisation's keys are not found or listed, and stay valid", async () => {
    const { body: foreign } = await create(other);
    expect((await revoke(app.team, [foreign.id])).body).toEqual({ success: [], failure: [], not_found: [foreign.id] });
    expect((await list(app.team)).api_keys.map(({ team_id }) => team_id)).not.toContain(other.id);
    expect((await other.api('GET', '/v2/user', undefined, { key: foreign.value })).status).toBe(200);
    expect((await app.api('GET', `${keysOf(app.team)}?team_id=${other.id}`)).status).toBe(404);
    expect((await app.api('POST', keysOf(app.team), { label: 'x', team_id: other.id })).status).toBe(404);
    expect((await app.api('GET', keysOf(other))).status).toBe(404);
    expect((await app.api('DELETE', `${keysOf(other)}?api_key_id=${foreign.id}`)).status).toBe(404);
  });

  test('the list has every key once, page by page, oldest first', async () => {
    const team = await app.makeTeam();
    const made = (await list(team)).api_keys.map(({ id }) => id);
    for (let n = 0; n < 60; n += 1)
      made.push((await createTeamKey(app.ctx, { team_id: team.id, label: `key ${n}` })).id);
    const first = await list(team);
    expect(first.api_keys.length).toBe(50);
    const second = await list(team, `?next_cursor=${first.next_cursor}`);
    expect(second.next_cursor).toBeNull();
    expect([...first.api_keys, ...second.api_keys].map(({ id }) => id)).toEqual(made);
    const wrong = await team.api<Problems>('GET', `${keysOf(team)}?next_cursor=nonsense`);
    expect([wrong.status, ...problemPathsOf(wrong)]).toEqual([422, 'value_error query.next_cursor']);
  });

  test('expired keys are not listed', async () => {
    const team = await app.makeTeam();
    const { body } = await create(team);
    await app.db
      .updateTable('team_api_keys')
      .set({ expires_at: '2026-01-01T00:00:00Z' })
      .where('id', '=', body.id)
      .execute();
    expect((await list(team)).api_keys.map(({ id }) => id)).not.toContain(body.id);
  });

  test('a Team Management Key lists and revokes keys of its own teams only', async () => {
    const team = await app.makeTeam();
    const sibling = await createTeam(app.ctx, { org_id: team.org_id, name: 'Sibling' });
    const [{ body: mine }, theirs] = [
      await create(team),
      await createTeamKey(app.ctx, { team_id: sibling.id, label: 'theirs' }),
    ];
    const { value: key } = await createManagementKey(app.ctx, {
      org_id: team.org_id,
      label: 'bound',
      role: 'team_admin',
      team_ids: [team.id],
    });

    expect(new Set((await list(team, '', key)).api_keys.map(({ team_id }) => team_id))).toEqual(new Set([team.id]));
    expect((await list(team)).api_keys.map(({ id }) => id)).toContain(theirs.id);
    expect((await list(team, `?team_id=${sibling.id}`)).api_keys.map(({ id }) => id)).toEqual([theirs.id]);
    const filtered = await team.api<Refusal>('GET', `${keysOf(team)}?team_id=${sibling.id}`, undefined, { key });
    expect([filtered.status, filtered.body.code]).toEqual([403, 'insufficient_scope']);
    const made = await team.api<Refusal>('POST', keysOf(team), { label: 'x', team_id: sibling.id }, { key });
    expect([made.status, made.body.code]).toEqual([403, 'insufficient_scope']);

    const both = await revoke(team, [mine.id, theirs.id], key);
    expect([both.status, both.body.code]).toEqual([403, 'insufficient_scope']);
    expect((await list(team)).api_keys.map(({ id }) => id)).toEqual(expect.arrayContaining([mine.id, theirs.id]));
    expect((await revoke(team, [mine.id], key)).body.success).toEqual([mine.id]);
  });

  test('another environment or region is refused as another deployment', async () => {
    for (const deployment of ['production/us', 'sandbox/eu']) {
      for (const [method, query, body] of [
        ['GET', ''],
        ['POST', '', { label: 'x', team_id: app.team.id }],
        ['DELETE', `?api_key_id=${randomUUID()}`],
      ] as const) {
        const response = await app.api<Refusal>(method, `${keysOf(app.team, deployment)}${query}`, body);
        expect([method, response.status, response.body.code]).toEqual([method, 404, 'wrong_deployment']);
        expect(response.body.detail).toMatch(new RegExp(`${deployment.replace('/', ' ')}.*sandbox us`));
      }
    }
  });

  test('every problem is listed', async () => {
    const made = await app.api<Problems>('POST', keysOf(app.team, 'staging/moon'), { team_id: 'x' });
    expect([made.status, ...problemPathsOf(made).toSorted()]).toEqual([
      422,
      'enum path.env',
      'enum path.region',
      'missing body.label',
      'uuid_parsing body.team_id',
    ]);
    expect(problemPathsOf(await app.api<Problems>('DELETE', keysOf(app.team)))).toEqual(['missing query.api_key_id']);
    const revoked = await app.api<Problems>('DELETE', `${keysOf(app.team)}?api_key_id=x&api_key_id=y`);
    expect([revoked.status, ...problemPathsOf(revoked)]).toEqual([
      422,
      'uuid_parsing query.api_key_id.0',
      'uuid_parsing query.api_key_id.1',
    ]);
  });
});
