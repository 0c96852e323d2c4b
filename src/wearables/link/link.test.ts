import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type Answer, type TestApp } from '../../../test/test-app.ts';
import { linkTokenOf, makeUser } from '../../../test/factories.ts';
import { problemsOf } from '../../../test/people.ts';
import { startProvider, type Provider } from '../../../test/provider.ts';
import { PROVIDER_SLUGS } from '../providers/provider-catalogue.ts';

type Output = { code: string; detail: string };
type Source = { id: number; slug: string; oauth_url: string | null; demo: boolean };

let provider: Provider;
let app: TestApp;
let userId: string;
beforeAll(async () => {
  provider = await startProvider();
  app = await startTestApp({
    ...provider.env('oura'),
    ...provider.env('strava'),
    PHIAL_BASE_URL: 'https://phial.example.com',
  });
  userId = (await makeUser(app.team)).user_id;
});
afterAll(async () => {
  await app.close();
  await provider.close();
});

const said = ({ status, body }: Answer<Output>): [number, string] => [status, body.code];
/** Sends requests like a browser with a link token. */
const asUser = <T = Output>(method: string, path: string, token: string, body?: object): Promise<Answer<T>> =>
  app.api<T>(method, path, body, { key: null, headers: { 'x-service-link-token': token } });
const redirectUrls = (): string => `/v1/org/${app.team.org_id}/team/${app.team.id}/link_redirect_urls`;
const create = (body: object): Promise<Answer<Output>> => app.api<Output>('POST', '/v2/link/token', body);

