// The whole life of a connection to each provider: authorise, pull, refresh, webhook (or poll), delete. Responses have
// the shape of the provider's public documentation, with its address above them. The values are invented.
import { createHmac, randomInt } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../../test/test-app.ts';
import { linkTokenOf, makeUser } from '../../../test/factories.ts';
import { startProvider, type DataResponse, type DataRequest, type Provider } from '../../../test/provider.ts';
import { refresh } from '../../../test/pulled.ts';
import { resumePulls } from '../pulls/resume-pulls.ts';

const HERE = 'https://phial.example.com';
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** The records of the user's account at the provider: the time of each in Unix milliseconds, by its id. */
type Items = Map<string, number>;
type HookRequest = { path: string; raw: string; headers: Record<string, string> };

type Life = {
  slug: string;
  /** The scopes that the user grants. */
  scopes: string[];
  answer: (request: DataRequest, items: Items) => DataResponse | undefined;
  /** Returns the times or days of the records that the API returns for the user. */
  read: (team: Team, userId: string, from: string) => Promise<string[]>;
  /** Makes the provider's notification about a new or deleted record. Null if the provider sends no notifications. */
  notificationOf: ((owner: string, item: { id: string; at: number; isGone: boolean }) => HookRequest) | null;
  /** The age in days of the record that the account gets after the import. */
  notifiedDaysAgo: number;
  /** Whether a refresh token works once only. */
  rotates: boolean;
  /**
   * The token, or the notifications, that the service ends at the provider when the connection is deleted. Null if the
   * provider has no operation for that.
   */
  ends: 'access' | 'refresh' | 'notifications' | null;
};

const iso = (at: number): string => new Date(at).toISOString();
const dayOf = (moment: string): string => moment.slice(0, 10);
const tokenOf = (slug: string): string => createHmac('sha256', `secret-of-${slug}`).update('phial hooks').digest('hex');
const jsonNotification = (path: string, body: object, headers: Record<string, string> = {}): HookRequest => ({
  path,
  raw: JSON.stringify(body),
  headers: { 'content-type': 'application/json', ...headers },
});
const summaries =
  (path: string, field: string) =>
  async (team: Team, userId: string, from: string): Promise<string[]> => {
    const url = `/v2/summary/${path}/${userId}?start_date=${from}`;
    const { body } = await team.api<Record<string, Record<string, string>[]>>('GET', url);
    return (body[path] ?? []).map((each) => String(each[field]));
  };

/** https://developers.strava.com/docs/reference/, https://developers.strava.com/docs/webhooks/ */
const strava: Life = {
  slug: 'strava',
  scopes: ['activity:read_all'],
  rotates: true,
  ends: 'access',
  notifiedDaysAgo: 40,
  answer: ({ path, query }, items) => {
    const activity = ([id, at]: [string, number]) => ({
      id: Number(id),
      name: 'Morning run',
      sport_type: 'Run',
      start_date: iso(at),
      elapsed_time: 1_800,
    });
    if (path.endsWith('/athlete/activities')) {
      const within = [...items].filter(
        ([, at]) => at / 1_000 > Number(query.get('after')) && at / 1_000 < Number(query.get('before')),
      );
      return { json: query.get('page') === '1' ? within.map(activity) : [] };
    }
    const [, id = ''] = /\/activities\/(\d+)$/.exec(path) ?? [];
    const at = items.get(id);
    return at === undefined ? undefined : { json: activity([id, at]) };
  },
  read: summaries('workouts', 'time_start'),
  notificationOf: (owner, { id, at, isGone }) =>
    jsonNotification(`/v2/hooks/strava/${tokenOf('strava')}`, {
      object_type: 'activity',
      object_id: Number(id),
      aspect_type: isGone ? 'delete' : 'create',
      owner_id: Number(owner),
      subscription_id: 120_475,
      event_time: Math.floor(at / 1_000),
      updates: {},
    }),
};

/** https://cloud.ouraring.com/v2/docs#tag/Workout-Routes and #tag/Webhook-Subscription-Routes */
const oura: Life = {
  slug: 'oura',
  scopes: ['workout'],
  rotates: true,
  ends: 'access',
  notifiedDaysAgo: 1,
  answer: ({ path, query }, items) => {
    const workout = ([id, at]: [string, number]) => ({
      id,
      activity: 'yoga',
      day: dayOf(iso(at)),
      start_datetime: iso(at),
      end_datetime: iso(at + HOUR_MS),
      intensity: 'easy',
      source: 'confirmed',
    });
    if (path.endsWith('/usercollection/workout')) {
      const [first, last] = [String(query.get('start_date')), String(query.get('end_date'))];
      const within = [...items].filter(([, at]) => dayOf(iso(at)) >= first && dayOf(iso(at)) <= last);
      return { json: { data: within.map(workout), next_token: null } };
    }
    const [, id = ''] = /\/workout\/(\d+)$/.exec(path) ?? [];
    const at = items.get(id);
    return at === undefined ? undefined : { json: workout([id, at]) };
  },
  read: summaries('workouts', 'time_start'),
  notificationOf: (owner, { id, at, isGone }) => {
    const body = {
      event_type: isGone ? 'delete' : 'create',
      data_type: 'workout',
      object_id: id,
      event_time: iso(at),
      user_id: owner,
    };
    const timestamp = String(Math.floor(Date.now() / 1_000));
    const signature = createHmac('sha256', 'secret-of-oura')
      .update(timestamp + JSON.stringify(body))
      .digest('hex')
      .toUpperCase();
    return jsonNotification('/v2/hooks/oura', body, { 'x-oura-signature': signature, 'x-oura-timestamp': timestamp });
  },
};

