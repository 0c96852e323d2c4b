// The demos of a sandbox for providers without an application: the whole way of a user, by the API and by pages.
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type Answer, type TestApp } from '../../../../test/test-app.ts';
import { linkTokenOf, makeUser } from '../../../../test/factories.ts';
import { PROVIDER_SLUGS, PROVIDERS, type ProviderSlug } from '../../providers/provider-catalogue.ts';

type Result = {
  state: string;
  error_type: string | null;
  error: string | null;
  connected: boolean;
  redirect_url: string | null;
  provider_mfa: { method: string; hint: string } | null;
};

let app: TestApp;
let user_id: string;
/** No applications, as in a sandbox that has just been started. */
const FRESH = { PHIAL_OURA_CLIENT_ID: '', PHIAL_OURA_CLIENT_SECRET: '', PHIAL_OURA_BASE_URL: '' };
beforeAll(async () => {
  app = await startTestApp(FRESH);
});
beforeEach(async () => {
  ({ user_id } = await makeUser(app.team));
});
afterAll(() => app.close());

const link = async (more: object = {}): Promise<string> =>
  (await linkTokenOf(app.team, user_id, { ...more })).link_token;
const send = (token: string, path: string, body: object): Promise<Answer<Result>> =>
  app.api('POST', `/v2/link/provider/${path}`, body, { key: null, headers: { 'x-service-link-token': token } });
const outcome = ({ status, body }: Answer<Result>): unknown[] => [status, body.state, body.error_type, body.connected];
const connections = async (): Promise<{ slug: string; status: string; next: { action: string } }[]> =>
  (await app.api<{ providers: [] }>('GET', `/v2/user/providers/${user_id}`)).body.providers;
const password = (word: string): object => ({ username: 'ada', password: word });

describe('a password of a sandbox', () => {
  test.each([
    ['sandbox', 'success', null],
    ['sandbox-expired', 'error', 'provider_password_expired'],
    ['sandbox-unavailable', 'error', 'provider_api_error'],
    ['sandbox-region', 'error', 'unsupported_region'],
    ['anything else', 'error', 'provider_credential_error'],
    ['constructor', 'error', 'provider_credential_error'],
  ])('that is %s ends with %s %s', async (word, state, error) => {
    const answer = await send(await link(), 'password/zwift', password(word));
    expect(outcome(answer)).toEqual([200, state, error, state === 'success']);
    expect(typeof answer.body.error).toBe(error === null ? 'object' : 'string');
    expect(await connections()).toMatchObject(
      error === null ? [{ slug: 'zwift', status: 'connected', next: { action: 'historical_pull' } }] : [],
    );
  });

  test('connects once for a link token and brings invented data', async () => {
    const token = await link();
    await send(token, 'password/zwift', password('sandbox'));
    expect((await send(token, 'password/peloton', password('sandbox'))).status).toBe(401);
    await app.runJobs();
    const { body } = await app.api<{ workouts: { source: { provider: string } }[] }>(
      'GET',
      `/v2/summary/workouts/${user_id}?start_date=2026-01-01`,
    );
    expect(new Set(body.workouts.map(({ source }) => source.provider))).toEqual(new Set(['zwift']));
    expect(await connections()).toMatchObject([{ next: { action: 'poll' } }]);
  });

  test('can ask for a code that connects; a user can correct a wrong code, and starts again after three', async () => {
    const complete = (token: string, mfa_code: string): Promise<Answer<Result>> =>
      send(token, 'password/kardia/complete_mfa', { mfa_code });
    const token = await link();
    expect(outcome(await complete(token, '123456'))).toEqual([200, 'error', 'provider_credential_error', false]);
    const asked = await send(token, 'password/kardia', password('sandbox-mfa'));
    expect(asked.body).toMatchObject({ state: 'pending_provider_mfa', provider_mfa: { method: 'sms' } });
    for (const _ of [1, 2, 3])
      expect(outcome(await complete(token, '000000'))).toEqual([200, 'error', 'incorrect_mfa_code', false]);
    expect(outcome(await complete(token, '123456'))).toEqual([200, 'error', 'provider_credential_error', false]);
    await send(token, 'password/kardia', password('sandbox-mfa'));
    // A code for Zwift does not connect, because only Kardia asked for a code.
    expect((await send(token, 'password/zwift/complete_mfa', { mfa_code: '123456' })).body.connected).toBe(false);
    expect(outcome(await complete(token, '000000'))).toEqual([200, 'error', 'incorrect_mfa_code', false]);
    expect(outcome(await complete(token, '123456'))).toEqual([200, 'success', null, true]);
    expect(await connections()).toMatchObject([{ slug: 'kardia', status: 'connected' }]);
  });

  test('is stored nowhere in the database', async () => {
    await send(await link(), 'password/zwift', { username: 'ada-of-the-test', password: 'sandbox' });
    const { rows } = await sql`
      select from link_tokens t where to_jsonb(t)::text like '%ada-of-the-test%'
        or to_jsonb(t)::text like '%sandbox%'`.execute(app.db);
    expect(rows).toEqual([]);
  });
});

