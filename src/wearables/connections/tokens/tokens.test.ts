import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../../../test/app.ts';
import { query } from '../../../../test/global-setup.ts';
import { importConnection, makeUser } from '../../../../test/factories.ts';
import { startProvider, type Provider } from '../../../../test/provider.ts';
import { publishedTo } from '../../../../test/publish.ts';
import type { TeamCtx } from '../../../context.ts';
import { eraseUsers } from '../../../../test/erase-users.ts';
import { forTeam } from '../../../tenancy/teams/scope.ts';
import { freshToken } from './fresh-token.ts';
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

/** A user whose access token has ended, with a refresh token that the provider knows. */
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
  test('is handed out as it is while it lasts', async () => {
    const { user_id } = await makeUser(team);
    await importConnection(team, user_id);
    expect(await freshToken(scopeIn(app), { user_id, provider: 'oura' })).toBe('access-token-of-the-user');
    expect(provider.tokenRequests).toEqual([]);
  });

  test('is renewed when it has ended, and both new tokens are kept', async () => {
    const place = await endedConnection();
    const token = await freshToken(scopeIn(app), place);
    expect(token).toMatch(/^access-\d+$/);
    expect(provider.tokenRequests).toMatchObject([
      { fields: { grant_type: 'refresh_token', client_secret: 'secret-of-oura' } },
    ]);
    expect(await exported()).toMatchObject([
      { access_token: token, refresh_token: expect.stringMatching(/^refresh-\d+$/) },
    ]);
    expect(await freshToken(scopeIn(app), place)).toBe(token);
    expect(provider.tokenRequests).toHaveLength(1);
  });

  test('is renewed when the provider refuses it although it should last, once', async () => {
    const place = await endedConnection();
    const token = (await freshToken(scopeIn(app), place)) as string;
    const newer = await freshToken(scopeIn(app), place, token);
    expect(newer).not.toBe(token);
    expect(await freshToken(scopeIn(app), place, token)).toBe(newer);
    expect(provider.tokenRequests).toHaveLength(2);
  });

  test('keeps the refresh token of a provider that does not rotate', async () => {
    provider.rotate(false);
    const place = await endedConnection();
    const token = (await freshToken(scopeIn(app), place)) as string;
    expect(await freshToken(scopeIn(app), place, token)).toMatch(/^access-/);
    const [first, next] = provider.tokenRequests.map(({ fields }) => fields['refresh_token']);
    expect(next).toBe(first);
  });

  test('is renewed once where many processes ask at once: the others wait and find it', async () => {
    const place = await endedConnection();
    const release = provider.hold();
    const before = provider.tokenRequests.length;
    const asking = [app, app, second, second].map((where) => freshToken(scopeIn(where), place));
    await expect.poll(() => provider.tokenRequests.length, { interval: 5 }).toBe(before + 1);
    release();
    const tokens = await Promise.all(asking);
    expect(new Set(tokens).size).toBe(1);
    expect(provider.tokenRequests).toHaveLength(1);
    expect(await statusOf(place)).toBe('connected');
  });

  test('is renewed for more connections at once than there are to the database, and others are answered meanwhile', async () => {
    const places = await Promise.all(Array.from({ length: 12 }, endedConnection));
    const release = provider.hold();
    const asking = places.map((place) => freshToken(scopeIn(app), place));
    await expect.poll(() => provider.tokenRequests.length, { interval: 5 }).toBe(12);
    expect(await statusOf(places[0] as { user_id: string })).toBe('connected');
    release();
    expect(new Set(await Promise.all(asking)).size).toBe(12);
  });

  test('is renewed by another where whoever renewed it was killed, once the lease is over', async () => {
    const place = await endedConnection();
    const lease = (seconds: number) =>
      sql`update connections set refreshing_until = now() + make_interval(secs => ${seconds}) where user_id = ${place.user_id}`.execute(
        app.db,
      );
    await lease(60);
    const asking = freshToken(scopeIn(app), place);
    await lease(-1);
    expect(await asking).toMatch(/^access-/);
    expect(provider.tokenRequests).toHaveLength(1);
  });

  test('that comes after the connection has ended is given back, and one after it was made anew is not used', async () => {
    const place = await endedConnection();
    let release = provider.hold();
    let asking = freshToken(scopeIn(app), place);
    await expect.poll(() => provider.tokenRequests.length, { interval: 5 }).toBe(1);
    await team.api('DELETE', `/v2/user/${place.user_id}/oura`);
    release();
    expect(await asking).toBeNull();
    await app.runJobs();
    expect(provider.revoked.toSorted()).toEqual(['access-old', expect.stringMatching(/^access-\d+$/)].toSorted());
    const other = await endedConnection();
    release = provider.hold();
    asking = freshToken(scopeIn(app), other);
    await expect.poll(() => provider.tokenRequests.length, { interval: 5 }).toBe(2);
    await importConnection(team, other.user_id, { access_token: 'access-anew' });
    release();
    expect(await asking).toBe('access-anew');
  });

  test('is none where the provider refuses to renew it: the connection is in error, and that is told', async () => {
    const place = await endedConnection();
    provider.revokeAll();
    expect(await freshToken(scopeIn(app), place)).toBeNull();
    expect(await statusOf(place)).toBe('error');
    const events = (await publishedTo(app, team)).map(
      ({ body }) => JSON.parse(body) as { event_type: string; data: object },
    );
    expect(events.at(-1)).toMatchObject({
      event_type: 'provider.connection.error',
      data: { error_type: 'token_refresh_failed', error_details: 'invalid_grant' },
    });
    expect(await freshToken(scopeIn(app), place)).toBeNull();
    expect(provider.tokenRequests).toHaveLength(1);
  });

  test.each([
    ['is overloaded', { status: 503, body: '' }],
    ['asks to wait', { status: 429, body: '{}' }],
    ['answers no JSON', { status: 200, body: 'well' }],
    ['hangs up', 'hang up'],
  ] as const)('is asked for again later where the provider %s', async (_, failure) => {
    const place = await endedConnection();
    provider.fail(failure);
    await expect(freshToken(scopeIn(app), place)).rejects.toThrow(ProviderUnavailable);
    expect(await statusOf(place)).toBe('connected');
    expect(await freshToken(scopeIn(app), place)).toMatch(/^access-/);
  });

  test.each([
    ['names it', { status: 400, body: '{"error": "invalid_client"}' }],
    ['says no more than 401', { status: 401, body: 'Bad client secret' }],
  ])(
    'is asked for again where the provider refuses the application, and %s: no user is to blame',
    async (_, refusal) => {
      const place = await endedConnection();
      provider.fail(refusal);
      await expect(freshToken(scopeIn(app), place)).rejects.toMatchObject({ code: 'client_refused' });
      expect(await statusOf(place)).toBe('connected');
      expect(await freshToken(scopeIn(app), place)).toMatch(/^access-/);
    },
  );

  test('is none while the connection is paused or its user is leaving', async () => {
    const place = await endedConnection();
    await team.api('POST', '/v2/link/bulk_pause', { provider: 'oura', user_ids: [place.user_id] });
    expect(await freshToken(scopeIn(app), place)).toBeNull();
    const other = await endedConnection();
    await team.api('DELETE', `/v2/user/${other.user_id}`);
    expect(await freshToken(scopeIn(app), other)).toBeNull();
    expect(provider.tokenRequests).toEqual([]);
  });

  test('is none for another team', async () => {
    const place = await endedConnection();
    const other = await app.makeTeam();
    const stranger = forTeam(app.ctx, { id: other.id, org_id: other.org_id, settings: {} });
    expect(await freshToken(stranger, place)).toBeNull();
  });
});

describe('the provider is told of a connection that ended', () => {
  // What earlier tests have left to be told.
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

  test('by the erasure of its user, of whom nothing is left by then', async () => {
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

  test('again later where it does not answer, and not for ever', async () => {
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

  test('only when nobody else is connected to the same account, in whatever team: it would end theirs', async () => {
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

  test('also where another team says that it is connected to the account, which no provider has told', async () => {
    const provider_id = randomUUID();
    const { user_id } = await makeUser(team);
    await importConnection(team, user_id, { access_token: 'access-of-the-user', provider_id }, 'oura');
    const other = await app.makeTeam();
    await importConnection(other, (await makeUser(other)).user_id, { access_token: 'invented', provider_id }, 'oura');
    await team.api('DELETE', `/v2/user/${user_id}/oura`);
    await app.runJobs();
    expect(provider.revoked).toEqual(['access-of-the-user']);
  });

  test('also where two connections to one account end before either has been told of', async () => {
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
