import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { startTestApp, type Answer, type Team, type TestApp } from '../../../test/test-app.ts';
import { makeUser } from '../../../test/factories.ts';
import { eachWithTwoServices } from '../../../test/two-services.ts';
import { operations } from '../../operations.ts';
import { dropExpired } from '../../jobs/retention.ts';
import { createManagementKey } from '../keys/create-management-key.ts';
import { newToken } from '../keys/key-value.ts';

type Token = { id: string; access_token: string; expires_in: number };
type Refusal = { code: string; detail: string };

let app: TestApp;
let elsewhere: TestApp;
let team: Team;
eachWithTwoServices((each) => ({ app, elsewhere, team } = each));

const path = (of: Team = team): string => `/v1/org/${of.org_id}/team/${of.id}/create_api_access_token`;
const mint = async (options: object = {}): Promise<Token> =>
  (await team.api<Token>('POST', path(), { env: 'sandbox' }, options)).body;
const bearer = (token: string) => ({ key: null, headers: { authorization: `Bearer ${token}` } });
const users = (token: string, on: TestApp = app): Promise<Answer<Refusal>> =>
  on.api<Refusal>('GET', '/v2/user', undefined, bearer(token));
const said = ({ status, body }: Answer<Refusal>): [number, string] => [status, body.code];
const boundKey = (...team_ids: string[]) =>
  createManagementKey(app.ctx, { org_id: team.org_id, label: 'bound', role: 'team_admin', team_ids });

describe('a token', () => {
  test("gives access to its team's data for an hour, is shown once, and is stored as a hash", async () => {
    const { user_id } = await makeUser(team);
    const { status, body } = await team.api<Token>('POST', path(), { env: 'sandbox' });
    expect([status, body]).toEqual([
      200,
      { id: expect.any(String), access_token: expect.stringMatching(/^at_[0-9A-Za-z]{43}$/), expires_in: 3600 },
    ]);
    const found = await app.api<{ user_id: string }>(
      'GET',
      `/v2/user/${user_id}`,
      undefined,
      bearer(body.access_token),
    );
    expect([found.status, found.body.user_id]).toEqual([200, user_id]);
    const of_another = await makeUser(await app.makeTeam());
    expect((await app.api('GET', `/v2/user/${of_another.user_id}`, undefined, bearer(body.access_token))).status).toBe(
      404,
    );
    const { rows } = await sql<{ row: string; minutes: number }>`
      select to_jsonb(t)::text as row, extract(epoch from expires_at - created_at)::int / 60 as minutes
        from api_access_tokens t where id = ${body.id}`.execute(app.db);
    expect([rows[0]?.minutes, rows[0]?.row.includes(body.access_token)]).toEqual([60, false]);
  });

  test('is accepted by every operation for team keys', async () => {
    const { access_token } = await mint();
    const ofTeams = operations.filter(({ auth }) => auth === 'team_key' || auth === 'team_key_or_user_token');
    for (const { id, method, path: at, body } of ofTeams) {
      const response = await app.api<Refusal | undefined>(
        method,
        at.replaceAll(/\{\w+\}/g, () => randomUUID()),
        body && {},
        bearer(access_token),
      );
      expect([id, [401, 403].includes(response.status)]).toEqual([id, false]);
    }
  });

  test('is ignored beside a key in its own header, and is no key in that header', async () => {
    const other = await app.makeTeam();
    const [mine] = [await makeUser(team), await makeUser(other)];
    const { access_token } = await mint();
    const headers = { authorization: `Bearer ${access_token}` };
    const found = await other.api<{ users: object[] }>('GET', '/v2/user', undefined, { headers });
    expect(JSON.stringify(found.body)).not.toContain(mine.user_id);
    expect(said(await app.api<Refusal>('GET', '/v2/user', undefined, { key: access_token }))).toEqual([
      401,
      'invalid_api_key',
    ]);
  });

  test('is refused by the management API, also for a new token', async () => {
    const { access_token } = await mint();
    const responses = [
      await team.api<Refusal>('POST', path(), { env: 'sandbox' }, bearer(access_token)),
      await team.api<Refusal>('POST', path(), { env: 'sandbox' }, { key: team.api_key }),
      await team.api<Refusal>('GET', `/v1/org/${team.org_id}`, undefined, bearer(access_token)),
    ];
    expect(responses.map(said)).toEqual(responses.map(() => [401, 'wrong_key_kind']));
  });

  test('cannot be made for another environment or without one', async () => {
    const other = await team.api<Refusal>('POST', path(), { env: 'production' });
    expect([...said(other), other.body.detail]).toEqual([
      404,
      'wrong_deployment',
      expect.stringMatching(/production us.*sandbox us/),
    ]);
    const wrong = async (body: object) =>
      (await team.api<{ detail: { type: string }[] }>('POST', path(), body)).body.detail.map(({ type }) => type);
    expect([await wrong({}), await wrong({ env: 'moon' })]).toEqual([['missing'], ['enum']]);
  });

  test('is the same for a repeated request with an idempotency key', async () => {
    const headers = { 'x-idempotency-key': 'token' };
    expect(await mint({ headers })).toEqual(await mint({ headers }));
  });
});

