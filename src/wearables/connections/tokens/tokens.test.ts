import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../../../test/test-app.ts';
import { query } from '../../../../test/global-setup.ts';
import { importConnection, makeUser } from '../../../../test/factories.ts';
import { startProvider, type Provider } from '../../../../test/provider.ts';
import { publishedTo } from '../../../../test/publish-event.ts';
import type { TeamCtx } from '../../../context.ts';
import { eraseUsers } from '../../../../test/erase-due-users.ts';
import { forTeam } from '../../../tenancy/teams/team-scope.ts';
import { getValidToken } from './valid-token.ts';
import { ProviderUnavailable } from '../../providers/provider-errors.ts';

const PAST = 1_700_000_000;

let provider: Provider;
let app: TestApp;
let second: TestApp;
let team: Team;
const scopeIn = (where: TestApp): TeamCtx => forTeam(where.ctx, { id: team.id, org_id: team.org_id, settings: {} });

beforeAll(async () => {
  provider = await startProvider();
  const env = { ...provider.env('oura'), ...provider.env('strava'), ...provider.env('google_health') };
  app = await startTestApp({ ...env, PHIAL_ENCRYPTION_KEYS: `1:${Buffer.alloc(32, 9).toString('base64')}` });
  second = await startTestApp(
    { ...env, PHIAL_ENCRYPTION_KEYS: `1:${Buffer.alloc(32, 9).toString('base64')}` },
    { databaseUrl: app.databaseUrl },
  );
});
beforeEach(async () => {
  team = await app.makeTeam();
  provider.fail();
  provider.rotate(true);
  provider.tokenRequests.length = 0;
  provider.revoked.length = 0;
});
afterAll(async () => {
  await second.close();
  await app.close();
  await provider.close();
});

/** Makes a user whose access token has ended, with a refresh token that the provider knows. */
async function endedConnection(): Promise<{ user_id: string; provider: string }> {
  const { user_id } = await makeUser(team);
  await importConnection(team, user_id, {
    access_token: 'access-old',
    refresh_token: provider.issueRefreshToken(),
    expires_at: PAST,
    provider_id: user_id,
  });
  return { user_id, provider: 'oura' };
}
const statusOf = async ({ user_id }: { user_id: string }): Promise<string | undefined> =>
  (await team.api<{ providers: { status: string }[] }>('GET', `/v2/user/providers/${user_id}`)).body.providers[0]
    ?.status;
const exported = async (): Promise<{ access_token: string; refresh_token: string }[]> =>
  (
    await team.api<{ data: { access_token: string; refresh_token: string }[] }>('POST', '/v2/link/bulk_export', {
      provider: 'oura',
    })
  ).body.data;

