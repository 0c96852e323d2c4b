import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { startIssuer, type IssuerStandIn } from '../../../../test/openid-issuer.ts';
import { makeMember, type Member } from '../../../../test/people-of-orgs.ts';
import { openSession, useLink } from '../../../../test/signed-in.ts';
import { startTestApp, type Team, type TestApp } from '../../../../test/test-app.ts';
import { checksOfOrNull } from './browser-secret.ts';

let issuer: IssuerStandIn;
let app: TestApp;
let team: Team;
let grace: Member;
const log: string[] = [];
let number = 0;

/** A service that uses the issuer. Its public address is the one at which it listens. */
async function serviceWith(env: Record<string, string>): Promise<TestApp> {
  const started = await startTestApp(
    { PHIAL_LOG_LEVEL: 'trace', ...env },
    { logTo: (line) => log.push(line), ...(app ? { databaseUrl: app.databaseUrl } : {}) },
  );
  Object.assign(started.config, { baseUrl: started.baseUrl });
  return started;
}
beforeAll(async () => {
  issuer = await startIssuer();
  app = await serviceWith(issuer.env);
});
afterAll(async () => {
  await app.close();
  await issuer.close();
});
beforeEach(async () => {
  log.splice(0);
  team = await app.makeTeam('Desert Health');
  number += 1;
  grace = await makeMember(app, team, { name: 'Grace', email: `grace-${number}@example.com` });
  issuer.account = { sub: `account-${number}`, email: grace.email.toUpperCase(), email_verified: true };
});

const go = (url: string, cookies: Map<string, string> = new Map()): Promise<Response> =>
  fetch(url, {
    redirect: 'manual',
    headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
  });
const locationOf = (response: Response, from: string): string =>
  new URL(response.headers.get('location') ?? '', from).href;
const cookieOf = (response: Response, name: string): string | null =>
  new RegExp(`(?:^|, )${name}=([^;]*)`).exec(response.headers.get('set-cookie') ?? '')?.[1] ?? null;

/** Leaves for the issuer. Returns the address there, and the cookie of the browser. */
async function leave(on = app): Promise<{ url: string; cookie: string }> {
  const left = await go(`${on.baseUrl}/openid/start`);
  expect(left.status).toBe(302);
  return { url: left.headers.get('location') ?? '', cookie: cookieOf(left, 'phial_openid') ?? '' };
}

/** Follows the issuer's redirects. Returns the address at which the browser returns. */
async function visit(url: string): Promise<string> {
  const cookies = new Map<string, string>();
  for (let at = url; ;) {
    if (at.includes('/openid/callback')) return at;
    const response = await go(at, cookies);
    for (const set of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      cookies.set(name, value);
    }
    expect([at, response.status]).toEqual([at, expect.toSatisfy((status: number) => [302, 303].includes(status))]);
    at = locationOf(response, at);
  }
}

const comeBack = (url: string, cookie: string | null): Promise<Response> =>
  go(url, new Map(cookie === null ? [] : [['phial_openid', cookie]]));

async function signIn(on = app): Promise<Response> {
  const { url, cookie } = await leave(on);
  return comeBack(await visit(url), cookie);
}

const problem = (response: Response): [number, string | null, string | null] => [
  response.status,
  response.headers.get('location'),
  response.headers.get('set-cookie'),
];
const refused = (code: string): [number, string, null] => [302, `/dashboard/sign-in?problem=${code}`, null];
const sessions = async (): Promise<number> =>
  (await sql`select from sessions where org_id = ${team.org_id}`.execute(app.db)).rows.length;

