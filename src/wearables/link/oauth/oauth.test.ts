import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { apiOf, startTestApp, type Team, type TestApp } from '../../../../test/test-app.ts';
import { importConnection, linkTokenOf, makeUser } from '../../../../test/factories.ts';
import { startProvider, type Provider } from '../../../../test/provider.ts';
import { publishedTo } from '../../../../test/publish-event.ts';
import { createTeam } from '../../../tenancy/teams/create.ts';
import { createTeamKey } from '../../../tenancy/keys/create-team-key.ts';
import { CONNECTORS } from '../../providers/registry.ts';

/** A sandbox accepts an address with this scheme only where the team lists it. */
const HERE = 'http://app.example.com/connected?from=phial';

type Connection = { slug: string; status: string; external_user_id: string | null; resource_availability: object };

let provider: Provider;
let app: TestApp;
let team: Team;
beforeAll(async () => {
  provider = await startProvider();
  app = await startTestApp({
    ...Object.assign({}, ...CONNECTORS.map(({ slug }) => provider.env(slug))),
  });
});
beforeEach(async () => {
  team = await app.makeTeam();
  await team.api('PUT', `/v1/org/${team.org_id}/team/${team.id}/link_redirect_urls`, { urls: [HERE] });
  provider.grant(null);
  provider.user('provider-user-1');
  provider.fail();
  provider.wrap((response) => response);
});
afterAll(async () => {
  await app.close();
  await provider.close();
});

type Browser = { cookie: string };
type Page = { status: number; location: URL; text: string };

/** Opens an address like a browser that keeps cookies and does not follow redirects. */
async function open(url: string, browser: Browser = { cookie: '' }): Promise<Page> {
  const response = await fetch(url.startsWith('/') ? app.baseUrl + url : url, {
    headers: browser.cookie === '' ? {} : { cookie: browser.cookie },
    redirect: 'manual',
  });
  const set = response.headers.get('set-cookie');
  if (set) browser.cookie = set.split(';')[0] as string;
  return {
    status: response.status,
    location: new URL(response.headers.get('location') ?? 'about:blank'),
    text: await response.text(),
  };
}

const start = (slug: string, token: string, more = ''): string => `/v2/link/oauth/${slug}/start?token=${token}${more}`;
/** The service's own address may differ from the address that the tests use. */
const here = (url: URL): string => url.pathname + url.search;

/** Does all steps of a browser that connects a provider. Returns the last page. */
async function connectBy(slug: string, token: string, browser: Browser = { cookie: '' }, more = ''): Promise<Page> {
  const left = await open(start(slug, token, more), browser);
  const back = await open(left.location.href);
  return open(here(back.location), browser);
}

const connectionsOf = async (userId: string): Promise<Connection[]> =>
  (await team.api<{ providers: Connection[] }>('GET', `/v2/user/providers/${userId}`)).body.providers;
const errorOf = ({ location }: Page): string | null => location.searchParams.get('error_type');