describe('a link token', () => {
  test('comes with the page for the user, and is stored as a hash', async () => {
    const { link_token, link_web_url } = await linkTokenOf(app.team, userId);
    expect(link_token).toMatch(/^lt_[0-9A-Za-z]{43}$/);
    expect(link_web_url).toBe(`https://phial.example.com/link?token=${link_token}`);
    const { rows } = await sql<{ row: string }>`select to_jsonb(t)::text as row from link_tokens t`.execute(app.db);
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.filter(({ row }) => row.includes(link_token))).toEqual([]);
  });

  test('accepts in a sandbox any https or loopback address, and others once the team lists them', async () => {
    const inLan = 'http://192.0.2.7/connected';
    for (const redirect_url of [
      'https://app.example.com/connected?a=b',
      'http://localhost:3000/connected',
      'http://app.localhost/connected',
      'http://127.0.0.1:5173/',
      'http://[::1]:3000/',
    ])
      expect([redirect_url, (await create({ user_id: userId, redirect_url })).status]).toEqual([redirect_url, 200]);
    for (const redirect_url of [inLan, 'http://localhost.example.com/', 'http://127.0.0.1.example.com/']) {
      const { status, body } = await create({ user_id: userId, redirect_url });
      expect([status, body.code, body.detail]).toEqual([
        400,
        'redirect_url_refused',
        expect.stringContaining('/link_redirect_urls'),
      ]);
    }
    await app.api('PUT', redirectUrls(), { urls: [inLan] });
    expect((await create({ user_id: userId, redirect_url: inLan })).status).toBe(200);
    await app.api('PUT', redirectUrls(), { urls: [] });
    expect(said(await create({ user_id: userId, redirect_url: inLan }))).toEqual([400, 'redirect_url_refused']);
  });

  test('accepts no address, and no team list, with a host that could end a directive of a page', async () => {
    const refused = [
      'https://a;b.example.com/',
      'https://a,b.example.com/',
      'https://a%3Bb.example.com/',
      'https://*.example.com/',
    ];
    for (const redirect_url of refused)
      expect(problemsOf(await create({ user_id: userId, redirect_url }))).toEqual(['body.redirect_url url_parsing']);
    expect(problemsOf(await app.api('PUT', redirectUrls(), { urls: refused }))).toEqual(
      refused.map((_, at) => `body.urls.${at} url_parsing`),
    );
  });

  test('accepts in production only listed addresses, letter by letter, and the refusal says how to list', async () => {
    const production = await startTestApp({ PHIAL_ENVIRONMENT: 'production' });
    const { team } = production;
    const listed = 'https://app.example.com/connected';
    const { user_id } = await makeUser(team);
    const ask = (redirect_url: string) => team.api<Output>('POST', '/v2/link/token', { user_id, redirect_url });
    const { status, body } = await ask(listed);
    expect([status, body.code]).toEqual([400, 'redirect_url_refused']);
    const [, method, path, sent] = /(PUT) (\S+) with (\{.*\}) and/.exec(body.detail) as unknown as string[];
    const at = (path as string).replace('{org_id}', team.org_id).replace('{team_id}', team.id);
    const urls = (JSON.parse(sent as string) as { urls: string[] }).urls.map(() => listed);
    const put = await team.api<{ urls: string[] }>(method as string, at, { urls: [...urls, listed] });
    expect(put.body.urls).toEqual([listed]);
    expect((await team.api<{ urls: string[] }>('GET', at)).body.urls).toEqual([listed]);
    expect((await ask(listed)).status).toBe(200);
    for (const other of [
      `${listed}/`,
      `${listed}?a=b`,
      'https://app.example.com.evil.example/connected',
      'http://localhost/',
    ])
      expect(said(await ask(other))).toEqual([400, 'redirect_url_refused']);
    await production.close();
  });

  test('listing redirect addresses leaves the other settings of the team unchanged', async () => {
    await sql`update teams set settings = settings || '{"minor_ordering_enabled": true}'
      where id = ${app.team.id}`.execute(app.db);
    await app.api('PUT', redirectUrls(), { urls: ['https://app.example.com/a'] });
    const { rows } = await sql<{ settings: object }>`select settings from teams where id = ${app.team.id}`.execute(
      app.db,
    );
    expect(rows[0]?.settings).toMatchObject({
      minor_ordering_enabled: true,
      link_redirect_urls: ['https://app.example.com/a'],
    });
  });

  test('is refused for a provider that cannot be connected here, and for an invalid value or address', async () => {
    const production = await startTestApp({ PHIAL_ENVIRONMENT: 'production' });
    const { user_id } = await makeUser(production.team);
    for (const slug of ['withings', 'zwift'])
      expect(said(await production.api<Output>('POST', '/v2/link/token', { user_id, provider: slug }))).toEqual([
        400,
        'provider_not_connectable',
      ]);
    await production.close();
    const wrong = { user_id: userId, provider: 'nobody', redirect_url: 'javascript:alert(1)', on_error: 'ignore' };
    expect(problemsOf(await create({ ...wrong, filter_on_providers: [] }))).toEqual([
      'body.filter_on_providers too_short',
      'body.on_error enum',
      'body.provider enum',
      'body.redirect_url url_parsing',
    ]);
  });

  test('lists what its user can connect, by any header of its form', async () => {
    const { link_token } = await linkTokenOf(app.team, userId);
    const listed = await asUser<Source[]>('GET', '/v2/link/providers', link_token);
    const real = listed.body.filter(({ demo }) => !demo);
    expect(real.map(({ slug }) => slug)).toEqual(['oura', 'strava']);
    // A sandbox team also gets all other providers, with invented data.
    expect(listed.body.map(({ slug }) => slug).toSorted()).toEqual(PROVIDER_SLUGS.toSorted());
    expect(listed.body[0]).toEqual({
      id: 1,
      name: 'Oura',
      slug: 'oura',
      description: expect.any(String),
      logo: 'https://phial.example.com/logos/oura.svg',
      oauth_url: `https://phial.example.com/v2/link/oauth/oura/start?token=${link_token}`,
      auth_type: 'oauth',
      demo: false,
      form_components: {},
    });
    const headers = { 'x-acme-link-token': link_token };
    expect((await app.api('GET', '/v2/link/providers', undefined, { key: null, headers })).status).toBe(200);
    const both = { ...headers, 'x-service-link-token': (await linkTokenOf(app.team, userId)).link_token };
    const refused = await app.api<Output>('GET', '/v2/link/providers', undefined, { key: null, headers: both });
    expect(said(refused)).toEqual([401, 'invalid_api_key']);
  });

  test('allows only the providers that it names', async () => {
    const slugs = async (more: object): Promise<string[]> => {
      const { link_token } = await linkTokenOf(app.team, userId, { ...more });
      return (await asUser<Source[]>('GET', '/v2/link/providers', link_token)).body.map(({ slug }) => slug);
    };
    expect(await slugs({ provider: 'strava' })).toEqual(['strava']);
    expect(await slugs({ filter_on_providers: ['withings', 'oura'] })).toEqual(['oura', 'withings']);
    const { link_token } = await linkTokenOf(app.team, userId, { provider: 'strava' });
    expect(said(await asUser('GET', '/v2/link/provider/oauth/oura', link_token))).toEqual([
      400,
      'provider_not_connectable',
    ]);
    expect(said(await asUser('GET', '/v2/link/provider/oauth/nobody', link_token))).toEqual([404, 'not_found']);
  });

  test('shows a page with the choice, or with the reason why there is none', async () => {
    const pageOf = async (at: TestApp, more: object = {}): Promise<string> => {
      const { user_id } = await makeUser(at.team);
      const { link_token } = await linkTokenOf(at.team, user_id, { ...more });
      return (await at.api<string>('GET', `/link?token=${link_token}`, undefined, { key: null })).body;
    };
    expect(await pageOf(app)).toMatch(/Choose what you use\.[^]*oauth\/oura\/start[^]*This sandbox simulates these/);
    const none = { PHIAL_OURA_CLIENT_ID: '', PHIAL_OURA_CLIENT_SECRET: '', PHIAL_OURA_BASE_URL: '' };
    const sandbox = await startTestApp(none);
    const production = await startTestApp({ ...none, PHIAL_ENVIRONMENT: 'production' });
    const offered = await pageOf(sandbox);
    expect(offered).toContain('This sandbox simulates them');
    for (const slug of PROVIDER_SLUGS) expect(offered).toContain(`link/demo/${slug}?token=`);
    const page = await pageOf(production);
    expect(page).toContain('No device or app can be connected here yet.');
    expect(page).not.toMatch(/PHIAL_|sandbox/);
    await sandbox.close();
    await production.close();
  });

  test('returns the address that begins a connection', async () => {
    const { link_token } = await linkTokenOf(app.team, userId);
    const { body } = await asUser<Source>('GET', '/v2/link/provider/oauth/strava', link_token);
    expect(body).toMatchObject({ slug: 'strava', source_type: 'app', backfill_num_days: 14, is_active: true });
    const { pathname, search } = new URL(body.oauth_url as string);
    const left = await fetch(app.baseUrl + pathname + search, { redirect: 'manual' });
    expect(left.headers.get('location')).toMatch(new RegExp(`^${provider.baseUrl}/oauth/authorize\\?`));
  });

  test("that has expired, is unknown or is no link token is refused, and so is a team's key", async () => {
    const { link_token } = await linkTokenOf(app.team, (await makeUser(app.team)).user_id);
    const list = (token: string): Promise<Answer<Output>> => asUser('GET', '/v2/link/providers', token);
    expect((await list(link_token)).status).toBe(200);
    await sql`update link_tokens set expires_at = now()`.execute(app.db);
    for (const token of [link_token, `lt_${'0'.repeat(43)}`, 'x', `ut_${'0'.repeat(43)}`])
      expect(said(await list(token))).toEqual([401, 'invalid_api_key']);
    expect(said(await app.api<Output>('GET', '/v2/link/providers'))).toEqual([401, 'wrong_key_kind']);
    expect(said(await list(app.team.api_key))).toEqual([401, 'wrong_key_kind']);
  });

  test('is named in the audit log by its id', async () => {
    const { link_token } = await linkTokenOf(app.team, userId);
    const response = await asUser('GET', '/v2/link/providers', link_token);
    await app.flushAudit();
    const { rows } = await sql<{ actor: string; known: boolean }>`
      select actor, key_id in (select id from link_tokens where user_id = ${userId}) as known
        from audit_log where request_id = ${response.headers.get('x-request-id')}`.execute(app.db);
    expect(rows).toEqual([{ actor: 'link_token', known: true }]);
  });
});