describe('an account at the issuer', () => {
  test('signs in the member with its verified address', async () => {
    const done = await signIn();
    expect([done.status, done.headers.get('location')]).toEqual([302, '/dashboard']);
    expect(done.headers.get('set-cookie')).toMatch(
      /^phial_session=ss_\w{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Lax$/,
    );
    const { shown } = await openSession(app, cookieOf(done, 'phial_session') ?? '');
    expect([shown.person.member_id, shown.org.id]).toEqual([grace.id, team.org_id]);
    await app.flushAudit();
    const line = await app.db
      .selectFrom('audit_log')
      .select(['actor', 'action', 'key_id', 'records'])
      .where('request_id', '=', done.headers.get('x-request-id'))
      .executeTakeFirst();
    expect(line).toEqual({
      actor: 'session',
      action: 'finish_openid',
      key_id: shown.session.id,
      records: [grace.id],
    });
    expect(log.filter((text) => text.toLowerCase().includes(grace.email))).toEqual([]);
  });

  test('is sent for with PKCE, state and nonce, and a cookie for ten minutes', async () => {
    const left = await go(`${app.baseUrl}/openid/start`);
    const { searchParams: asked, origin } = new URL(left.headers.get('location') ?? '');
    expect([origin, Object.fromEntries(asked)]).toEqual([
      issuer.url,
      {
        client_id: 'phial',
        response_type: 'code',
        redirect_uri: `${app.baseUrl}/openid/callback`,
        scope: 'openid email',
        state: expect.stringMatching(/^[\w-]{43}$/),
        nonce: expect.stringMatching(/^[\w-]{43}$/),
        code_challenge: expect.stringMatching(/^[\w-]{43}$/),
        code_challenge_method: 'S256',
      },
    ]);
    expect(left.headers.get('set-cookie')).toMatch(
      /^phial_openid=[\w-]{43}\.\d+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax$/,
    );
    const again = await leave();
    expect(new URL(again.url).searchParams.get('state')).not.toBe(asked.get('state'));
  });

  test.each([
    ['of nobody', { email: 'nobody@example.com', email_verified: true }, 'no_member'],
    ['of an address that no mail server accepts', { email: `${'x'.repeat(300)}@example.com` }, 'no_member'],
    ['whose address is not verified', { email_verified: false }, 'email_not_verified'],
    ['without a word about that', { email_verified: undefined }, 'email_not_verified'],
    ['without an address', { email: undefined, email_verified: true }, 'email_not_verified'],
  ])('%s signs in nobody', async (_, claims, code) => {
    issuer.account = { ...issuer.account, ...claims } as IssuerStandIn['account'];
    const count = async () => (await sql`select from org_members`.execute(app.db)).rows.length;
    const before = await count();
    expect(problem(await signIn())).toEqual(refused(code));
    expect([await count(), await sessions()]).toEqual([before, 0]);
  });

  test('whose address looks like that of a member signs in nobody', async () => {
    await makeMember(app, team, { name: 'Kate', email: `kate-${number}@example.com` });
    const kelvin = '\u212A';
    issuer.account = { sub: 'look-alike', email: `${kelvin}ate-${number}@example.com`, email_verified: true };
    expect(problem(await signIn())).toEqual(refused('no_member'));
    expect(await sessions()).toBe(0);
  });

  test('of a removed member signs in nobody', async () => {
    await team.api('DELETE', `/v1/org/${team.org_id}/member/${grace.id}`);
    expect(problem(await signIn())).toEqual(refused('no_member'));
  });

  test('of a member of several organisations shows a link for each, which works once', async () => {
    const other = await app.makeTeam('Mesa <Labs>');
    await makeMember(app, other, { name: 'Grace', email: grace.email });
    const page = await signIn();
    const text = await page.text();
    expect([page.status, page.headers.get('set-cookie')]).toEqual([200, null]);
    expect(text).toContain('>Mesa &lt;Labs&gt;</a>');
    const orgs: string[] = [];
    for (const [, link = ''] of text.matchAll(/href="([^"]+)"/g)) {
      const { shown } = await openSession(app, (await useLink(app, link)) as string);
      orgs.push(shown.org.id);
      expect(await useLink(app, link)).toBeNull();
    }
    expect(orgs.toSorted()).toEqual([team.org_id, other.org_id].toSorted());
  });

  test('that refuses leads back to the page for signing in', async () => {
    issuer.account = null;
    expect(problem(await signIn())).toEqual(refused('openid_refused'));
  });
});