describe('connecting at the page of a provider', () => {
  test.each(CONNECTORS.map(({ slug }) => slug))(
    "ends with a connection to %s and the browser at the team's address",
    async (slug) => {
      if (slug === 'withings') provider.wrap((response) => ({ status: 0, body: response }));
      const { user_id } = await makeUser(team);
      const { link_token } = await linkTokenOf(team, user_id, { redirect_url: HERE });
      const end = await connectBy(slug, link_token);
      expect([end.status, end.location.href]).toEqual([302, `${HERE}&state=success`]);
      expect(await connectionsOf(user_id)).toMatchObject([
        {
          slug,
          status: 'connected',
          external_user_id: slug === 'dexcom_v3' ? null : 'provider-user-1',
        },
      ]);
      const [event] = await publishedTo(app, team);
      expect(JSON.parse(event?.body ?? '')).toMatchObject({
        event_type: 'provider.connection.created',
        data: { provider: { slug } },
      });
    },
  );

  test('sends the client, the scopes, the return address and, where the provider has PKCE, a challenge', async () => {
    const { user_id } = await makeUser(team);
    const { link_token } = await linkTokenOf(team, user_id);
    const oura = (await open(start('oura', link_token))).location;
    expect(oura.origin + oura.pathname).toBe(`${provider.baseUrl}/oauth/authorize`);
    expect(Object.fromEntries(oura.searchParams)).toEqual({
      response_type: 'code',
      client_id: 'client-of-oura',
      redirect_uri: `${app.config.baseUrl}/v2/link/oauth/oura/callback`,
      scope: expect.stringContaining('daily heartrate'),
      state: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
    });
    const google = (await open(start('google_health', link_token))).location.searchParams;
    expect(google.get('code_challenge_method')).toBe('S256');
    expect(google.get('access_type')).toBe('offline');
  });

  test('requests tokens with the secret in the body and with the PKCE verifier', async () => {
    const { user_id } = await makeUser(team);
    const { link_token } = await linkTokenOf(team, user_id);
    await connectBy('google_health', link_token);
    expect(provider.tokenRequests.at(-1)).toMatchObject({
      path: '/token',
      authorization: undefined,
      fields: {
        grant_type: 'authorization_code',
        client_id: 'client-of-google_health',
        client_secret: 'secret-of-google_health',
        code_verifier: expect.stringMatching(/^.{43}$/),
      },
    });
  });

  test('stores the scopes that the user granted, and fails where they allow no resource', async () => {
    provider.grant(['extapi:daily']);
    const { user_id } = await makeUser(team);
    await connectBy('oura', (await linkTokenOf(team, user_id)).link_token);
    expect((await connectionsOf(user_id))[0]?.resource_availability).toMatchObject({
      activity: { status: 'available' },
      workouts: { status: 'unavailable', scope_requirements: { user_denied: { required: ['workout'] } } },
    });
    provider.grant(['email']);
    const other = await makeUser(team);
    const { link_token } = await linkTokenOf(team, other.user_id, { redirect_url: HERE });
    expect(errorOf(await connectBy('oura', link_token))).toBe('required_scopes_not_granted');
    expect(await connectionsOf(other.user_id)).toEqual([]);
  });

  test('without a redirect address ends on a page that shows the outcome', async () => {
    const { user_id } = await makeUser(team);
    const end = await connectBy('oura', (await linkTokenOf(team, user_id)).link_token);
    expect(end.location.href).toBe(`${app.config.baseUrl}/link/done?state=success`);
    const done = await open(here(end.location));
    expect([done.status, done.text]).toEqual([200, expect.stringContaining('You are connected.')]);
  });
});