describe('the token of a connection', () => {
  test('is returned unchanged while it lasts', async () => {
    const { user_id } = await makeUser(team);
    await importConnection(team, user_id);
    expect(await getValidToken(scopeIn(app), { user_id, provider: 'oura' })).toBe('access-token-of-the-user');
    expect(provider.tokenRequests).toEqual([]);
  });

  test('is renewed when it has ended, and both new tokens are stored', async () => {
    const connection = await endedConnection();
    const token = await getValidToken(scopeIn(app), connection);
    expect(token).toMatch(/^access-\d+$/);
    expect(provider.tokenRequests).toMatchObject([
      { fields: { grant_type: 'refresh_token', client_secret: 'secret-of-oura' } },
    ]);
    expect(await exported()).toMatchObject([
      { access_token: token, refresh_token: expect.stringMatching(/^refresh-\d+$/) },
    ]);
    expect(await getValidToken(scopeIn(app), connection)).toBe(token);
    expect(provider.tokenRequests).toHaveLength(1);
  });

  test('is renewed once when the provider refuses it before its end', async () => {
    const connection = await endedConnection();
    const token = (await getValidToken(scopeIn(app), connection)) as string;
    const newer = await getValidToken(scopeIn(app), connection, token);
    expect(newer).not.toBe(token);
    expect(await getValidToken(scopeIn(app), connection, token)).toBe(newer);
    expect(provider.tokenRequests).toHaveLength(2);
  });

  test('keeps the refresh token of a provider that does not rotate it', async () => {
    provider.rotate(false);
    const connection = await endedConnection();
    const token = (await getValidToken(scopeIn(app), connection)) as string;
    expect(await getValidToken(scopeIn(app), connection, token)).toMatch(/^access-/);
    const [first, next] = provider.tokenRequests.map(({ fields }) => fields['refresh_token']);
    expect(next).toBe(first);
  });

  test('is renewed once when many processes ask at once: the others wait and find it', async () => {
    const connection = await endedConnection();
    const release = provider.pauseTokenRequests();
    const before = provider.tokenRequests.length;
    const asking = [app, app, second, second].map((where) => getValidToken(scopeIn(where), connection));
    await expect.poll(() => provider.tokenRequests.length, { interval: 5 }).toBe(before + 1);
    release();
    const tokens = await Promise.all(asking);
    expect(new Set(tokens).size).toBe(1);
    expect(provider.tokenRequests).toHaveLength(1);
    expect(await statusOf(connection)).toBe('connected');
  });

  test('is renewed for more connections than the database has, without delaying other requests', async () => {
    const connections = await Promise.all(Array.from({ length: 12 }, endedConnection));
    const release = provider.pauseTokenRequests();
    const asking = connections.map((connection) => getValidToken(scopeIn(app), connection));
    await expect.poll(() => provider.tokenRequests.length, { interval: 5 }).toBe(12);
    expect(await statusOf(connections[0] as { user_id: string })).toBe('connected');
    release();
    expect(new Set(await Promise.all(asking)).size).toBe(12);
  });

  test('is renewed by another process when the first one was killed, once the lease is over', async () => {
    const connection = await endedConnection();
    const lease = (seconds: number) =>
      sql`update connections set refreshing_until = now() + make_interval(secs => ${seconds})
        where user_id = ${connection.user_id}`.execute(app.db);
    await lease(60);
    const asking = getValidToken(scopeIn(app), connection);
    await lease(-1);
    expect(await asking).toMatch(/^access-/);
    expect(provider.tokenRequests).toHaveLength(1);
  });

  test('is given back when the connection has ended meanwhile, and not used when it was made anew', async () => {
    const connection = await endedConnection();
    let release = provider.pauseTokenRequests();
    let asking = getValidToken(scopeIn(app), connection);
    await expect.poll(() => provider.tokenRequests.length, { interval: 5 }).toBe(1);
    await team.api('DELETE', `/v2/user/${connection.user_id}/oura`);
    release();
    expect(await asking).toBeNull();
    await app.runJobs();
    expect(provider.revoked.toSorted()).toEqual(['access-old', expect.stringMatching(/^access-\d+$/)].toSorted());
    const other = await endedConnection();
    release = provider.pauseTokenRequests();
    asking = getValidToken(scopeIn(app), other);
    await expect.poll(() => provider.tokenRequests.length, { interval: 5 }).toBe(2);
    await importConnection(team, other.user_id, { access_token: 'access-anew' });
    release();
    expect(await asking).toBe('access-anew');
  });

  test('is null when the provider refuses to renew it: the connection fails and publishes an event', async () => {
    const connection = await endedConnection();
    provider.revokeAll();
    expect(await getValidToken(scopeIn(app), connection)).toBeNull();
    expect(await statusOf(connection)).toBe('error');
    const events = (await publishedTo(app, team)).map(
      ({ body }) => JSON.parse(body) as { event_type: string; data: object },
    );
    expect(events.at(-1)).toMatchObject({
      event_type: 'provider.connection.error',
      data: { error_type: 'token_refresh_failed', error_details: 'invalid_grant' },
    });
    expect(await getValidToken(scopeIn(app), connection)).toBeNull();
    expect(provider.tokenRequests).toHaveLength(1);
  });

  test.each([
    ['is overloaded', { status: 503, body: '' }],
    ['asks to wait', { status: 429, body: '{}' }],
    ['answers no JSON', { status: 200, body: 'well' }],
    ['hangs up', 'hang up'],
  ] as const)('is asked for again later when the provider %s', async (_, failure) => {
    const connection = await endedConnection();
    provider.fail(failure);
    await expect(getValidToken(scopeIn(app), connection)).rejects.toThrow(ProviderUnavailable);
    expect(await statusOf(connection)).toBe('connected');
    expect(await getValidToken(scopeIn(app), connection)).toMatch(/^access-/);
  });

  test.each([
    ['names it', { status: 400, body: '{"error": "invalid_client"}' }],
    ['answers only 401', { status: 401, body: 'Bad client secret' }],
  ])('is asked for again when the provider refuses the application and %s: no user is to blame', async (_, refusal) => {
    const connection = await endedConnection();
    provider.fail(refusal);
    await expect(getValidToken(scopeIn(app), connection)).rejects.toMatchObject({ code: 'client_refused' });
    expect(await statusOf(connection)).toBe('connected');
    expect(await getValidToken(scopeIn(app), connection)).toMatch(/^access-/);
  });

  test('is null while the connection is paused or its user is scheduled for deletion', async () => {
    const connection = await endedConnection();
    await team.api('POST', '/v2/link/bulk_pause', { provider: 'oura', user_ids: [connection.user_id] });
    expect(await getValidToken(scopeIn(app), connection)).toBeNull();
    const other = await endedConnection();
    await team.api('DELETE', `/v2/user/${other.user_id}`);
    expect(await getValidToken(scopeIn(app), other)).toBeNull();
    expect(provider.tokenRequests).toEqual([]);
  });

  test('is null for another team', async () => {
    const connection = await endedConnection();
    const other = await app.makeTeam();
    const otherTeamCtx = forTeam(app.ctx, { id: other.id, org_id: other.org_id, settings: {} });
    expect(await getValidToken(otherTeamCtx, connection)).toBeNull();
  });
});