describe('passwords and e-mail addresses', () => {
  const password = { username: 'ada', password: 'correct horse battery staple' };

  test('are accepted for no provider in production and not stored', async () => {
    const production = await startTestApp({ PHIAL_ENVIRONMENT: 'production' });
    const { user_id } = await makeUser(production.team);
    const { link_token } = await linkTokenOf(production.team, user_id);
    const attempts: [string, object][] = [
      ['password/zwift', password],
      ['password/oura', password],
      ['password/zwift/complete_mfa', { mfa_code: '123456' }],
      ['email/freestyle_libre', { email: 'ada@example.com', region: 'us' }],
    ];
    const headers = { 'x-service-link-token': link_token };
    for (const [path, body] of attempts) {
      const response = await production.api<Output>('POST', `/v2/link/provider/${path}`, body, {
        key: null,
        headers,
      });
      expect([path, ...said(response)]).toEqual([path, 400, 'connector_not_available']);
      expect(response.body.detail).not.toContain('horse');
    }
    await production.close();
  });

  test('are accepted only for a provider that uses them and that the link token allows', async () => {
    const { link_token } = await linkTokenOf(app.team, userId, { provider: 'peloton' });
    const send = async (path: string) => said(await asUser('POST', `/v2/link/provider/${path}`, link_token, password));
    expect(await send('password/nobody')).toEqual([404, 'not_found']);
    expect(await send('password/oura')).toEqual([400, 'connector_not_available']);
    expect(await send('password/zwift')).toEqual([400, 'provider_not_connectable']);
  });

  test('are reported as invalid without repeating them', async () => {
    const { link_token } = await linkTokenOf(app.team, userId);
    const response = await asUser('POST', '/v2/link/provider/password/zwift', link_token, {
      username: '',
      password: 'x'.repeat(257),
    });
    expect(problemsOf(response)).toEqual(['body.password string_too_long', 'body.username string_too_short']);
    expect(JSON.stringify(response.body)).not.toContain('xxx');
  });
});