describe('a return', () => {
  /** Returns a browser that is at the provider's page, and the address to which the provider sends it back. */
  async function away(): Promise<{ back: string; browser: Browser; user_id: string }> {
    const { user_id } = await makeUser(team);
    const { link_token } = await linkTokenOf(team, user_id, { redirect_url: HERE });
    const browser = { cookie: '' };
    const left = await open(start('oura', link_token), browser);
    return { back: here((await open(left.location.href)).location), browser, user_id };
  }
  /** What `endOf` returns for a refused return: an error page, no redirect and no connection. */
  const REFUSED = { status: 200, hasErrorPage: true, location: 'about:blank', connections: [] };
  const endOf = async (page: Page, user_id: string): Promise<object> => ({
    status: page.status,
    hasErrorPage: page.text.includes('This link is not valid'),
    location: page.location.href,
    connections: await connectionsOf(user_id),
  });

  test('without the cookie of the browser that left, or with that of another browser, is refused', async () => {
    const one = await away();
    expect(await endOf(await open(one.back), one.user_id)).toEqual(REFUSED);
    const two = await away();
    expect(await endOf(await open(two.back, { cookie: `phial_link=${'x'.repeat(43)}` }), two.user_id)).toEqual(REFUSED);
  });

  test('works once', async () => {
    const { back, browser, user_id } = await away();
    expect(await endOf(await open(back, { cookie: '' }), user_id)).toEqual(REFUSED);
    // The wrong browser has already used up the return address. So it is refused in the right browser too.
    expect(await endOf(await open(back, browser), user_id)).toEqual(REFUSED);
  });

  test('with an unknown state is refused', async () => {
    const { browser, user_id } = await away();
    for (const state of ['', 'nonsense', 'y'.repeat(43)])
      expect(await endOf(await open(`/v2/link/oauth/oura/callback?code=c&state=${state}`, browser), user_id)).toEqual(
        REFUSED,
      );
  });

  test('as if from another provider is refused', async () => {
    const { back, browser, user_id } = await away();
    expect(await endOf(await open(back.replace('/oura/', '/strava/'), browser), user_id)).toEqual(REFUSED);
  });

  test('after a quarter of an hour is refused', async () => {
    const { back, browser, user_id } = await away();
    await sql`update oauth_states set expires_at = now() where user_id = ${user_id}`.execute(app.db);
    expect(await endOf(await open(back, browser), user_id)).toEqual(REFUSED);
  });

  test('after a refusal of the user or an error of the provider states which', async () => {
    for (const [error, errorType] of [
      ['access_denied', 'user_cancelled'],
      ['server_error', 'provider_api_error'],
    ] as const) {
      const { back, browser, user_id } = await away();
      const state = new URLSearchParams(back.split('?')[1]).get('state');
      const end = await open(`/v2/link/oauth/oura/callback?error=${error}&state=${state}`, browser);
      expect([end.location.searchParams.get('state'), errorOf(end)]).toEqual(['error', errorType]);
      expect(end.location.searchParams.get('error')).toMatch(/\.$/);
      expect(await connectionsOf(user_id)).toEqual([]);
    }
  });

  test.each([
    ['refuses', { status: 400, body: '{"error":"invalid_grant"}' }],
    ['fails', { status: 500, body: 'oops' }],
    ['answers no JSON', { status: 200, body: '<html>' }],
    ['answers half', { status: 200, body: '{"access_to' }],
    ['answers a list', { status: 200, body: '[]' }],
    ['answers no token', { status: 200, body: '{"access_token": 7}' }],
    ['answers a token that would break a header', { status: 200, body: '{"access_token": "a\\nb"}' }],
    ['answers more than we read', { status: 200, body: ' '.repeat(300_000) }],
    ['redirects', { status: 302, body: '' }],
    ['hangs up', 'hang up'],
  ] as const)('to a provider that %s ends with an error and no connection', async (_, failure) => {
    const { back, browser, user_id } = await away();
    provider.fail(failure);
    const end = await open(back, browser);
    expect(errorOf(end)).toBe('provider_api_error');
    expect(await connectionsOf(user_id)).toEqual([]);
  });

  test('of a user who is deleted while we ask the provider connects nothing', async () => {
    const { back, browser, user_id } = await away();
    const release = provider.pauseTokenRequests();
    const before = provider.tokenRequests.length;
    const coming = open(back, browser);
    await expect.poll(() => provider.tokenRequests.length, { interval: 5 }).toBe(before + 1);
    await team.api('DELETE', `/v2/user/${user_id}`);
    release();
    expect(errorOf(await coming)).toBe('invalid_token');
    await team.api('POST', `/v2/user/undo_delete?user_id=${user_id}`);
    expect(await connectionsOf(user_id)).toEqual([]);
  });

  test('redirects to no address that the team has not listed, also one that was listed before', async () => {
    const { back, browser } = await away();
    await team.api('PUT', `/v1/org/${team.org_id}/team/${team.id}/link_redirect_urls`, { urls: [] });
    expect((await open(back, browser)).location.href).toBe(`${app.config.baseUrl}/link/done?state=success`);
  });

  test('from the hosted page shows an error there, unless the team wants the browser back', async () => {
    const { user_id } = await makeUser(team);
    const shown = await linkTokenOf(team, user_id, { redirect_url: HERE });
    const wanted = await linkTokenOf(team, user_id, { redirect_url: HERE, on_error: 'redirect' });
    provider.fail({ status: 500, body: '' }, { status: 500, body: '' });
    const [stays, goes] = [
      await connectBy('oura', shown.link_token, { cookie: '' }, '&page=1'),
      await connectBy('oura', wanted.link_token, { cookie: '' }, '&page=1'),
    ];
    expect(here(stays.location)).toBe(`/link/done?state=error&error_type=provider_api_error&token=${shown.link_token}`);
    expect(goes.location.origin).toBe('http://app.example.com');
  });

  test('of a link leads back to its own choice, also after the browser has started another link', async () => {
    const browser = { cookie: '' };
    const [one, other] = [await makeUser(team), await makeUser(team)];
    const [mine, another] = [await linkTokenOf(team, one.user_id), await linkTokenOf(team, other.user_id)];
    const left = await open(start('oura', mine.link_token, '&page=1'), browser);
    await open(start('oura', another.link_token, '&page=1'), browser);
    const back = await open(left.location.href);
    provider.fail({ status: 500, body: '' });
    const { location } = await open(here(back.location), browser);
    expect(here(location)).toBe('/link/done?state=error&error_type=provider_api_error');
    expect(await connectionsOf(one.user_id)).toEqual([]);
    const page = await open(`/link/done?state=error&error_type=provider_api_error&token=${mine.link_token}`);
    expect(page.text).toContain(`href="../link?token=${mine.link_token}"`);
    const ended = await open('/link/done?state=error&error_type=user_cancelled&token=lt_' + 'x'.repeat(43));
    expect(ended.text).not.toContain('href="../link');
  });
});

