// Shapes of https://developers.strava.com/docs/webhooks/,
// https://cloud.ouraring.com/v2/docs#tag/Webhook-Subscription-Routes and
// https://developer.withings.com/developer-guide/v3/integration-guide/public-health-data-api/data-api/notifications/notification-subscribe.
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/test-app.ts';
import { importConnection, makeUser } from '../../../../test/factories.ts';
import { startProvider, type DataResponse, type DataRequest, type Provider } from '../../../../test/provider.ts';
import { hookTokenOf } from '../../providers/notification-reader.ts';
import { ensureApplicationSubscriptions } from './ensure-application-subscriptions.ts';
import { askForUserSubscriptions } from './ensure-user-subscription.ts';

const HERE = 'https://phial.example.com';
const DAY_MS = 86_400_000;

type Subscription = { id: string; callback_url: string } & Record<string, string>;

let provider: Provider;
let app: TestApp;
let strava: Subscription[];
let oura: Subscription[];
/** The subscriptions at the simulated Withings. It has one list for all users, since it does not tell users apart. */
let withings: { appli: string; callbackurl: string }[];
let made: number;

beforeAll(async () => {
  provider = await startProvider();
  provider.wrap((body) => ({ status: 0, body, ...body }));
  app = await startTestApp({
    ...provider.env('strava'),
    ...provider.env('oura'),
    ...provider.env('withings'),
    PHIAL_BASE_URL: HERE,
  });
});
afterAll(async () => {
  await app.close();
  await provider.close();
});
beforeEach(async () => {
  strava = [];
  oura = [];
  withings = [];
  made = 0;
  provider.play(answer);
  provider.asked.length = 0;
  await sql`delete from application_subscriptions`.execute(app.db);
});

/** The check that a provider makes before it subscribes an address: the address must return the challenge. */
async function isOurs(callback: string, parameters: Record<string, string>, challenge: string): Promise<boolean> {
  const url = `${callback.replace(HERE, app.baseUrl)}?${new URLSearchParams(parameters).toString()}`;
  const found = (await (await fetch(url)).json()) as Record<string, string>;
  return Object.values(found).includes(challenge);
}

async function answer(request: DataRequest): Promise<DataResponse> {
  if (request.path.includes('/push_subscriptions')) return respondAsStrava(request);
  if (request.path.includes('/webhook/subscription')) return respondAsOura(request);
  if (request.path === '/notify') return respondAsWithings(request);
  return { json: { status: 0, body: {} } };
}

async function respondAsStrava({ method, path, query, body }: DataRequest): Promise<DataResponse> {
  const given = method === 'POST' ? new URLSearchParams(body) : query;
  if (given.get('client_secret') !== 'secret-of-strava') return { status: 401, json: {} };
  if (method === 'DELETE') {
    strava = strava.filter(({ id }) => !path.endsWith(`/${id}`));
    return { status: 204, text: '' };
  }
  if (method === 'GET') return { json: strava };
  const callback_url = String(given.get('callback_url'));
  const token = String(given.get('verify_token'));
  if (strava.length > 0) return { status: 400, json: { message: 'exists' } };
  const asked = { 'hub.mode': 'subscribe', 'hub.challenge': 'c-1', 'hub.verify_token': token };
  if (!(await isOurs(callback_url, asked, 'c-1'))) return { status: 400, json: {} };
  made += 1;
  strava = [{ id: String(made), callback_url }];
  return { status: 201, json: { id: made } };
}

async function respondAsOura({ method, path, body, headers }: DataRequest): Promise<DataResponse> {
  if (headers['x-client-id'] !== 'client-of-oura' || headers['x-client-secret'] !== 'secret-of-oura')
    return { status: 401, json: {} };
  const expiration_time = new Date(Date.now() + 90 * DAY_MS).toISOString();
  if (method === 'GET') return { json: oura };
  if (method === 'PUT') {
    const renewed = oura.find(({ id }) => path.endsWith(`/renew/${id}`));
    if (!renewed) return { status: 404, json: {} };
    Object.assign(renewed, { expiration_time });
    return { json: renewed };
  }
  const { verification_token, ...asked } = JSON.parse(body) as Subscription;
  const challenge = { verification_token: String(verification_token), challenge: 'c-2' };
  if (!(await isOurs(asked.callback_url, challenge, 'c-2'))) return { status: 400, json: {} };
  made += 1;
  oura.push({ ...asked, id: `o-${made}`, expiration_time });
  return { status: 201, json: oura.at(-1) };
}

