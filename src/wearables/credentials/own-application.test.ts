import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../../test/test-app.ts';
import { eraseTeams } from '../../../test/erase-deleted-teams.ts';
import { importConnection, linkTokenOf, makeUser } from '../../../test/factories.ts';
import { startProvider, type Provider } from '../../../test/provider.ts';
import { teamCtx } from '../../../test/team-ctx.ts';
import { createTeam } from '../../tenancy/teams/create.ts';
import { createTeamKey } from '../../tenancy/keys/create-team-key.ts';
import { getValidToken } from '../connections/tokens/valid-token.ts';
import { dropExpired } from './erase.ts';

let provider: Provider;
let app: TestApp;
let team: Team;
beforeAll(async () => {
  provider = await startProvider();
  // This deployment has no application at Strava and WHOOP, only their addresses.
  app = await startTestApp({
    ...provider.env('oura'),
    ...provider.env('polar'),
    PHIAL_STRAVA_BASE_URL: provider.baseUrl,
    PHIAL_WHOOP_V2_BASE_URL: provider.baseUrl,
  });
});
beforeEach(async () => {
  team = await app.makeTeam();
  provider.tokenRequests.length = 0;
  provider.revoked.length = 0;
  provider.asked.length = 0;
  provider.user(randomUUID());
  provider.play(() => undefined);
});
afterAll(async () => {
  await app.close();
  await provider.close();
});

type ConnectionKey = { user_id: string; provider: string };

const pathOf = ({ org_id }: Team): string => `/v1/org/${org_id}/team_custom_credentials/sandbox/us`;
async function setOwn(of: Team, slug = 'oura', name = 'own-client', more: object = {}): Promise<string> {
  const [client_id, client_secret] = [`client-of-${slug}-${name}`, `secret of ${name}`];
  const body = { team_id: of.id, provider: slug, client_id, client_secret, ...more };
  return (await of.api<{ id: string }>('POST', pathOf(of), body)).body.id;
}
const remove = (of: Team, id: string) => of.api('DELETE', `${pathOf(of)}?credential_id=${id}`);
/** The application that sent each token request to the provider, in the order of the requests. */
const clients = (): (string | undefined)[] =>
  provider.tokenRequests.map(({ fields }) => fields['client_id']?.replace(/^client-of-\w+-/, ''));

type StartedOAuth = { sent: URL; browser: string };

async function leave(of: Team, user_id: string, slug = 'oura'): Promise<StartedOAuth> {
  const { link_token } = await linkTokenOf(of, user_id);
  const left = await fetch(`${app.baseUrl}/v2/link/oauth/${slug}/start?token=${link_token}`, { redirect: 'manual' });
  const [browser = ''] = (left.headers.get('set-cookie') ?? '').split(';');
  return { sent: new URL(left.headers.get('location') ?? 'about:blank'), browser };
}

/** The browser agrees at the provider's page and comes back, in some cases by the team's own address. */
async function comeBack({ sent, browser }: StartedOAuth, slug = 'oura'): Promise<void> {
  const agreed = await fetch(sent, { redirect: 'manual' });
  const { search } = new URL(agreed.headers.get('location') ?? '');
  const callback = `${app.baseUrl}/v2/link/oauth/${slug}/callback${search}`;
  await fetch(callback, { headers: { cookie: browser }, redirect: 'manual' });
}

async function connectAt(of: Team, slug = 'oura'): Promise<ConnectionKey> {
  const { user_id } = await makeUser(of);
  await comeBack(await leave(of, user_id, slug), slug);
  return { user_id, provider: slug };
}

async function renewed(of: Team, connection: ConnectionKey): Promise<string | null> {
  await sql`update connections set tokens_expire_at = now() where user_id = ${connection.user_id}`.execute(app.db);
  return getValidToken(await teamCtx(app.ctx, of.id), connection);
}
const disconnect = (of: Team, { user_id, provider: slug }: ConnectionKey) =>
  of.api('DELETE', `/v2/user/${user_id}/${slug}`);
const lastHour = () => sql`update team_credentials set retired_at = retired_at - interval '2 hours'`.execute(app.db);
const countCredentials = async (of: Team): Promise<number> =>
  (await sql`select from team_credentials where team_id = ${of.id}`.execute(app.db)).rows.length;