test('no page or redirect of a link sends its address, which contains the token, as a referrer', async () => {
  const { user_id } = await makeUser(team);
  const { link_token } = await linkTokenOf(team, user_id);
  for (const path of [
    `/link?token=${link_token}`,
    `/link/done?state=error&error_type=user_cancelled&token=${link_token}`,
    start('oura', link_token, '&page=1'),
  ]) {
    const { status, headers } = await fetch(new URL(path, app.baseUrl), { redirect: 'manual' });
    expect([200, 302]).toContain(status);
    expect([path, headers.get('referrer-policy')]).toEqual([path, 'no-referrer']);
  }
});

describe('a link token', () => {
  test('works for one connection', async () => {
    const { user_id } = await makeUser(team);
    const { link_token } = await linkTokenOf(team, user_id, { redirect_url: HERE });
    const browser = { cookie: '' };
    // Two tabs of the browser go to providers with one link token, and both come back.
    const left = [await open(start('oura', link_token), browser), await open(start('strava', link_token), browser)];
    const backs = await Promise.all(left.map(({ location }) => open(location.href)));
    expect((await open(here((backs[0] as Page).location), browser)).location.searchParams.get('state')).toBe('success');
    const second = await open(here((backs[1] as Page).location), browser);
    expect([second.status, second.text]).toEqual([200, expect.stringContaining('used already')]);
    expect(await connectionsOf(user_id)).toMatchObject([{ slug: 'oura' }]);
    expect((await open(start('strava', link_token))).text).toContain('used already');
  });

  test('makes one connection when two returns come at once', async () => {
    const { user_id } = await makeUser(team);
    const { link_token } = await linkTokenOf(team, user_id, { redirect_url: HERE });
    const browser = { cookie: '' };
    const left = [await open(start('oura', link_token), browser), await open(start('strava', link_token), browser)];
    const backs = await Promise.all(left.map(({ location }) => open(location.href)));
    const release = provider.pauseTokenRequests();
    const before = provider.tokenRequests.length;
    const coming = backs.map(({ location }) => open(here(location), browser));
    await expect.poll(() => provider.tokenRequests.length, { interval: 5 }).toBe(before + 2);
    release();
    const ends = await Promise.all(coming);
    expect(ends.map((end) => errorOf(end) ?? 'success').toSorted()).toEqual(['success', 'token_consumed']);
    expect(await connectionsOf(user_id)).toHaveLength(1);
  });

  test('that has expired, is unknown or is for another provider starts nothing', async () => {
    const { user_id } = await makeUser(team);
    const { link_token } = await linkTokenOf(team, user_id, { provider: 'strava' });
    expect((await open(start('oura', link_token))).text).toContain('not valid');
    expect((await open(start('oura', `lt_${'0'.repeat(43)}`))).text).toContain('not valid');
    expect((await open('/v2/link/oauth/oura/start')).text).toContain('not valid');
    await sql`update link_tokens set expires_at = now() where user_id = ${user_id}`.execute(app.db);
    expect((await open(start('strava', link_token))).text).toContain('expired');
  });

  test('of a user who is scheduled for deletion starts nothing', async () => {
    const { user_id } = await makeUser(team);
    const { link_token } = await linkTokenOf(team, user_id);
    await team.api('DELETE', `/v2/user/${user_id}`);
    expect((await open(start('oura', link_token))).text).toContain('not valid');
  });

  test('leaves its own line in the audit log when it connects', async () => {
    const { user_id } = await makeUser(team);
    await connectBy('oura', (await linkTokenOf(team, user_id)).link_token);
    const { rows } = await sql<{ actor: string; records: string[] }>`
      select actor, records from audit_log where team_id = ${team.id} and action = 'connection.created'`.execute(
      app.db,
    );
    expect(rows).toEqual([{ actor: 'link_token', records: [user_id, expect.any(String)] }]);
  });
});