async function respondAsWithings({ body }: DataRequest): Promise<DataResponse> {
  const { action, appli = '', callbackurl = '' } = Object.fromEntries(new URLSearchParams(body));
  if (action === 'list') return { json: { status: 0, body: { profiles: withings } } };
  if (action === 'revoke')
    withings = withings.filter((each) => each.appli !== appli || each.callbackurl !== callbackurl);
  if (action === 'subscribe') {
    const head = await fetch(callbackurl.replace(HERE, app.baseUrl), { method: 'HEAD' });
    if (head.status !== 200) return { json: { status: 293, error: 'callback' } };
    withings.push({ appli, callbackurl });
  }
  return { json: { status: 0, body: {} } };
}

const look = () => ensureApplicationSubscriptions(app.ctx);
const lookAgain = async (): Promise<void> => {
  await sql`update application_subscriptions set due_at = now()`.execute(app.db);
  provider.asked.length = 0;
  await look();
};
const asked = () => provider.asked.map(({ method, path }) => `${method} ${path.split('/').at(-1)}`);

describe('an application', () => {
  const address = `${HERE}/v2/hooks/strava/${hookTokenOf('secret-of-strava')}`;

  test('subscribes once, whichever process checks', async () => {
    await Promise.all([look(), look(), look()]);
    expect(strava).toMatchObject([{ callback_url: address }]);
    expect(oura).toHaveLength(18);
    expect(new Set(oura.map(({ data_type, event_type }) => `${data_type} ${event_type}`)).size).toBe(18);
    expect(new Set(oura.map(({ callback_url }) => callback_url))).toEqual(new Set([`${HERE}/v2/hooks/oura`]));
    expect(asked().filter((each) => each === 'GET push_subscriptions')).toHaveLength(1);
  });

  test('makes a removed subscription again and renews one that expires soon, a day later', async () => {
    await look();
    strava = [];
    Object.assign(oura[0] as Subscription, { expiration_time: new Date(Date.now() + 6 * DAY_MS).toISOString() });
    const gone = oura.pop();
    await look();
    expect(strava).toEqual([]);
    await lookAgain();
    expect(strava).toHaveLength(1);
    expect(asked().filter((each) => each.startsWith('PUT'))).toEqual([`PUT ${oura[0]?.id}`]);
    expect(Date.parse(String(oura[0]?.['expiration_time']))).toBeGreaterThan(Date.now() + 80 * DAY_MS);
    expect(oura.at(-1)).toMatchObject({ data_type: gone?.['data_type'], event_type: gone?.['event_type'] });
  });

  test.each([
    ['as it was made here', () => []],
    ['as it was found', () => [{ id: '77', callback_url: address }]],
  ])('accepts only notifications of its own subscription, %s', async (_, there) => {
    const notify = async (subscription_id: number) => {
      const raw = JSON.stringify({ object_type: 'activity', object_id: 1, owner_id: 2, subscription_id });
      const sent = { raw, headers: { 'content-type': 'application/json' }, key: null };
      return (await app.api<object>('POST', address.replace(HERE, ''), undefined, sent)).status;
    };
    // Before the first check the service does not know the subscription's id. So it accepts each notification that
    // comes to the secret address.
    expect(await notify(120_475)).toBe(200);
    strava = there();
    await look();
    const [{ id }] = strava as [Subscription];
    expect([await notify(Number(id)), await notify(120_475)]).toEqual([200, 401]);
    // If Strava is not available at the next check, the service still knows the id.
    provider.play(() => ({ status: 503, json: {} }));
    await lookAgain();
    expect([await notify(Number(id)), await notify(120_475)]).toEqual([200, 401]);
  });

  test('accepts only notifications of the subscription that an operator made by hand', async () => {
    const other = await startTestApp({ ...provider.env('strava'), PHIAL_STRAVA_SUBSCRIPTION_ID: '4711' });
    const notify = async (subscription_id: number) => {
      const raw = JSON.stringify({ object_type: 'activity', object_id: 1, owner_id: 2, subscription_id });
      const sent = { raw, headers: { 'content-type': 'application/json' }, key: null };
      return (await other.api<object>('POST', address.replace(HERE, ''), undefined, sent)).status;
    };
    expect([await notify(4711), await notify(1)]).toEqual([200, 401]);
    await other.close();
  });

  test('replaces its own subscription of an older address and leaves those of others', async () => {
    strava = [{ id: 'old', callback_url: `${HERE}/v2/hooks/strava` }];
    await look();
    expect(strava).toMatchObject([{ callback_url: address }]);
    strava = [{ id: 'other', callback_url: 'https://other.example.com/hooks' }];
    await lookAgain();
    expect(strava).toMatchObject([{ id: 'other' }]);
  });

  test('waits longer and longer for a provider that does not answer, and for no other provider', async () => {
    provider.play((request) =>
      request.path.includes('/webhook/subscription') ? { status: 503, json: {} } : answer(request),
    );
    await look();
    await lookAgain();
    const { rows } = await sql<{ provider: string; failures: number; minutes: number }>`
      select provider, failures, round(extract(epoch from due_at - now()) / 60)::float8 as minutes
        from application_subscriptions order by provider`.execute(app.db);
    expect(rows).toEqual([
      { provider: 'oura', failures: 2, minutes: 10 },
      { provider: 'strava', failures: 0, minutes: 1440 },
    ]);
  });

  test('checks again at once under another address', async () => {
    await look();
    await sql`update application_subscriptions set base_url = 'https://old.example.com'`.execute(app.db);
    provider.asked.length = 0;
    await look();
    expect(asked()).toEqual(['GET subscription', 'GET push_subscriptions']);
  });

  test('asks no provider where none can reach this service', async () => {
    await ensureApplicationSubscriptions({ ...app.ctx, config: { ...app.config, baseUrl: 'http://localhost:3000' } });
    expect(provider.asked).toEqual([]);
  });
});