describe('a link code', () => {
  type Code = { code: string; exchange_url: string; expires_at: string };
  const codeOf = async (query = ''): Promise<Code> =>
    (await app.api<Code>('POST', `/v2/link/code/create?user_id=${userId}${query}`)).body;
  const exchange = (code: string): Promise<Answer<Output & { user_id: string; sign_in_token: string }>> =>
    app.api('POST', `/v2/link/code/exchange?code=${code}`, undefined, { key: null });

  test("is exchanged once for a token of its user's phone", async () => {
    const { code, exchange_url, expires_at } = await codeOf();
    expect(code).toMatch(/^skus[0-9a-f]{32}$/);
    expect(exchange_url).toBe(`https://phial.example.com/v2/link/code/exchange?code=${code}`);
    expect(Date.parse(expires_at) - Date.now()).toBeLessThanOrEqual(1_800_000);
    const first = await exchange(code);
    expect(first.body).toEqual({ user_id: userId, sign_in_token: expect.stringMatching(/^ut_/) });
    expect(said(await exchange(code))).toEqual([400, 'link_code_invalid']);
  });

  test('gets the same refusal when expired, unknown, or of a user who is scheduled for deletion', async () => {
    const ended = await codeOf();
    await sql`update link_codes set expires_at = now()`.execute(app.db);
    const leaving = (await makeUser(app.team)).user_id;
    const { body } = await app.api<Code>('POST', `/v2/link/code/create?user_id=${leaving}`);
    await app.api('DELETE', `/v2/user/${leaving}`);
    for (const code of [ended.code, body.code, 'skus00000000', 'x'])
      expect(said(await exchange(code))).toEqual([400, 'link_code_invalid']);
  });

  test('lasts as long as requested, at most a day', async () => {
    const at = (hours: number): string => encodeURIComponent(new Date(Date.now() + hours * 3_600_000).toISOString());
    const { expires_at } = await codeOf(`&expires_at=${at(20)}`);
    expect(Date.parse(expires_at) - Date.now()).toBeGreaterThan(19 * 3_600_000);
    for (const hours of [-1, 25]) {
      // The expiry is checked before the user. So an unknown user gets the same error as an existing user.
      for (const user of [userId, randomUUID()]) {
        const response = await app.api<Output>('POST', `/v2/link/code/create?user_id=${user}&expires_at=${at(hours)}`);
        expect([hours, ...said(response)]).toEqual([hours, 422, 'link_expiry_refused']);
      }
    }
  });
});
