import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type Answer, type Team, type TestApp } from '../../../test/test-app.ts';
import { makeUser } from '../../../test/factories.ts';
import { operations } from '../../operations.ts';
import { createManagementKey } from '../../tenancy/keys/create-management-key.ts';
import { createTeamKey } from '../../tenancy/keys/create-team-key.ts';
import { newToken } from '../../tenancy/keys/key-value.ts';

type Output = { code: string; detail: string };

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

type Key = { id: string; value: string };
type Token = { sign_in_token: string };

const tokenOf = async (userId: string, team: Team = app.team, by: object = {}): Promise<string> =>
  (await team.api<Token>('POST', `/v2/user/${userId}/sign_in_token`, undefined, by)).body.sign_in_token;
const codeOf = async (userId: string, key: string): Promise<string> =>
  (await app.api<{ code: string }>('POST', `/v2/link/code/create?user_id=${userId}`, undefined, { key })).body.code;
const exchange = async (code: string): Promise<string> =>
  (await app.api<Token>('POST', `/v2/link/code/exchange?code=${code}`, undefined, { key: null })).body.sign_in_token;

const sample = {
  resource: 'heartrate',
  provider: 'apple_health_kit',
  source_type: 'watch',
  timestamp: '2026-01-05T07:30:00Z',
  unit: 'bpm',
  value: 61,
};
const push = (userId: string, token: string, headers: Record<string, string> = {}): Promise<Answer<Output>> =>
  app.api<Output>('POST', `/v2/timeseries/${userId}/samples`, [sample], {
    key: null,
    headers: { authorization: `Bearer ${token}`, ...headers },
  });
const said = ({ status, body }: Answer<Output>): [number, string] => [status, body.code];