describe('a user of Withings', () => {
  const callbackurl = `${HERE}/v2/hooks/withings/${hookTokenOf('secret-of-withings')}`;
  const connect = async (changes: Record<string, unknown> = {}) => {
    const team = await app.makeTeam();
    const { user_id } = await makeUser(team);
    const refresh_token = provider.issueRefreshToken();
    await importConnection(
      team,
      user_id,
      { oauth_scopes: ['user.metrics'], refresh_token, provider_id: user_id, ...changes },
      'withings',
    );
    await app.runJobs();
    return { team, user_id };
  };
  const categories = () => withings.map(({ appli }) => appli).toSorted();
  const due = async (user_id: string): Promise<void> => {
    await sql`update user_subscriptions set due_at = now() where user_id = ${user_id}`.execute(app.db);
    await askForUserSubscriptions(app.ctx);
    await app.runJobs();
  };

  test('is subscribed to when connected, as far as the user granted', async () => {
    await connect();
    expect(categories()).toEqual(['1', '2', '4']);
    expect(new Set(withings.map((each) => each.callbackurl))).toEqual(new Set([callbackurl]));
  });

  test('is subscribed to again where the subscription was removed, and ends that of an older address', async () => {
    const { user_id } = await connect();
    withings = [{ appli: '1', callbackurl: `${HERE}/v2/hooks/withings/older` }];
    await due(user_id);
    expect(categories()).toEqual(['1', '2', '4']);
    expect(new Set(withings.map((each) => each.callbackurl))).toEqual(new Set([callbackurl]));
  });

  test('is unsubscribed when the connection ends, also with an expired token', async () => {
    const { team, user_id } = await connect();
    provider.endAccessTokens();
    await team.api('DELETE', `/v2/user/${user_id}/withings`);
    await app.runJobs();
    expect(withings).toEqual([]);
    expect((await sql`select from user_subscriptions where user_id = ${user_id}`.execute(app.db)).rows).toEqual([]);
  });

  test('stays connected when Withings does not agree, and Withings is asked again later', async () => {
    provider.play((request) =>
      request.path === '/notify' ? { json: { status: 293, error: 'callback' } } : answer(request),
    );
    const { team, user_id } = await connect();
    const { rows } = await sql`select failures from user_subscriptions where user_id = ${user_id}`.execute(app.db);
    expect(rows).toEqual([{ failures: 1 }]);
    const { body } = await team.api<{ providers: { status: string }[] }>('GET', `/v2/user/providers/${user_id}`);
    expect(body.providers[0]?.status).toBe('connected');
    provider.play(answer);
    await due(user_id);
    expect(categories()).toEqual(['1', '2', '4']);
  });
});