describe('the provider is notified about a connection that ended', () => {
  // Runs the revocations that earlier tests queued, so that each test counts only its own.
  beforeEach(async () => {
    await app.runJobs();
    provider.revoked.length = 0;
  });

  const waiting = async (): Promise<number> =>
    (await sql`select from token_revocations where team_id = ${team.id}`.execute(app.db)).rows.length;

  test('by DELETE, with the token that it revokes by', async () => {
    const { user_id } = await makeUser(team);
    const tokens = { access_token: 'access-1', refresh_token: 'refresh-1', provider_id: user_id };
    for (const slug of ['oura', 'strava', 'google_health']) {
      await importConnection(team, user_id, tokens, slug);
      await team.api('DELETE', `/v2/user/${user_id}/${slug}`);
    }
    expect(provider.revoked).toEqual([]);
    await app.runJobs();
    expect(provider.revoked.toSorted()).toEqual(['access-1', 'access-1', 'refresh-1']);
    expect(await waiting()).toBe(0);
  });

  test('by the erasure of its user, whose data is gone by then', async () => {
    const { user_id } = await makeUser(team);
    await importConnection(team, user_id, { access_token: 'access-of-erased', provider_id: user_id });
    await team.api('DELETE', `/v2/user/${user_id}`);
    await sql`update users set deleted_at = now() - interval '8 days' where id = ${user_id}`.execute(app.db);
    await eraseUsers(app.ctx);
    const { rows } = await sql<{ row: string }>`
      select to_jsonb(t)::text as row from token_revocations t where team_id = ${team.id}`.execute(app.db);
    expect(rows).toHaveLength(1);
    expect(rows[0]?.row).not.toContain(user_id);
    await app.runJobs();
    expect(provider.revoked).toEqual(['access-of-erased']);
  });

  test('by the erasure of its team', async () => {
    const { user_id } = await makeUser(team);
    await importConnection(team, user_id, { access_token: 'access-of-team', provider_id: user_id });
    await team.api('DELETE', `/v1/org/${team.org_id}/team/${team.id}`);
    await app.runJobs();
    expect(provider.revoked).toEqual(['access-of-team']);
    expect(await waiting()).toBe(0);
  });

  test('again later when it does not answer, but not for ever', async () => {
    const { user_id } = await makeUser(team);
    await importConnection(team, user_id, { provider_id: user_id }, 'oura');
    await team.api('DELETE', `/v2/user/${user_id}/oura`);
    provider.failRevocations(true);
    for (let run = 1; run <= 5; run += 1) {
      await app.runJobs();
      expect([run, await waiting()]).toEqual([run, run < 5 ? 1 : 0]);
      await query(app.databaseUrl, `update graphile_worker._private_jobs set run_at = now()`);
    }
    provider.failRevocations(false);
    expect(provider.revoked).toEqual([]);
  });

  test('only when no team has another connection to the account, which would end too', async () => {
    const provider_id = randomUUID();
    const other = await app.makeTeam();
    const people = [
      { of: team, user_id: (await makeUser(team)).user_id, access_token: 'access-first' },
      { of: team, user_id: (await makeUser(team)).user_id, access_token: 'access-second' },
      { of: other, user_id: (await makeUser(other)).user_id, access_token: 'access-last' },
    ];
    for (const { of, user_id, access_token } of people)
      await importConnection(of, user_id, { access_token, provider_id }, 'oura');
    await sql`update connections set account_proven = true where user_id = ${people[2]?.user_id}`.execute(app.db);
    for (const [n, { of, user_id }] of people.entries()) {
      await of.api('DELETE', `/v2/user/${user_id}/oura`);
      await app.runJobs();
      expect(provider.revoked).toEqual(n < 2 ? [] : ['access-last']);
    }
  });

  test('also when another team has stated the same account without proof from the provider', async () => {
    const provider_id = randomUUID();
    const { user_id } = await makeUser(team);
    await importConnection(team, user_id, { access_token: 'access-of-the-user', provider_id }, 'oura');
    const other = await app.makeTeam();
    await importConnection(other, (await makeUser(other)).user_id, { access_token: 'invented', provider_id }, 'oura');
    await team.api('DELETE', `/v2/user/${user_id}/oura`);
    await app.runJobs();
    expect(provider.revoked).toEqual(['access-of-the-user']);
  });

  test('also when two connections to one account end before either notification', async () => {
    const provider_id = randomUUID();
    for (const access_token of ['access-1', 'access-2']) {
      const { user_id } = await makeUser(team);
      await importConnection(team, user_id, { access_token, provider_id }, 'oura');
    }
    const { body } = await team.api<{ users: { user_id: string }[] }>('GET', '/v2/user');
    for (const { user_id } of body.users) await team.api('DELETE', `/v2/user/${user_id}/oura`);
    await app.runJobs();
    expect(provider.revoked.toSorted()).toEqual(['access-1', 'access-2']);
  });
});