describe("a user's own token", () => {
  test('can send data of that user, with any case of the scheme and without a key of the team', async () => {
    const { user_id } = await makeUser(app.team);
    const token = await tokenOf(user_id);
    expect((await push(user_id, token)).status).toBe(200);
    expect((await push(user_id.toUpperCase(), token, { authorization: `bearer ${token}` })).status).toBe(200);
  });

  test('is refused for any other user, of the same team or another', async () => {
    const { user_id } = await makeUser(app.team);
    const [sibling, outsider] = [await makeUser(app.team), await makeUser(await app.makeTeam())];
    const token = await tokenOf(user_id);
    for (const other of [sibling, outsider]) expect(said(await push(other.user_id, token))).toEqual([404, 'not_found']);
  });

  test('is refused by all other operations', async () => {
    const { user_id } = await makeUser(app.team);
    const headers = { authorization: `Bearer ${await tokenOf(user_id)}` };
    const opened = [];
    for (const { id, method, path } of operations.filter(
      ({ auth }) => auth !== 'none' && !auth.endsWith('signature'),
    )) {
      const at = path.replaceAll('{user_id}', user_id).replaceAll(/\{\w+\}/g, 'x');
      const { status } = await app.api(method, at, undefined, { key: null, headers });
      if (status !== 401) opened.push(id);
    }
    const forUsers = operations.filter(({ auth }) => auth === 'team_key_or_user_token').map(({ id }) => id);
    expect(opened).toEqual(forUsers);
    expect(forUsers).toContain('push_samples');
  });

  test('gets a refusal that names its use when an operation needs a team key', async () => {
    const { user_id } = await makeUser(app.team);
    const headers = { authorization: `Bearer ${await tokenOf(user_id)}` };
    const path = `/v2/timeseries/${user_id}/heartrate/grouped?start_date=2026-01-01&end_date=2026-12-31`;
    const response = await app.api<Output>('GET', path, undefined, { key: null, headers });
    expect(said(response)).toEqual([401, 'wrong_key_kind']);
    expect(response.body.detail).toMatch(/can only send samples and summaries of that user .* needs a team API key/);
    expect((await app.api('GET', path, undefined, { headers })).status).toBe(200);
    const unknown = await app.api<Output>('GET', path, undefined, {
      key: null,
      headers: { authorization: 'Bearer ut_x' },
    });
    expect(said(unknown)).toEqual([401, 'invalid_api_key']);
  });

  test('ends after an hour, and with its team', async () => {
    const { user_id } = await makeUser(app.team);
    const token = await tokenOf(user_id);
    await sql`
      update user_tokens set expires_at = expires_at - interval '59 minutes' where user_id = ${user_id}`.execute(
      app.db,
    );
    expect((await push(user_id, token)).status).toBe(200);
    await sql`update user_tokens set expires_at = expires_at - interval '1 minute' where user_id = ${user_id}`.execute(
      app.db,
    );
    expect(said(await push(user_id, token))).toEqual([401, 'invalid_api_key']);
    const team = await app.makeTeam();
    const user = await makeUser(team);
    const theirs = await tokenOf(user.user_id, team);
    await team.api('DELETE', `/v1/org/${team.org_id}/team/${team.id}`);
    expect(said(await push(user.user_id, theirs))).toEqual([401, 'invalid_api_key']);
  });

  test('ends at once with the team key that made it, also through a link code', async () => {
    const { user_id } = await makeUser(app.team);
    const keys = `/v1/org/${app.team.org_id}/team_api_keys/sandbox/us`;
    const key = (await app.api<Key>('POST', keys, { label: 'to be revoked', team_id: app.team.id })).body;
    const token = await tokenOf(user_id, app.team, { key: key.value });
    const other = await tokenOf(user_id);
    const codes = [await codeOf(user_id, key.value), await codeOf(user_id, key.value)];
    const ofCode = await exchange(codes[0] as string);
    for (const each of [token, ofCode, other]) expect((await push(user_id, each)).status).toBe(200);
    await app.api('DELETE', `${keys}?api_key_id=${key.id}`);
    for (const each of [token, ofCode]) expect(said(await push(user_id, each))).toEqual([401, 'invalid_api_key']);
    const late = await app.api('POST', `/v2/link/code/exchange?code=${codes[1]}`, undefined, { key: null });
    expect(said(late)).toEqual([400, 'link_code_invalid']);
    expect((await push(user_id, other)).status).toBe(200);
  });

  test('expires no later than the key that made it', async () => {
    const { user_id } = await makeUser(app.team);
    const key = await createTeamKey(app.ctx, { team_id: app.team.id, label: 'for a while' });
    const token = await tokenOf(user_id, app.team, { key: key.value });
    const endsIn = (time: string) =>
      sql`update team_api_keys set expires_at = now() + ${time}::interval where id = ${key.id}`.execute(app.db);
    await endsIn('1 hour');
    expect((await push(user_id, token)).status).toBe(200);
    await endsIn('0');
    expect(said(await push(user_id, token))).toEqual([401, 'invalid_api_key']);
  });

  test('ends with the management key behind its access token, and when that key loses the team', async () => {
    const { id, org_id } = app.team;
    const { user_id } = await makeUser(app.team);
    const keys = `/v1/org/${org_id}/management_key`;
    const second = (await app.api<{ id: string }>('POST', `/v1/org/${org_id}/team`, { name: 'B', region: 'us' })).body;
    const made = async () => {
      const key = await createManagementKey(app.ctx, {
        org_id,
        label: 'bound',
        role: 'team_admin',
        team_ids: [id, second.id],
      });
      const path = `/v1/org/${org_id}/team/${id}/create_api_access_token`;
      const access = await app.api<{ access_token: string }>('POST', path, { env: 'sandbox' }, { key: key.value });
      const headers = { authorization: `Bearer ${access.body.access_token}` };
      return { key, token: await tokenOf(user_id, app.team, { key: null, headers }) };
    };
    const [revoked, moved] = [await made(), await made()];
    for (const { token } of [revoked, moved]) expect((await push(user_id, token)).status).toBe(200);
    await app.api('DELETE', `${keys}/${revoked.key.id}`);
    await app.api('PATCH', `${keys}/${moved.key.id}`, { team_role_bindings: [{ team_id: second.id }] });
    for (const { token } of [revoked, moved])
      expect(said(await push(user_id, token))).toEqual([401, 'invalid_api_key']);
  });

  test('of a user who is scheduled for deletion is refused', async () => {
    const { user_id } = await makeUser(app.team);
    const token = await tokenOf(user_id);
    await app.api('DELETE', `/v2/user/${user_id}`);
    expect(said(await push(user_id, token))).toEqual([404, 'user_scheduled_for_deletion']);
    const another = await app.api<Output>('POST', `/v2/user/${user_id}/sign_in_token`);
    expect(said(another)).toEqual([404, 'user_scheduled_for_deletion']);
  });

  test('that is unknown or malformed gets the same refusal, also beside a valid team key', async () => {
    const { user_id } = await makeUser(app.team);
    for (const token of [newToken('user').value, 'ut_short', app.team.api_key, 'x'])
      expect(said(await push(user_id, token, { 'x-service-api-key': app.team.api_key }))).toEqual([
        401,
        'invalid_api_key',
      ]);
  });

  test('ends when the user has twenty newer ones', async () => {
    const { user_id } = await makeUser(app.team);
    const tokens: string[] = [];
    for (let n = 0; n < 21; n += 1) tokens.push(await tokenOf(user_id));
    expect((await push(user_id, tokens[0] as string)).status).toBe(401);
    expect((await push(user_id, tokens[1] as string)).status).toBe(200);
  });

  test('is stored as a hash, and the audit log names its id', async () => {
    const { user_id } = await makeUser(app.team);
    const token = await tokenOf(user_id);
    const response = await push(user_id, token);
    await app.flushAudit();
    const { rows } = await sql<{ actor: string; key_id: string; team_id: string }>`
      select actor, key_id, team_id from audit_log where request_id = ${response.headers.get('x-request-id')}`.execute(
      app.db,
    );
    const stored = await sql<{ id: string; row: string }>`
      select id, to_jsonb(t)::text as row from user_tokens t where user_id = ${user_id}`.execute(app.db);
    expect(rows).toEqual([{ actor: 'user_token', key_id: stored.rows[0]?.id, team_id: app.team.id }]);
    expect(stored.rows[0]?.row).not.toContain(token);
  });
});