/** https://developer.withings.com/api-reference#tag/measure and #tag/notify */
const withings: Life = {
  slug: 'withings',
  scopes: ['user.metrics'],
  rotates: true,
  ends: 'notifications',
  notifiedDaysAgo: 40,
  answer: ({ body }, items) => {
    const form = new URLSearchParams(body);
    const within = [...items].filter(
      ([, at]) => at / 1_000 >= Number(form.get('startdate')) && at / 1_000 < Number(form.get('enddate')),
    );
    const measuregrps = within.map(([grpid, at]) => ({
      grpid: Number(grpid),
      attrib: 0,
      date: at / 1_000,
      category: 1,
      measures: [{ type: 1, value: 84_100, unit: -3 }],
    }));
    return { json: { status: 0, body: form.get('action') === 'getmeas' ? { timezone: 'UTC', measuregrps } : {} } };
  },
  read: summaries('body', 'date'),
  notificationOf: (userid, { at }) => ({
    path: `/v2/hooks/withings/${tokenOf('withings')}`,
    raw: new URLSearchParams({
      userid,
      appli: '1',
      startdate: String(at / 1_000),
      enddate: String(at / 1_000),
    }).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  }),
};

/**
 * https://developers.google.com/health/reference/rest/v4/users.dataTypes.dataPoints,
 * https://developers.google.com/health/webhooks
 */
const googleHealth: Life = {
  slug: 'google_health',
  scopes: ['https://www.googleapis.com/auth/googlehealth.sleep.readonly'],
  rotates: false,
  ends: 'refresh',
  notifiedDaysAgo: 40,
  answer: ({ path, query }, items) => {
    if (!path.endsWith('/sleep/dataPoints')) return undefined;
    const [, from = '', to = ''] = /end_time >= "([^"]+)" AND \S+ < "([^"]+)"/.exec(query.get('filter') ?? '') ?? [];
    const within = [...items].filter(([, at]) => iso(at + 7 * HOUR_MS) >= from && iso(at + 7 * HOUR_MS) < to);
    const dataPoints = within.map(([id, at]) => ({
      name: `users/me/dataTypes/sleep/dataPoints/${id}`,
      sleep: { interval: { startTime: iso(at), endTime: iso(at + 7 * HOUR_MS) }, summary: { minutesAsleep: '400' } },
    }));
    return { json: { dataPoints } };
  },
  read: summaries('sleep', 'bedtime_start'),
  notificationOf: (healthUserId, { at, isGone }) =>
    jsonNotification(
      '/v2/hooks/google_health',
      [
        {
          data: {
            version: '1',
            healthUserId,
            operation: isGone ? 'DELETE' : 'UPSERT',
            dataType: 'sleep',
            intervals: [{ physicalTimeInterval: { startTime: iso(at), endTime: iso(at + 7 * HOUR_MS) } }],
          },
        },
      ],
      { authorization: `Bearer ${tokenOf('google_health')}` },
    ),
};

/** https://developer.dexcom.com/docs/dexcomv3/endpoint-overview, "egvs" */
const dexcom: Life = {
  slug: 'dexcom_v3',
  scopes: [],
  rotates: true,
  ends: null,
  notifiedDaysAgo: 1,
  answer: ({ path, query }, items) => {
    if (!path.endsWith('/egvs')) return undefined;
    const [from, to] = [Date.parse(`${query.get('startDate')}Z`), Date.parse(`${query.get('endDate')}Z`)];
    const records = [...items]
      .filter(([, at]) => at >= from && at < to)
      .map(([recordId, at]) => ({ recordId, systemTime: iso(at), displayTime: iso(at), value: 120, unit: 'mg/dL' }));
    return { json: { recordType: 'egv', recordVersion: '3.0', records } };
  },
  read: async (team, userId, from) => {
    const { body } = await team.api<{ groups: Record<string, { data: { timestamp: string }[] }[]> }>(
      'GET',
      `/v2/timeseries/${userId}/glucose/grouped?start_date=${from}`,
    );
    return Object.values(body.groups).flatMap((groups) =>
      groups.flatMap(({ data }) => data.map(({ timestamp }) => timestamp)),
    );
  },
  notificationOf: null,
};