describe('an unused grant', () => {
  // Runs the revocations that earlier tests have left, and starts with a new account.
  beforeEach(async () => {
    await app.runJobs();
    provider.user(randomUUID());
  });

  const revoked = async (): Promise<number> => {
    provider.revoked.length = 0;
    await app.runJobs();
    return provider.revoked.length;
  };
  /** Returns a function that sends back a browser with a grant. */
  async function away(user_id: string, token?: string): Promise<() => Promise<Page>> {
    const link_token = token ?? (await linkTokenOf(team, user_id, { redirect_url: HERE })).link_token;
    const browser = { cookie: '' };
    const back = await open((await open(start('oura', link_token), browser)).location.href);
    return () => open(here(back.location), browser);
  }

  test('is revoked when its scopes allow no resource', async () => {
    provider.grant(['email']);
    const { user_id } = await makeUser(team);
    expect(errorOf(await (await away(user_id))())).toBe('required_scopes_not_granted');
    expect(await revoked()).toBe(1);
  });

  test('is revoked when the link token was used meanwhile, unless that connected the same account', async () => {
    const { user_id } = await makeUser(team);
    const { link_token } = await linkTokenOf(team, user_id, { redirect_url: HERE });
    const two = async (accounts: string[], of: string, token: string): Promise<(string | null)[]> => {
      const backs = [await away(of, token), await away(of, token)];
      const before = provider.tokenRequests.length;
      const release = provider.pauseTokenRequests();
      const first = backs[0]?.();
      await expect.poll(() => provider.tokenRequests.length, { interval: 5 }).toBe(before + 1);
      const second = backs[1]?.();
      await expect.poll(() => provider.tokenRequests.length, { interval: 5 }).toBe(before + 2);
      const names = [...accounts];
      provider.play(({ path }) => (/personal_info/.test(path) ? { json: { id: names.shift() ?? 'none' } } : undefined));
      release();
      const ends = await Promise.all([first, second]);
      provider.play(() => undefined);
      return ends.map((end) => errorOf(end as Page));
    };
    expect((await two(['account-1', 'account-2'], user_id, link_token)).toSorted()).toEqual([null, 'token_consumed']);
    expect(await revoked()).toBe(1);
    const other = await makeUser(team);
    const again = await linkTokenOf(team, other.user_id, { redirect_url: HERE });
    expect((await two(['account-3', 'account-3'], other.user_id, again.link_token)).toSorted()).toEqual([
      null,
      'token_consumed',
    ]);
    expect(await revoked()).toBe(0);
  });

  test('is revoked when the provider does not return the id of the user', async () => {
    const { user_id } = await makeUser(team);
    provider.play(({ path }) => (/personal_info/.test(path) ? { status: 503, json: {} } : undefined));
    expect(errorOf(await (await away(user_id))())).toBe('provider_api_error');
    provider.play(() => undefined);
    expect(await connectionsOf(user_id)).toEqual([]);
    expect(await revoked()).toBe(1);
  });

  test('is revoked when the user was deleted while we asked the provider', async () => {
    const { user_id } = await makeUser(team);
    const back = await away(user_id);
    const release = provider.pauseTokenRequests();
    const before = provider.tokenRequests.length;
    const coming = back();
    await expect.poll(() => provider.tokenRequests.length, { interval: 5 }).toBe(before + 1);
    await team.api('DELETE', `/v2/user/${user_id}`);
    release();
    expect(errorOf(await coming)).toBe('invalid_token');
    expect(await revoked()).toBe(1);
  });

  test('of a connection that is taken over is revoked if it was to another account', async () => {
    const { user_id } = await makeUser(team);
    provider.user('account-old');
    await (
      await away(user_id)
    )();
    expect(await revoked()).toBe(0);
    await (
      await away(user_id)
    )();
    expect(await revoked()).toBe(0);
    provider.user('account-new');
    await (
      await away(user_id)
    )();
    expect(await revoked()).toBe(1);
    provider.user('x'.repeat(257));
    await (
      await away(user_id)
    )();
    expect((await connectionsOf(user_id))[0]?.external_user_id).toBeNull();
  });
});

