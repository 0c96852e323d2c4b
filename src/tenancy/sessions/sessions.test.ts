import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { makeUser } from '../../../test/factories.ts';
import { makeMember, memberPath } from '../../../test/people-of-orgs.ts';
import {
  openSession,
  signIn,
  signInMember,
  signInOperator,
  useLink,
  type Shown,
  type SignedIn,
} from '../../../test/signed-in.ts';
import { startTestApp, type Answer, type Team, type TestApp } from '../../../test/test-app.ts';
import { dropExpired } from '../../jobs/retention.ts';
import { createTeam } from '../teams/create.ts';
import { createSignInLink } from './create-sign-in-link.ts';
import { operatorOf } from './person.ts';

type Refusal = { code: string; detail: string; session?: object };

let app: TestApp;
let second: TestApp;
let team: Team;
beforeAll(async () => {
  app = await startTestApp();
  second = await startTestApp({}, { databaseUrl: app.databaseUrl });
});
afterAll(async () => {
  await second.close();
  await app.close();
});
beforeEach(async () => {
  team = await app.makeTeam('Desert <b>Health');
});

const said = ({ status, body }: Answer<Refusal>): [number, string | undefined] => [status, body?.code];
const session = async (of: SignedIn, on = app): Promise<[number, string | undefined]> =>
  said(await on.api<Refusal>('GET', '/v1/session', undefined, { key: null, headers: cookie(of) }));
const cookie = ({ token }: { token: string }) => ({ cookie: `phial_session=${token}` });
const linkOf = async (seconds = 60): Promise<string> =>
  (await createSignInLink(app.ctx, operatorOf(team.org_id), seconds)).url;
const open = (url: string, options: RequestInit = {}): Promise<Response> =>
  fetch(app.baseUrl + new URL(url).pathname, { redirect: 'manual', ...options });
const form = (headers: Record<string, string> = {}): RequestInit => ({
  method: 'POST',
  body: new URLSearchParams(),
  headers,
});

describe('a one-time link', () => {
  test('changes nothing when opened, signs in once when sent, and is stored as a hash', async () => {
    const url = await linkOf();
    for (let n = 0; n < 2; n += 1) {
      const page = await open(url);
      expect([page.status, page.headers.get('cache-control')]).toEqual([200, 'no-store']);
      expect(await page.text()).toContain(
        'You sign in to Desert &lt;b&gt;Health as <strong>the operator</strong>. This link works once.',
      );
    }
    const { rows } = await sql`select from sessions where org_id = ${team.org_id}`.execute(app.db);
    expect(rows).toEqual([]);
    const sent = await open(url, form());
    expect([sent.status, sent.headers.get('location')]).toEqual([302, '/dashboard']);
    expect(sent.headers.get('set-cookie')).toMatch(
      /^phial_session=ss_[0-9A-Za-z]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Lax$/,
    );
    const [token = ''] = /ss_\w+/.exec(sent.headers.get('set-cookie') ?? '') ?? [];
    const stored = await sql<{ row: string }>`
      select s::text as row from sessions s union all select l::text from sign_in_links l`.execute(app.db);
    const secrets = [token, Buffer.from(token).toString('hex')];
    expect(stored.rows.some(({ row }) => secrets.some((secret) => row.includes(secret)))).toBe(false);
    for (const again of [await open(url), await open(url, form())]) {
      const page = await again.text();
      expect([again.status, page]).toEqual([403, expect.stringContaining('This link does not open')]);
      expect(page).toContain('<a href="/dashboard/sign-in?problem=link_ended">');
    }
  });

  test('signs in one of two who send it at once', async () => {
    const url = await linkOf();
    const statuses = await Promise.all([open(url, form()), open(url, form())]);
    expect(statuses.map(({ status }) => status).toSorted()).toEqual([302, 403]);
  });

  test('that is unknown, has expired or was sent by the form of another site is refused', async () => {
    const expired = await linkOf(-1);
    const foreign = await linkOf();
    const own = `${app.config.baseUrl}/sign-in/`;
    for (const url of [`${own}si_${'0'.repeat(43)}`, `${own}nonsense`, expired]) {
      expect([(await open(url)).status, (await open(url, form())).status]).toEqual([403, 403]);
    }
    for (const site of ['cross-site', 'same-site']) {
      expect((await open(foreign, form({ 'sec-fetch-site': site }))).status).toBe(403);
    }
    expect((await open(foreign, form({ 'sec-fetch-site': 'same-origin' }))).status).toBe(302);
  });

  test('sets a cookie for encrypted connections only where the address is https', async () => {
    const encrypted = await startTestApp(
      { PHIAL_BASE_URL: 'https://phial.example.com' },
      { databaseUrl: app.databaseUrl },
    );
    try {
      const sent = await fetch(encrypted.baseUrl + new URL(await linkOf()).pathname, { redirect: 'manual', ...form() });
      expect(sent.headers.get('set-cookie')).toMatch(/; HttpOnly; SameSite=Lax; Secure$/);
    } finally {
      await encrypted.close();
    }
  });

  test('writes an audit line with the session and the member', async () => {
    const member = await makeMember(app, team, { name: 'Grace', email: 'grace@example.com' });
    const { url } = await createSignInLink(
      app.ctx,
      { org_id: team.org_id, member_id: member.id, ehr_member_id: null },
      60,
    );
    expect(await (await open(url)).text()).toContain('as <strong>Grace</strong>');
    const sent = await open(url, form());
    const { shown } = await openSession(app, /ss_\w+/.exec(sent.headers.get('set-cookie') ?? '')?.[0] ?? '');
    const line = await app.db
      .selectFrom('audit_log')
      .select(['actor', 'action', 'key_id', 'person_id', 'org_id', 'records'])
      .where('request_id', '=', sent.headers.get('x-request-id'))
      .executeTakeFirst();
    expect(line).toEqual({
      actor: 'session',
      action: 'use_sign_in_link',
      key_id: shown.session.id,
      person_id: member.id,
      org_id: team.org_id,
      records: [member.id],
    });
  });
});