test.each([
  ['success@example.com', 'success', null],
  ['unavailable@example.com', 'error', 'provider_api_error'],
  ['ada@example.com', 'error', 'provider_credential_error'],
])('an e-mail address of a sandbox that is %s ends with %s %s', async (email, state, error) => {
  const answer = await send(await link(), 'email/freestyle_libre', { email, region: 'us' });
  expect(outcome(answer)).toEqual([200, state, error, state === 'success']);
});

describe('the pages of simulated providers', () => {
  const open = async (path: string, form?: Record<string, string>): Promise<{ to: URL | null; text: string }> => {
    const answer = await fetch(app.baseUrl + path, {
      redirect: 'manual',
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    });
    const to = answer.headers.get('location');
    return { to: to === null ? null : new URL(to), text: await answer.text() };
  };
  const signIn: Record<string, Record<string, string>> = {
    password: { username: 'ada', password: 'sandbox' },
    email: { email: 'success@example.com' },
  };

  test.each(PROVIDER_SLUGS)('connect %s', async (slug: ProviderSlug) => {
    const path = `/link/demo/${slug}?token=${await link()}&page=1`;
    const page = await open(path);
    expect(page.text).toContain('This sandbox simulates');
    const { to } = await open(path, signIn[PROVIDERS[slug].auth_type] ?? { answer: 'allow' });
    expect([to?.pathname, to?.search]).toEqual(['/link/done', '?state=success']);
    expect(await connections()).toMatchObject([{ slug, status: 'connected' }]);
    expect((await open(path)).text).toContain('This link was used already.');
  });

  test('let their form lead to the address of the link, but not to a host that could end the directive', async () => {
    const formAction = async (token: string): Promise<string | undefined> => {
      const { headers } = await fetch(`${app.baseUrl}/link/demo/oura?token=${token}&page=1`);
      return headers
        .get('content-security-policy')
        ?.split('; ')
        .find((directive) => directive.startsWith('form-action'));
    };
    const token = await link({ redirect_url: 'https://app.example.com:8443/done' });
    expect(await formAction(token)).toBe("form-action 'self' https://app.example.com:8443");
    // An older database may have such a row, from before such hosts were refused.
    await sql`
      update link_tokens set redirect_url = 'https://a;script-src,b.example.com/'
        where redirect_url like 'https://app%'`.execute(app.db);
    expect(await formAction(token)).toBe("form-action 'self'");
  });

  test('begin at the same address as a real connection', async () => {
    const token = await link();
    const { body } = await app.api<{ oauth_url: string; demo: boolean }>(
      'GET',
      '/v2/link/provider/oauth/oura',
      undefined,
      { key: null, headers: { 'x-service-link-token': token } },
    );
    expect(body.demo).toBe(true);
    const { pathname, search } = new URL(body.oauth_url);
    const { to } = await open(pathname + search);
    expect([to?.pathname, to?.search]).toEqual(['/link/demo/oura', `?token=${token}`]);
  });

  test('show errors that a user can correct, and connect nobody who refuses', async () => {
    const form = `/link/demo/zwift?token=${await link()}&page=1`;
    expect((await open(form, password('wrong') as Record<string, string>)).text).toContain('That was not right.');
    const { to } = await open(form, password('sandbox-mfa') as Record<string, string>);
    expect((await open(to!.pathname + to!.search)).text).toContain('Enter your code');
    expect((await open(form, { mfa_code: '1' })).text).toContain('That is not the code');
    expect((await open(form, { mfa_code: '123456' })).to?.search).toBe('?state=success');
    const consent = `/link/demo/oura?token=${await link()}&page=1`;
    expect((await open(consent, { answer: 'deny' })).to?.search).toMatch(
      /^\?state=error&error_type=user_cancelled&token=/,
    );
    expect(await connections()).toMatchObject([{ slug: 'zwift' }]);
  });

  test('do not allow more than the link token, and do not exist in production', async () => {
    const token = await link({ provider: 'oura' });
    for (const path of [
      `/link/demo/zwift?token=${token}`,
      '/link/demo/zwift?token=x',
      `/link/demo/acme?token=${token}`,
    ])
      expect((await open(path)).text).toContain('This link is not valid.');
    const production = await startTestApp({ PHIAL_ENVIRONMENT: 'production' });
    const other = await makeUser(production.team);
    const { link_token } = await linkTokenOf(production.team, other.user_id);
    const answer = await fetch(`${production.baseUrl}/link/demo/oura?token=${link_token}`, {
      method: 'POST',
      body: new URLSearchParams({ answer: 'allow' }),
    });
    expect(await answer.text()).toContain('This link is not valid.');
    await production.close();
  });
});