describe('a team with an application of its own', () => {
  test('connects, renews and disconnects by it, while another team uses that of the deployment', async () => {
    await setOwn(team);
    const other = await app.makeTeam();
    const { sent } = await leave(team, (await makeUser(team)).user_id);
    expect(sent.searchParams.get('client_id')).toBe('client-of-oura-own-client');

    const [own, others] = [await connectAt(team), await connectAt(other)];
    expect(clients()).toEqual(['own-client', 'client-of-oura']);
    expect(provider.tokenRequests[0]?.fields['client_secret']).toBe('secret of own-client');
    expect(await renewed(team, own)).toMatch(/^access-/);
    expect(await renewed(other, others)).toMatch(/^access-/);
    expect(clients().slice(2)).toEqual(['own-client', 'client-of-oura']);
    await disconnect(team, own);
    await app.runJobs();
    expect(provider.revoked).toHaveLength(1);
  });

  test('connects a provider where the deployment has no application, and pulls from it', async () => {
    const other = await app.makeTeam();
    await setOwn(team, 'strava');
    const connectable = async (of: Team): Promise<string[]> => {
      const { link_token } = await linkTokenOf(of, (await makeUser(of)).user_id);
      const headers = { 'x-service-link-token': link_token };
      const { body } = await of.api<{ slug: string; demo: boolean }[]>('GET', '/v2/link/providers', undefined, {
        key: null,
        headers,
      });
      return body.filter(({ demo }) => !demo).map(({ slug }) => slug);
    };
    expect(await connectable(team)).toContain('strava');
    expect(await connectable(other)).not.toContain('strava');
    expect((await linkTokenOf(team, (await makeUser(team)).user_id, { provider: 'strava' })).link_token).toBeTruthy();
    await connectAt(team, 'strava');
    provider.play(({ path }) => (path.endsWith('/athlete/activities') ? { json: [] } : undefined));
    await app.runJobs();
    expect(provider.asked.some(({ path }) => path.endsWith('/athlete/activities'))).toBe(true);
  });

  test('sends its secret in a header where the provider expects it there', async () => {
    await setOwn(team, 'polar');
    await connectAt(team, 'polar');
    const pair = ['client-of-polar-own-client', 'secret of own-client'].map(encodeURIComponent).join(':');
    expect(provider.tokenRequests[0]?.authorization).toBe(`Basic ${Buffer.from(pair).toString('base64')}`);
  });

  test('has users sent back to an address of its own, and requests the tokens with that address', async () => {
    const redirect_url_override = 'https://clinic.example.com/back';
    await setOwn(team, 'oura', 'own-client', { redirect_url_override });
    const { user_id } = await makeUser(team);
    const left = await leave(team, user_id);
    expect(left.sent.searchParams.get('redirect_uri')).toBe(redirect_url_override);
    // A user who is at the provider's page during the change still comes back to the old address.
    await setOwn(team, 'oura', 'own-client', { redirect_url_override: null });
    await comeBack(left);
    expect(provider.tokenRequests[0]?.fields['redirect_uri']).toBe(redirect_url_override);
    expect(await renewed(team, { user_id, provider: 'oura' })).toMatch(/^access-/);
  });

  test('imports tokens that were granted to it elsewhere', async () => {
    await setOwn(team);
    const { user_id } = await makeUser(team);
    await importConnection(team, user_id, { refresh_token: provider.issueRefreshToken() });
    expect(await renewed(team, { user_id, provider: 'oura' })).toMatch(/^access-/);
    expect(clients()).toEqual(['own-client']);
  });

  test('renews the token of an ended connection by it, in order to revoke it', async () => {
    await setOwn(team, 'whoop_v2');
    const connection = await connectAt(team, 'whoop_v2');
    provider.endAccessTokens();
    await disconnect(team, connection);
    await app.runJobs();
    expect(clients().filter((id) => id === 'own-client')).toHaveLength(2);
    expect(provider.revoked).toHaveLength(1);
  });

  test('does not wait when another application has made too many requests', async () => {
    await sql`insert into provider_waits (provider, polls_until, past_until, answered_to, answered_at, probe_at)
      values ('strava', now() + interval '1 hour', now() + interval '1 hour', ${app.team.id}, now(),
        now() + interval '1 hour')`.execute(app.db);
    try {
      await setOwn(team, 'strava');
      await connectAt(team, 'strava');
      const usage = { 'x-ratelimit-limit': '100,1000', 'x-ratelimit-usage': '100,1000' };
      provider.play(() => ({ json: [], headers: usage }));
      await app.runJobs();
      expect(provider.asked.length).toBeGreaterThan(0);
      const waits = await sql`select from team_provider_waits where team_id = ${team.id}`.execute(app.db);
      const shared = await sql`select from provider_waits where answered_to = ${team.id}`.execute(app.db);
      expect([waits.rows.length, shared.rows.length]).toEqual([1, 0]);
    } finally {
      await sql`delete from provider_waits`.execute(app.db);
    }
  });
});