describe('a session', () => {
  test('shows the person, the organisation and the teams that the person manages now', async () => {
    const other = await createTeam(app.ctx, { org_id: team.org_id, name: 'Annex' });
    const operator = await signInOperator(app, team);
    const both = [
      { id: other.id, name: 'Annex' },
      { id: team.id, name: 'Desert <b>Health' },
    ];
    expect(operator.shown).toEqual({
      session: {
        id: expect.any(String),
        created_at: expect.any(String),
        expires_at: expect.any(String),
        csrf_token: expect.stringMatching(/^[\w-]{43}$/),
      },
      person: { kind: 'operator', member_id: null, name: 'Operator', email: null, role: 'org_admin' },
      org: { id: team.org_id, name: 'Desert <b>Health', plan: 'scale' },
      teams: both,
      has_more_teams: false,
      environment: 'sandbox',
      region: 'us',
    });
    const { created_at, expires_at } = operator.shown.session;
    expect(Date.parse(expires_at) - Date.parse(created_at)).toBe(43_200_000);

    const { member, ...grace } = await signInMember(app, team, { role: 'team_admin', teams: [other.id] });
    expect([grace.shown.person, grace.shown.teams]).toEqual([
      { kind: 'member', member_id: member.id, name: member.name, email: member.email, role: 'team_admin' },
      [{ id: other.id, name: 'Annex' }],
    ]);
    const patch = (body: object) => team.api('PATCH', memberPath(team, member.id), body);
    const now = async () => (await grace.api<Shown>('GET', '/v1/session')).body;
    await patch({ role: 'org_admin', team_role_bindings: null });
    expect([(await now()).person.role, (await now()).teams]).toEqual(['org_admin', both]);
    await patch({ role: 'no_role', team_role_bindings: null });
    expect([(await now()).person.role, (await now()).teams]).toEqual(['no_role', []]);
  });

  test('opens the service API for the team that it names, and the management API', async () => {
    const { user_id } = await makeUser(team);
    const { api, csrf } = await signInMember(app, team);
    const users = await api<{ users: { user_id: string }[] }>('GET', '/v2/user', undefined, { team: team.id });
    expect(users.body.users.map((user) => user.user_id)).toEqual([user_id]);
    const made = await api('POST', '/v2/user', { client_user_id: randomUUID() }, { team: team.id });
    expect(made.status).toBe(200);
    const renamed = await api('PATCH', `/v1/org/${team.org_id}/team/${team.id}`, { name: 'Renamed' });
    expect([renamed.status, csrf.length]).toEqual([200, 43]);
  });

  test('of a team_admin opens the own teams only, and of a member without a role none', async () => {
    const other = await createTeam(app.ctx, { org_id: team.org_id, name: 'Annex' });
    const [bound, none] = [
      await signInMember(app, team, { role: 'team_admin', teams: [other.id] }),
      await signInMember(app, team, { role: 'no_role' }),
    ];
    const users = (of: SignedIn, id: string) => of.api<Refusal>('GET', '/v2/user', undefined, { team: id });
    expect((await users(bound, other.id)).status).toBe(200);
    expect((await users(bound, other.id.toUpperCase())).status).toBe(200);
    expect(said(await users(bound, team.id))).toEqual([403, 'insufficient_scope']);
    const path = `/v1/org/${team.org_id}/team/${other.id}/sandbox/webhook`;
    expect((await bound.api('GET', path)).status).toBe(200);
    expect(said(await bound.api<Refusal>('GET', path.replace(other.id, team.id)))).toEqual([403, 'insufficient_scope']);
    expect(said(await bound.api<Refusal>('GET', `/v1/org/${team.org_id}/member`))).toEqual([403, 'insufficient_scope']);
    expect(said(await users(none, other.id))).toEqual([403, 'insufficient_scope']);
    expect(said(await none.api<Refusal>('GET', `/v1/org/${team.org_id}/team`))).toEqual([403, 'insufficient_scope']);
  });

  test('of a member needs the plan scale for the management API, but not for the team and not for itself', async () => {
    const [{ api }, operator] = [await signInMember(app, team), await signInOperator(app, team)];
    await app.db.updateTable('orgs').set({ plan: 'grow' }).where('id', '=', team.org_id).execute();
    await expect
      .poll(async () => said(await api<Refusal>('GET', `/v1/org/${team.org_id}`)))
      .toEqual([403, 'plan_required']);
    expect((await api<Shown>('GET', '/v1/session')).body.org.plan).toBe('grow');
    expect((await api('GET', '/v2/user', undefined, { team: team.id })).status).toBe(200);
    // The operator sets the plan, so no plan keeps the operator out.
    expect((await operator.api('GET', `/v1/org/${team.org_id}`)).status).toBe(200);
  });

  test('names its person as the creator of keys and invites, and can make no access token', async () => {
    const [ada, operator] = [await signInMember(app, team), await signInOperator(app, team)];
    const path = `/v1/org/${team.org_id}`;
    type Made = { creator: { type: string } };
    for (const [of, type] of [
      [ada, 'org_member'],
      [operator, 'service_staff'],
    ] as const) {
      const key = await of.api<Made>('POST', `${path}/management_key`, { label: 'made', role: 'org_admin' });
      expect([key.status, key.body.creator.type]).toEqual([200, type]);
      await of.api('POST', `${path}/invite`, { email: `${type}@example.com` });
      const { body } = await of.api<{ invites: Made[] }>('GET', `${path}/invite?search_query=${type}@example.com`);
      expect(body.invites.map(({ creator }) => creator.type)).toEqual([type]);
    }
    const token = await ada.api<Refusal>('POST', `${path}/team/${team.id}/create_api_access_token`, { env: 'sandbox' });
    expect(said(token)).toEqual([403, 'insufficient_scope']);
  });

  test('is ignored beside a key, and accepted beside basic authentication', async () => {
    const other = await app.makeTeam();
    const { user_id } = await makeUser(team);
    const { token } = await signInOperator(app, team);
    const headers = { ...cookie({ token }), 'x-phial-team': team.id };
    const beside = await other.api<{ users: object[] }>('GET', '/v2/user', undefined, { headers });
    expect([beside.status, beside.body.users]).toEqual([200, []]);
    const wrong = await app.api<Refusal>('GET', '/v2/user', undefined, { key: 'nonsense', headers });
    expect(said(wrong)).toEqual([401, 'invalid_api_key']);
    const manager = await other.api<Refusal>('GET', `/v1/org/${team.org_id}`, undefined, { headers });
    expect(said(manager)).toEqual([404, 'not_found']);
    const own = await app.api<Refusal>('GET', '/v1/session', undefined, { headers });
    expect(said(own)).toEqual([401, 'wrong_key_kind']);
    const bearer = { ...headers, authorization: `Bearer ${token}` };
    expect(said(await app.api<Refusal>('GET', '/v2/user', undefined, { key: null, headers: bearer }))).toEqual([
      401,
      'invalid_api_key',
    ]);
    const basic = { ...headers, authorization: 'Basic YWRhOmh1c2g=' };
    const found = await app.api<{ users: { user_id: string }[] }>('GET', '/v2/user', undefined, {
      key: null,
      headers: basic,
    });
    expect(found.body.users.map((user) => user.user_id)).toEqual([user_id]);
  });

  test('writes audit lines with the session and the member, also for a refused change', async () => {
    const ada = await signInMember(app, team);
    const made = await ada.api('POST', '/v2/user', { client_user_id: randomUUID() }, { team: team.id });
    const forged = await ada.api('POST', '/v2/user', {}, { team: team.id, csrf: 'forged' });
    await app.flushAudit();
    for (const [response, status] of [
      [made, 200],
      [forged, 403],
    ] as const) {
      const line = await app.db
        .selectFrom('audit_log')
        .select(['actor', 'key_id', 'person_id', 'org_id', 'status', 'records'])
        .where('request_id', '=', response.headers.get('x-request-id'))
        .executeTakeFirst();
      expect(line).toMatchObject({
        actor: 'session',
        key_id: ada.shown.session.id,
        person_id: ada.member.id,
        org_id: team.org_id,
        status,
      });
      expect(line?.records).toContain(ada.member.id);
    }
  });

  test('repeats the response of an idempotency key, and a secret to itself only', async () => {
    const [ada, grace] = [await signInMember(app, team), await signInMember(app, team)];
    const headers = { 'x-idempotency-key': randomUUID() };
    const body = { label: 'made', role: 'org_admin' };
    const make = (of: SignedIn) =>
      of.api<{ key: string; code?: string }>('POST', `/v1/org/${team.org_id}/management_key`, body, { headers });
    const [first, again, other] = [await make(ada), await make(ada), await make(grace)];
    expect(again.body.key).toBe(first.body.key);
    expect([other.status, other.body.code]).toEqual([409, 'idempotency_mismatch']);
  });

  test('has a rate limit of its own', async () => {
    const limited = await startTestApp(
      { PHIAL_RATE_LIMIT_PER_SECOND: '1', PHIAL_RATE_LIMIT_BURST: '3' },
      { databaseUrl: app.databaseUrl },
    );
    try {
      const [one, other] = [await signInOperator(app, team), await signInOperator(app, team)];
      const statuses: number[] = [];
      for (let n = 0; n < 6; n += 1) statuses.push((await session(one, limited))[0]);
      expect(statuses).toContain(429);
      expect((await session(other, limited))[0]).toBe(200);
    } finally {
      await limited.close();
    }
  });

  test('behind HTTPS has a cookie that no other host of the domain can set', async () => {
    const env = { PHIAL_BASE_URL: 'https://phial.example.com' };
    const behind = await startTestApp(env, { databaseUrl: app.databaseUrl });
    try {
      const { pathname } = new URL(await linkOf());
      const set = (await fetch(behind.baseUrl + pathname, { redirect: 'manual', ...form() })).headers.get('set-cookie');
      const [, token = ''] = /^__Host-phial_session=(ss_\w{43}); Path=\/;.*; Secure$/.exec(set ?? '') ?? [];
      const status = async (header: string): Promise<number> =>
        (await behind.api('GET', '/v1/session', undefined, { key: null, headers: { cookie: header } })).status;
      expect(await status(`phial_session=${token}`)).toBe(401);
      expect(await status(`phial_session=ss_forged; __Host-phial_session=${token}`)).toBe(200);
    } finally {
      await behind.close();
    }
  });
});