describe('an account that is connected already', () => {
  test('can be connected to another user too, unless the team refuses that', async () => {
    const [one, two] = [await makeUser(team), await makeUser(team)];
    for (const { user_id } of [one, two])
      expect(errorOf(await connectBy('strava', (await linkTokenOf(team, user_id)).link_token))).toBeNull();
    const made = await createTeam(app.ctx, {
      org_id: team.org_id,
      name: 'Strict',
      settings: { reject_duplicate_connection: true, link_redirect_urls: [HERE] },
    });
    const key = await createTeamKey(app.ctx, { team_id: made.id, label: 'test' });
    const strict: Team = { ...team, id: made.id, api: apiOf(app.baseUrl, key.value, team.management_key) };
    const [first, second] = [await makeUser(strict), await makeUser(strict)];
    await importConnection(strict, first.user_id, { provider_id: 'provider-user-1' }, 'strava');
    const again = await linkTokenOf(strict, first.user_id, { redirect_url: HERE });
    expect(errorOf(await connectBy('strava', again.link_token))).toBeNull();
    const other = await linkTokenOf(strict, second.user_id, { redirect_url: HERE });
    expect(errorOf(await connectBy('strava', other.link_token))).toBe('duplicate_connection');
    // The link token is not used up: it connects with another account.
    provider.user('provider-user-2');
    expect(errorOf(await connectBy('strava', other.link_token))).toBeNull();
  });
});

describe('the cookie', () => {
  test('is hidden from scripts, and of this host alone where the service uses https', async () => {
    const secure = await startTestApp({ ...provider.env('oura'), PHIAL_BASE_URL: 'https://phial.example.com/api' });
    try {
      const { user_id } = await makeUser(secure.team);
      const { link_token } = await linkTokenOf(secure.team, user_id);
      const cookieOf = async (baseUrl: string, token: string): Promise<string | null> =>
        (await fetch(`${baseUrl}${start('oura', token)}`, { redirect: 'manual' })).headers.get('set-cookie');
      expect(await cookieOf(secure.baseUrl, link_token)).toMatch(
        /^__Host-phial_link=[\w-]{43}\.lt_\w{43}; Path=\/; Max-Age=900; HttpOnly; SameSite=Lax; Secure$/,
      );
      const plain = await linkTokenOf(team, (await makeUser(team)).user_id);
      expect(await cookieOf(app.baseUrl, plain.link_token)).toMatch(/HttpOnly; SameSite=Lax$/);
    } finally {
      await secure.close();
    }
  });
});