describe('a token ends', () => {
  test('after its hour, also in use, and is deleted', async () => {
    const [used, unused] = [await mint(), await mint()];
    await sql`
      update api_access_tokens set expires_at = now() + interval '700 milliseconds' where id = ${used.id}`.execute(
      app.db,
    );
    expect((await users(used.access_token)).status).toBe(200);
    await expect.poll(async () => (await users(used.access_token)).status, { timeout: 5_000 }).toBe(401);
    await dropExpired(app.ctx);
    const { rows } = await sql<{ id: string }>`
      select id from api_access_tokens where team_id = ${team.id}`.execute(app.db);
    expect(rows).toEqual([{ id: unused.id }]);
  });

  test('in every process when the key that made it is revoked, and tokens of other keys stay valid', async () => {
    const bound = await boundKey(team.id);
    const [token, other] = [await mint({ key: bound.value }), await mint()];
    for (const on of [app, elsewhere]) expect((await users(token.access_token, on)).status).toBe(200);
    await team.api('DELETE', `/v1/org/${team.org_id}/management_key/${bound.id}`);
    for (const on of [app, elsewhere]) {
      expect(said(await users(token.access_token, on))).toEqual([401, 'invalid_api_key']);
      expect((await users(other.access_token, on)).status).toBe(200);
    }
  });

  test('when the key that made it loses the team', async () => {
    const second = (await team.api<{ id: string }>('POST', `/v1/org/${team.org_id}/team`, { name: 'B', region: 'us' }))
      .body;
    const bound = await boundKey(team.id, second.id);
    const token = await mint({ key: bound.value });
    expect((await users(token.access_token, elsewhere)).status).toBe(200);
    await team.api('PATCH', `/v1/org/${team.org_id}/management_key/${bound.id}`, {
      team_role_bindings: [{ team_id: second.id }],
    });
    expect((await users(token.access_token, elsewhere)).status).toBe(401);
  });

  test('with its team', async () => {
    const { access_token } = await mint();
    expect((await users(access_token, elsewhere)).status).toBe(200);
    await team.api('DELETE', `/v1/org/${team.org_id}/team/${team.id}`);
    for (const on of [app, elsewhere]) expect((await users(access_token, on)).status).toBe(401);
  });

  test('when it is the oldest of more than a thousand', async () => {
    const oldest = await mint();
    await sql`
      insert into api_access_tokens (team_id, id, created_by, token_hash, expires_at)
      select team_id, gen_random_uuid(), created_by, sha256(n::text::bytea || id::text::bytea), expires_at
        from api_access_tokens, generate_series(1, 999) n where team_id = ${team.id}`.execute(app.db);
    // The copies have random ids. We make them all greater than the id of the oldest token, because a new token ends
    // the token with the smallest id.
    await sql`
      update api_access_tokens set id = overlay(id::text placing 'ff' from 1 for 2)::uuid
       where team_id = ${team.id} and id <> ${oldest.id}`.execute(app.db);
    await mint();
    const { rows } = await sql<{ tokens: number; oldest: boolean }>`
      select count(*)::int as tokens, bool_or(id = ${oldest.id}) as oldest
        from api_access_tokens where team_id = ${team.id}`.execute(app.db);
    expect(rows).toEqual([{ tokens: 1000, oldest: false }]);
    expect((await users(oldest.access_token)).status).toBe(401);
  });

  test('and a token that nobody made is refused', async () => {
    expect(said(await users(newToken('access').value))).toEqual([401, 'invalid_api_key']);
  });
});

test('the audit log names the token and the key that made it', async () => {
  const { rows: keys } = await sql<{ id: string }>`
    select id from management_keys where org_id = ${team.org_id}`.execute(app.db);
  const key = keys[0]?.id as string;
  const token = await mint();
  await users(token.access_token);
  await team.api('DELETE', `/v1/org/${team.org_id}/team/${team.id}`);
  await users(token.access_token);
  await app.flushAudit();
  const { rows } = await sql<object>`
    select action, actor, key_id, team_id, status, records from audit_log
     where team_id = ${team.id} order by id`.execute(app.db);
  expect(rows).toMatchObject([
    { action: 'create_api_access_token', actor: 'management_key', key_id: key, records: [token.id] },
    { action: 'list_users', actor: 'access_token', key_id: token.id, status: 200, records: [key] },
    { action: 'list_users', actor: 'access_token', key_id: token.id, status: 401, records: [key] },
  ]);
});

test('all tokens of a team share one rate limit', async () => {
  const limited = await startTestApp(
    { PHIAL_RATE_LIMIT_PER_SECOND: '1', PHIAL_RATE_LIMIT_BURST: '10' },
    { databaseUrl: app.databaseUrl },
  );
  try {
    const tokens = [await mint(), await mint(), await mint()];
    const statuses: number[] = [];
    for (let n = 0; n < 15; n += 1) statuses.push((await users(tokens[n % 3]?.access_token as string, limited)).status);
    expect(statuses.filter((status) => status === 200).length).toBeLessThan(13);
    expect(statuses.at(-1)).toBe(429);
    expect((await limited.api('GET', '/v2/user', undefined, { key: team.api_key })).status).toBe(200);
  } finally {
    await limited.close();
  }
});