describe('a session ends', () => {
  test('with a sign-out, in every process, and others of the person stay', async () => {
    const [one, other] = [await signInMember(app, team), await signInOperator(app, team)];
    for (const on of [app, second]) expect((await session(one, on))[0]).toBe(200);
    const out = await one.api('DELETE', '/v1/session');
    expect([out.status, out.headers.get('set-cookie')]).toEqual([
      204,
      'phial_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax',
    ]);
    for (const on of [app, second]) expect(await session(one, on)).toEqual([401, 'invalid_session']);
    expect((await session(other))[0]).toBe(200);
  });

  test('with a sign-out everywhere, which ends all sessions of the person and of nobody else', async () => {
    const ada = await signInMember(app, team);
    const again = await signIn(app, { org_id: team.org_id, member_id: ada.member.id, ehr_member_id: null });
    const others = [
      await signInMember(app, team),
      await signInOperator(app, team),
      await signInOperator(app, app.team),
    ];
    expect((await again.api('DELETE', '/v1/session/all')).status).toBe(204);
    for (const of of [ada, again]) expect(await session(of, second)).toEqual([401, 'invalid_session']);
    for (const of of others) expect((await session(of))[0]).toBe(200);
    expect((await others[1]?.api('DELETE', '/v1/session/all'))?.status).toBe(204);
    expect(await Promise.all(others.map(async (of) => (await session(of))[0]))).toEqual([200, 401, 200]);
  });

  test('with a sign-out everywhere, which also ends the links of the person and of nobody else', async () => {
    const [ada, other] = [await signInMember(app, team), await signInMember(app, team)];
    const linkFor = async (id: string): Promise<string> =>
      (await createSignInLink(app.ctx, { org_id: team.org_id, member_id: id, ehr_member_id: null }, 60)).url;
    const [own, foreign] = [await linkFor(ada.member.id), await linkFor(other.member.id)];
    const [operators, elsewhere] = [
      await linkOf(),
      (await createSignInLink(app.ctx, operatorOf(app.team.org_id), 60)).url,
    ];
    expect((await ada.api('DELETE', '/v1/session/all')).status).toBe(204);
    expect(await useLink(app, own)).toBeNull();
    expect(await useLink(app, foreign)).not.toBeNull();
    const operator = await signInOperator(app, team);
    expect((await operator.api('DELETE', '/v1/session/all')).status).toBe(204);
    expect([await useLink(app, operators), await useLink(app, elsewhere)]).toEqual([null, expect.any(String)]);
  });

  test('when its member is removed, together with open links of the member', async () => {
    const ada = await signInMember(app, team);
    const person = { org_id: team.org_id, member_id: ada.member.id, ehr_member_id: null };
    const { url } = await createSignInLink(app.ctx, person, 60);
    for (const on of [app, second]) expect((await session(ada, on))[0]).toBe(200);
    await team.api('DELETE', memberPath(team, ada.member.id));
    for (const on of [app, second]) expect(await session(ada, on)).toEqual([401, 'invalid_session']);
    expect(await useLink(app, url)).toBeNull();
  });

  test('after twelve hours, and is then deleted', async () => {
    const ada = await signInOperator(app, team);
    await createSignInLink(app.ctx, operatorOf(team.org_id), -1);
    await sql`update sessions set expires_at = now() - interval '1 second' where id = ${ada.shown.session.id}`.execute(
      app.db,
    );
    await expect.poll(() => session(ada)).toEqual([401, 'invalid_session']);
    const left = async () =>
      (
        await sql`
          select from sessions where org_id = ${team.org_id}
          union all select from sign_in_links where org_id = ${team.org_id}`.execute(app.db)
      ).rows.length;
    expect(await left()).toBe(2);
    await dropExpired(app.ctx);
    expect(await left()).toBe(0);
  });

  test('when its person has signed in twenty times since', async () => {
    const first = await signInOperator(app, team);
    const other = await signInMember(app, team);
    for (let n = 0; n < 20; n += 1) await useLink(app, await linkOf());
    await expect.poll(() => session(first)).toEqual([401, 'invalid_session']);
    expect((await session(other))[0]).toBe(200);
  });
});

test('the database has at most twenty open links of a person', async () => {
  const [first] = [await linkOf()];
  for (let n = 0; n < 20; n += 1) await linkOf();
  expect(await useLink(app, first)).toBeNull();
});
