// The audit log of requests with codes and tokens. From each line, a reader finds the API key that made the code or
// token.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type Answer, type TestApp } from '../../../test/test-app.ts';
import { makeUser } from '../../../test/factories.ts';
import { createTeamKey } from '../../tenancy/keys/create-team-key.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

type Line = { action: string; actor: string; status: number; key_id: string; records: string[]; team_id: string };

async function lineOf(response: { headers: Headers }): Promise<Line> {
  await app.flushAudit();
  const lines = await app.db
    .selectFrom('audit_log')
    .select(['action', 'actor', 'status', 'key_id', 'records', 'team_id', 'org_id'])
    .where('request_id', '=', response.headers.get('x-request-id'))
    .execute();
  expect(lines).toHaveLength(1);
  return lines[0] as Line;
}

/** Makes one more API key for the team. A test can revoke this key, while the key of the test app stays valid. */
const makeKey = (): Promise<{ id: string; value: string }> =>
  createTeamKey(app.ctx, { team_id: app.team.id, label: 'on a phone' });
const revoke = (id: string): Promise<Answer> =>
  app.api('DELETE', `/v1/org/${app.team.org_id}/team_api_keys/sandbox/us?api_key_id=${id}`);

type Code = { code: string };
type Token = { sign_in_token: string };
const makeCode = (userId: string, key: string): Promise<Answer<Code>> =>
  app.api('POST', `/v2/link/code/create?user_id=${userId}`, undefined, { key });
const exchange = (code: string): Promise<Answer<Token>> =>
  app.api('POST', `/v2/link/code/exchange?code=${code}`, undefined, { key: null });

describe('a code that is exchanged for a token', () => {
  test('leaves a line that leads from the actions of the token to the key that made the code', async () => {
    const [key, { user_id }] = [await makeKey(), await makeUser(app.team)];
    const made = await makeCode(user_id, key.value);
    const changed = await exchange(made.body.code);
    const headers = { authorization: `Bearer ${changed.body.sign_in_token}` };
    const pushed = await app.api('POST', `/v2/timeseries/${user_id}/samples`, [], { key: null, headers });

    const [first, second, third] = [await lineOf(made), await lineOf(changed), await lineOf(pushed)];
    expect(first).toMatchObject({ action: 'create_link_code', actor: 'team_key', key_id: key.id });
    expect(second).toMatchObject({
      action: 'exchange_link_code',
      actor: 'link_code',
      status: 200,
      team_id: app.team.id,
    });
    expect(first.records).toEqual([user_id, second.key_id]);
    expect(second.records).toEqual(expect.arrayContaining([user_id, key.id, third.key_id]));
    expect(third).toMatchObject({ actor: 'user_token' });
    expect(third.records).toEqual(expect.arrayContaining([key.id, second.key_id]));
  });

  test('leaves a line when it is refused, and none when it is unknown', async () => {
    const [key, { user_id }] = [await makeKey(), await makeUser(app.team)];
    const used = (await makeCode(user_id, key.value)).body.code;
    await exchange(used);
    const ended = (await makeCode(user_id, key.value)).body.code;
    await revoke(key.id);
    for (const code of [used, ended]) {
      const line = await lineOf(await exchange(code));
      expect(line).toMatchObject({
        action: 'exchange_link_code',
        actor: 'link_code',
        status: 400,
        records: [user_id, key.id],
      });
    }
    const { headers } = await exchange('sandbox-code-that-nobody-made');
    await app.flushAudit();
    const id = headers.get('x-request-id');
    expect(await app.db.selectFrom('audit_log').select('id').where('request_id', '=', id).execute()).toEqual([]);
  });
});

describe('a link token', () => {
  type Link = { link_token: string; link_web_url: string };
  const makeLink = async (key: { value: string }): Promise<Answer<Link>> => {
    const { user_id } = await makeUser(app.team);
    return app.api<Link>('POST', '/v2/link/token', { user_id }, { key: key.value });
  };
  const open = (path: string): Promise<Response> => fetch(`${app.baseUrl}${path}`, { redirect: 'manual' });
  const ask = (token: string): Promise<Answer<{ code: string }>> =>
    app.api('GET', '/v2/link/providers', undefined, { key: null, headers: { 'x-service-link-token': token } });

  test('is named in the line that made it; lines of its requests and pages name its key', async () => {
    const key = await makeKey();
    const made = await makeLink(key);
    const { link_token: token } = made.body;
    const { records } = await lineOf(made);
    const opened = [
      await ask(token),
      await open(`/link?token=${token}`),
      await open(`/v2/link/oauth/oura/start?token=${token}`),
    ];
    for (const response of opened) {
      const line = await lineOf(response);
      expect(line).toMatchObject({ actor: 'link_token', key_id: records[1], records: [key.id], team_id: app.team.id });
    }
  });

  test('ends with the key that made it, at once and in every operation', async () => {
    const [key, other] = [await makeKey(), await makeKey()];
    const [{ body: link }, { body: otherLink }] = [await makeLink(key), await makeLink(other)];
    expect((await ask(link.link_token)).status).toBe(200);
    await revoke(key.id);
    const refused = await ask(link.link_token);
    expect([refused.status, refused.body.code]).toEqual([401, 'invalid_api_key']);
    expect(await lineOf(refused)).toMatchObject({ status: 401, actor: 'link_token', records: [key.id] });
    for (const path of [`/link?token=${link.link_token}`, `/v2/link/oauth/oura/start?token=${link.link_token}`])
      expect(await (await open(path)).text()).toContain('This link is not valid');
    expect((await ask(otherLink.link_token)).status).toBe(200);
    expect((await ask(`${randomUUID()}`)).status).toBe(401);
  });
});