describe('the return from the issuer', () => {
  test('is refused without the cookie, with the cookie of another browser, and with a changed one', async () => {
    const [one, other] = [await leave(), await leave()];
    const back = await visit(one.url);
    const [secret = '', expires = ''] = one.cookie.split('.');
    for (const cookie of [null, other.cookie, 'nonsense', `${secret}.${Number(expires) + 1}`, `${secret}.1`]) {
      expect(problem(await comeBack(back, cookie))).toEqual(refused('openid_failed'));
    }
    expect(await sessions()).toBe(0);
    expect((await comeBack(back, one.cookie)).headers.get('location')).toBe('/dashboard');
  });

  test('behind HTTPS needs a cookie that no other host of the domain can set', async () => {
    const behind = await serviceWith(issuer.env);
    Object.assign(behind.config, { baseUrl: behind.baseUrl.replace('http:', 'https:') });
    try {
      const left = await go(`${behind.baseUrl}/openid/start`);
      expect(left.headers.get('set-cookie')).toMatch(/^__Host-phial_openid=[^;]+; Path=\/;.*; Secure$/);
      const cookie = cookieOf(left, '__Host-phial_openid') ?? '';
      const back = (await visit(left.headers.get('location') ?? '')).replace('https:', 'http:');
      expect(problem(await comeBack(back, cookie))).toEqual(refused('openid_failed'));
      const done = await go(back, new Map([['__Host-phial_openid', cookie]]));
      expect([done.status, done.headers.get('location')]).toEqual([302, '/dashboard']);
      expect(done.headers.get('set-cookie')).toMatch(/^__Host-phial_session=/);
    } finally {
      await behind.close();
    }
  });

  test('is refused after ten minutes', async () => {
    const { cookie } = await leave();
    expect(checksOfOrNull(app.ctx, cookie)).not.toBeNull();
    const late = Date.now() + 600_000;
    const clock = vi.spyOn(Date, 'now').mockReturnValue(late);
    try {
      expect(checksOfOrNull(app.ctx, cookie)).toBeNull();
    } finally {
      clock.mockRestore();
    }
  });

  test('is refused with the code of another sign-in, a used code, and a state without a code', async () => {
    const [one, other] = [await leave(), await leave()];
    const [back, foreign] = [new URL(await visit(one.url)), new URL(await visit(other.url))];
    const mixed = new URL(back);
    mixed.searchParams.set('code', foreign.searchParams.get('code') ?? '');
    expect(problem(await comeBack(mixed.href, one.cookie))).toEqual(refused('openid_failed'));
    const empty = new URL(back);
    empty.searchParams.delete('code');
    expect(problem(await comeBack(empty.href, one.cookie))).toEqual(refused('openid_failed'));
    expect((await comeBack(back.href, one.cookie)).headers.get('location')).toBe('/dashboard');
    expect(problem(await comeBack(back.href, one.cookie))).toEqual(refused('openid_failed'));
    expect(log.filter((line) => line.includes(back.searchParams.get('code') ?? '-'))).toEqual([]);
  });

  test('is refused from another issuer, and leads to no address that the request names', async () => {
    const { url, cookie } = await leave();
    const back = new URL(await visit(url));
    back.searchParams.set('iss', 'https://other.example.com');
    back.searchParams.set('from', 'https://other.example.com');
    back.searchParams.set('redirect_uri', 'https://other.example.com');
    expect(problem(await comeBack(back.href, cookie))).toEqual(refused('openid_failed'));
  });
});

describe('an issuer', () => {
  test.each([
    [
      'tells the address at its own endpoint',
      { inIdToken: false },
      ['POST /token with authorization', 'GET /me with authorization'],
    ],
    ['takes the secret of the client in the body', { method: 'client_secret_post' as const }, ['POST /token']],
  ])('that %s signs in too', async (_, options, asked) => {
    const other = await startIssuer(options);
    other.account = issuer.account;
    const service = await serviceWith(other.env);
    try {
      expect((await signIn(service)).headers.get('location')).toBe('/dashboard');
      for (const request of asked) expect(other.requests).toContain(request);
    } finally {
      await service.close();
      await other.close();
    }
  });

  test('that does not answer is asked once in ten seconds, and the page for signing in says so', async () => {
    let asked = 0;
    const broken = createServer((_, response) => {
      asked += 1;
      setTimeout(() => response.writeHead(503).end(), 200);
    }).listen(0, '127.0.0.1');
    await once(broken, 'listening');
    const url = `http://127.0.0.1:${(broken.address() as AddressInfo).port}`;
    const service = await serviceWith({ ...issuer.env, PHIAL_OPENID_ISSUER: url });
    const start = async () => problem(await go(`${service.baseUrl}/openid/start`));
    const unavailable = refused('openid_unavailable');
    try {
      expect(await Promise.all([start(), start()])).toEqual([unavailable, unavailable]);
      expect([await start(), asked]).toEqual([unavailable, 1]);
      expect(log.filter((line) => line.includes('a sign-in by OpenID Connect failed'))).toHaveLength(3);
      const now = performance.now.bind(performance);
      vi.spyOn(performance, 'now').mockImplementation(() => now() + 10_000);
      expect([await start(), asked]).toEqual([unavailable, 2]);
    } finally {
      vi.restoreAllMocks();
      await service.close();
      broken.close();
    }
  });

  test('is asked for its endpoints and keys once, for all sign-ins', async () => {
    const service = await serviceWith(issuer.env);
    issuer.requests.splice(0);
    try {
      for (let n = 0; n < 2; n += 1) await signIn(service);
      const asked = (path: string) => issuer.requests.filter((request) => request === `GET ${path}`).length;
      expect([asked('/.well-known/openid-configuration'), asked('/jwks')]).toEqual([1, 1]);
    } finally {
      await service.close();
    }
  });

  test('is not offered unless it is configured', async () => {
    const ways = async (on: TestApp) =>
      (await on.api<{ openid: unknown }>('GET', '/v1/sign_in', undefined, { key: null })).body.openid;
    expect(await ways(app)).toEqual({ name: 'Desert Health', path: '/openid/start' });
    const without = await serviceWith({});
    try {
      expect(await ways(without)).toBeNull();
      for (const path of ['start', 'callback']) {
        expect(problem(await go(`${without.baseUrl}/openid/${path}`))).toEqual(refused('openid_unavailable'));
      }
    } finally {
      await without.close();
    }
  });
});