let provider: Provider;
let app: TestApp;

beforeAll(async () => {
  provider = await startProvider();
  const lives = [strava, oura, withings, googleHealth, dexcom];
  const configured = Object.assign({}, ...lives.map(({ slug }) => provider.env(slug))) as Record<string, string>;
  app = await startTestApp({ ...configured, PHIAL_BASE_URL: HERE });
});
afterAll(async () => {
  await app.close();
  await provider.close();
});

/** Does what the user's browser does: it opens the provider's page, where the user agrees, and comes back. */
async function authorise(team: Team, userId: string, slug: string): Promise<void> {
  const { link_token } = await linkTokenOf(team, userId);
  const { body } = await team.api<{ oauth_url: string }>('GET', `/v2/link/provider/oauth/${slug}`, undefined, {
    key: null,
    headers: { 'x-service-link-token': link_token },
  });
  const here = (url: string): string => app.baseUrl + new URL(url).pathname + new URL(url).search;
  const left = await fetch(here(body.oauth_url), { redirect: 'manual' });
  const agreed = await fetch(left.headers.get('location') ?? '', { redirect: 'manual' });
  const cookie = left.headers.get('set-cookie')?.split(';')[0] ?? '';
  const back = await fetch(here(agreed.headers.get('location') ?? ''), { redirect: 'manual', headers: { cookie } });
  expect(back.headers.get('location')).toContain('state=success');
}

test.each([strava, oura, withings, googleHealth, dexcom])(
  'A connection to $slug is authorised, pulled, refreshed, notified and ended',
  async ({ slug, scopes, rotates, ends, notifiedDaysAgo, answer, read, notificationOf }) => {
    const owner = String(randomInt(1e9));
    const hour = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
    const items: Items = new Map([['101', hour - 5 * DAY_MS]]);
    const added = { id: '202', at: hour - notifiedDaysAgo * DAY_MS };
    provider.user(owner);
    provider.grant(scopes.length === 0 ? null : scopes);
    provider.rotate(rotates);
    provider.wrap((body) => (slug === 'withings' ? { status: 0, body } : body));
    provider.play((request) => answer(request, items));
    provider.tokenRequests.length = 0;
    provider.revoked.length = 0;
    const team = await app.makeTeam();
    const { user_id } = await makeUser(team);
    const seen = async () => (await read(team, user_id, dayOf(iso(hour - 50 * DAY_MS)))).map(dayOf).toSorted();
    const there = () => [...items.values()].map((at) => dayOf(iso(at))).toSorted();

    // Authorise and pull.
    await authorise(team, user_id, slug);
    await app.runJobs();
    expect(await seen()).toEqual(there());

    // If a refresh token works once only, each refresh must use the newest one.
    for (let n = 1; n <= 2; n += 1) {
      provider.endAccessTokens();
      expect((await refresh(app, team, user_id)).body.refreshed_sources).toEqual([slug]);
    }
    const renewals = provider.tokenRequests.filter(({ fields }) => fields['grant_type'] === 'refresh_token');
    expect(renewals).toHaveLength(2);
    expect(new Set(renewals.map(({ fields }) => fields['refresh_token'])).size).toBe(rotates ? 2 : 1);

    // Webhook, or the next poll.
    const notify = async (item: { id: string; at: number; isGone: boolean }): Promise<void> => {
      if (notificationOf) {
        const { path, ...sent } = notificationOf(owner, item);
        expect((await team.api<unknown>('POST', path, undefined, { ...sent, key: null })).status).toBe(200);
      } else {
        await sql`update polls set due_at = now() where user_id = ${user_id}`.execute(app.db);
        await resumePulls(app.ctx);
      }
      await app.runJobs();
    };
    items.set(added.id, added.at);
    await notify({ ...added, isGone: false });
    expect(await seen()).toEqual(there());
    if (notificationOf) {
      items.delete(added.id);
      await notify({ ...added, isGone: true });
      expect(await seen()).toEqual(there());
    }

    // Delete: the provider is notified, the data stays, and no more requests are sent.
    const last = provider.asked.at(-1)?.token;
    provider.asked.length = 0;
    expect((await team.api<unknown>('DELETE', `/v2/user/${user_id}/${slug}`)).status).toBe(200);
    await app.runJobs();
    if (ends === 'access') expect(provider.revoked).toEqual([last]);
    if (ends === 'refresh') expect(provider.revoked).toEqual([renewals[0]?.fields['refresh_token']]);
    const ended = provider.asked.map(({ path, body }) => [path, new URLSearchParams(body).get('action')].join(' '));
    expect(new Set(ended)).toEqual(new Set(ends === 'notifications' ? ['/notify revoke'] : []));
    provider.asked.length = 0;
    await notify({ ...added, isGone: false });
    expect(provider.asked).toEqual([]);
    expect(await seen()).toEqual(there());
  },
);