describe('an application that is replaced or deleted', () => {
  test('renews and ends its connections, and makes no new ones', async () => {
    await setOwn(team);
    const before = await connectAt(team);
    await setOwn(team, 'oura', 'another-client');
    const between = await connectAt(team);
    await remove(team, await setOwn(team, 'oura', 'another-client'));
    const after = await connectAt(team);
    provider.tokenRequests.length = 0;
    for (const connection of [before, between, after]) expect(await renewed(team, connection)).toMatch(/^access-/);
    expect(clients()).toEqual(['own-client', 'another-client', 'client-of-oura']);
  });

  test('is erased an hour or more after nothing needs it', async () => {
    const id = await setOwn(team);
    const connection = await connectAt(team);
    await remove(team, id);
    await lastHour();
    await dropExpired(app.ctx);
    const across = { ...app.ctx, db: app.db };
    await dropExpired(across);
    expect(await countCredentials(team)).toBe(1);
    await disconnect(team, connection);
    await dropExpired(across);
    expect(await countCredentials(team)).toBe(1);
    await app.runJobs();
    await dropExpired(across);
    expect([await countCredentials(team), provider.revoked.length]).toEqual([0, 1]);
  });

  test('still serves a user who is at its page at that moment', async () => {
    const id = await setOwn(team);
    const { user_id } = await makeUser(team);
    const left = await leave(team, user_id);
    await remove(team, id);
    await lastHour();
    await dropExpired({ ...app.ctx, db: app.db });
    await comeBack(left);
    expect(clients()).toEqual(['own-client']);
    expect(await renewed(team, { user_id, provider: 'oura' })).toMatch(/^access-/);
  });

  test('has its former id when it is set again', async () => {
    const id = await setOwn(team);
    const connection = await connectAt(team);
    await setOwn(team, 'oura', 'another-client');
    expect(await setOwn(team)).toBe(id);
    expect(await renewed(team, connection)).toMatch(/^access-/);
    expect(await countCredentials(team)).toBe(2);
  });

  test('is one of ten at most', async () => {
    for (let n = 0; n <= 10; n += 1) await setOwn(team, 'oura', `client-${n}`);
    const body = { team_id: team.id, provider: 'oura', client_id: 'one-more', client_secret: 'secret' };
    const { status, body: refused } = await team.api<{ code: string }>('POST', pathOf(team), body);
    expect([status, refused.code]).toEqual([403, 'limit_reached']);
  });

  test('is erased with its team, and its provider is notified', async () => {
    await setOwn(team);
    await connectAt(team);
    await team.api('DELETE', `/v1/org/${team.org_id}/team/${team.id}`);
    await eraseTeams(app.ctx);
    expect([await countCredentials(team), provider.revoked.length]).toEqual([0, 1]);
  });
});

describe('an account at a provider', () => {
  test('stays connected while a team is connected to it by the same application, whichever team set it', async () => {
    const { id } = await createTeam(app.ctx, { org_id: team.org_id, name: 'Mesa Clinic' });
    const { value } = await createTeamKey(app.ctx, { team_id: id, label: 'Mesa' });
    const sibling: Team = {
      ...team,
      id,
      api: (method, path, body, more) =>
        team.api(method, path, body, { key: path.startsWith('/v1') ? undefined : value, ...more } as never),
    };
    for (const of of [team, sibling]) await setOwn(of);
    const [first, second] = [await connectAt(team), await connectAt(sibling)];
    await disconnect(team, first);
    await app.runJobs();
    expect(provider.revoked).toEqual([]);
    await disconnect(sibling, second);
    await app.runJobs();
    expect(provider.revoked).toHaveLength(1);
  });

  test('is revoked for one application although it is connected by another', async () => {
    const other = await app.makeTeam();
    await setOwn(team);
    const [own] = [await connectAt(team), await connectAt(other)];
    await disconnect(team, own);
    await app.runJobs();
    expect(provider.revoked).toHaveLength(1);
  });

  test('is revoked for the former application when a user connects again by another', async () => {
    const connection = await connectAt(team);
    await setOwn(team);
    await comeBack(await leave(team, connection.user_id));
    await app.runJobs();
    expect(provider.revoked).toHaveLength(1);
    expect(await renewed(team, connection)).toMatch(/^access-/);
    expect(clients()).toEqual(['client-of-oura', 'own-client', 'own-client']);
  });
});
