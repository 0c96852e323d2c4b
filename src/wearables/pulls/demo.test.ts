import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../../test/test-app.ts';
import { makeUser, subscribe } from '../../../test/factories.ts';
import { refresh } from '../../../test/pulled.ts';
import { startEndpoint, type Endpoint } from '../../../test/endpoint.ts';
import { PROVIDER_SLUGS, PROVIDERS } from '../providers/provider-catalogue.ts';

/** The resources with data on every day, by their names in event types. */
const EVERY_DAY = new Set([
  'activity',
  'sleep',
  'sleep_cycle',
  'body',
  'heartrate',
  'steps',
  'glucose',
  'meal',
  'weight',
  'hrv',
]);

let app: TestApp;
let endpoint: Endpoint;
/** A team with an endpoint. The other team has none, because sending its events would cost much time. */
let subscribed: Team;
beforeAll(async () => {
  app = await startTestApp();
  endpoint = await startEndpoint();
  subscribed = await app.makeTeam('Mesa Labs');
  await subscribe(subscribed, endpoint);
});
afterAll(async () => {
  await endpoint.close();
  await app.close();
});
beforeEach(async () => {
  await app.deliver();
  endpoint.received.length = 0;
});

type Pulls = {
  data: {
    user_id: string;
    provider: Record<
      string,
      {
        pulled: Record<string, { status: string; days_with_data: number; timeline: { ended_at: string | null } }>;
        not_pulled: string[];
      }
    >;
  }[];
};
const pulls = async (userId: string, of: Team) =>
  (await of.api<Pulls>('GET', `/v2/introspect/historical_pull?user_id=${userId}`)).body.data[0];
/** The types of all events about a user. */
const publishedTypes = async (userId: string): Promise<string[]> =>
  (await app.db.selectFrom('events').select('event_type').where('user_id', '=', userId).execute()).map(
    ({ event_type }) => event_type,
  );
/** The resources whose events the endpoint has received, and so checked against the catalogue of events. */
const receivedResources = new Set<string>();
const connect = (userId: string, provider: string, of = app.team) =>
  of.api<{ success: boolean; code: string }>('POST', '/v2/link/connect/demo', { user_id: userId, provider });
const dayAgo = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
type Groups = { groups: Record<string, { data: { timestamp: string; value: number }[] }[]> };
const samples = async (userId: string, name: string, of = app.team) => {
  const { body } = await of.api<Groups>('GET', `/v2/timeseries/${userId}/${name}/grouped?start_date=${dayAgo(40)}`);
  return Object.values(body.groups).flatMap((groups) => groups.flatMap(({ data }) => data));
};
const localDate = ({ start, timezone_offset }: { start: string; timezone_offset: number }): string =>
  new Date(Date.parse(start) + timezone_offset * 1_000).toISOString().slice(0, 10);
const receivedTypes = () => endpoint.received.map(({ body }) => body.event_type);

describe('a demo connection', () => {
  /** Users whose data several tests read. */
  let withRing: string;
  let withSensor: string;
  beforeAll(async () => {
    withRing = (await makeUser(app.team)).user_id;
    withSensor = (await makeUser(app.team)).user_id;
    await connect(withRing, 'oura');
    await connect(withSensor, 'freestyle_libre');
    await app.runJobs();
  });

  test.each(PROVIDER_SLUGS)(
    'to %s brings 30 days of every resource that it has, with one event for each resource',
    async (provider) => {
      const resources = PROVIDERS[provider].resources
        .filter((name) => name !== 'device' && name !== 'hypnogram')
        .toSorted();
      // The events of each resource are sent once, because sending them costs the most time.
      const areSent = resources.some((resource) => !receivedResources.has(resource));
      const team = areSent ? subscribed : app.team;
      const { user_id } = await makeUser(team);
      expect((await connect(user_id, provider, team)).body.success).toBe(true);
      await app.runJobs();
      const { pulled = {}, not_pulled } = (await pulls(user_id, team))?.provider[provider] ?? {};
      expect([Object.keys(pulled).toSorted(), not_pulled]).toEqual([resources, []]);
      for (const [name, { status, days_with_data, timeline }] of Object.entries(pulled)) {
        expect([name, status, timeline.ended_at]).toEqual([name, 'success', expect.any(String)]);
        // A profile belongs to no day.
        expect([name, days_with_data]).not.toEqual([name, name === 'profile' ? null : 0]);
        expect(days_with_data).toBeLessThanOrEqual(32);
        if (EVERY_DAY.has(name)) expect([name, days_with_data >= 29]).toEqual([name, true]);
      }
      const types = await publishedTypes(user_id);
      const historical = types.filter((type) => type.startsWith('historical'));
      expect(historical.toSorted()).toEqual(resources.map((resource) => `historical.data.${resource}.created`));
      expect(types).toContain('provider.connection.created');
      for (const resource of resources) expect(types).toContain(`daily.data.${resource}.created`);
      expect(types.filter((type) => type.startsWith('provider.device'))).toEqual(['provider.device.created']);
      if (!areSent) return;
      await app.deliver();
      expect(receivedTypes().toSorted()).toEqual(types.toSorted());
      for (const resource of resources) receivedResources.add(resource);
    },
  );

  test('has stages of sleep as a series too, without an event', async () => {
    const { user_id } = await makeUser(app.team);
    await connect(user_id, 'apple_health_kit');
    await app.runJobs();
    expect((await samples(user_id, 'hypnogram')).length).toBeGreaterThan(29 * 10);
  });

  test('has whole days, also the first: summaries and series have the same steps', async () => {
    const { user_id } = await makeUser(app.team);
    await app.api('PATCH', `/v2/user/${user_id}`, { fallback_time_zone: 'America/Los_Angeles' });
    await connect(user_id, 'fitbit');
    await app.runJobs();
    const { body } = await app.api<{ activity: { calendar_date: string; steps: number }[] }>(
      'GET',
      `/v2/summary/activity/${user_id}?start_date=${dayAgo(40)}`,
    );
    const first = body.activity[0]!;
    const steps = (await samples(user_id, 'steps')) as unknown as {
      start: string;
      value: number;
      timezone_offset: number;
    }[];
    const sum = steps
      .filter((each) => localDate(each) === first.calendar_date)
      .reduce((total, { value }) => total + value, 0);
    expect(first.steps).toBeGreaterThan(1_000);
    expect(Math.abs(sum - first.steps)).toBeLessThan(1);
  });

  test('has points of each workout, every ten seconds from its start', async () => {
    const { user_id } = await makeUser(app.team);
    await connect(user_id, 'strava');
    await app.runJobs();
    const { body } = await app.api<{ workouts: { id: string; time_start: string; time_end: string }[] }>(
      'GET',
      `/v2/summary/workouts/${user_id}?start_date=${dayAgo(40)}`,
    );
    expect(body.workouts.length).toBeGreaterThan(4);
    for (const { id, time_start, time_end } of body.workouts) {
      const { body: stream } = await app.api<{ heartrate: number[]; distance: number[]; time: number[] }>(
        'GET',
        `/v2/timeseries/workouts/${id}/stream`,
      );
      const every10 = Math.floor((Date.parse(time_end) - Date.parse(time_start)) / 10_000);
      expect([stream.time, stream.heartrate, stream.distance].map(({ length }) => length)).toEqual(
        Array(3).fill(every10),
      );
      expect(stream.time[0]).toBe(Date.parse(time_start) / 1_000);
      expect(stream.heartrate.every((rate) => rate > 60)).toBe(true);
    }
  });

  test('gives a user the same data again, and another user other data', async () => {
    const one = await makeUser(subscribed);
    await connect(one.user_id, 'freestyle_libre', subscribed);
    await app.runJobs();
    const first = await samples(one.user_id, 'glucose', subscribed);
    expect(first.length).toBeGreaterThan(29 * 96);
    expect(await samples(withSensor, 'glucose')).not.toEqual(first);
    await app.deliver();
    endpoint.received.length = 0;
    await connect(one.user_id, 'freestyle_libre', subscribed);
    await app.runJobs();
    await app.deliver();
    expect((await samples(one.user_id, 'glucose', subscribed)).slice(0, first.length)).toEqual(first);
    // Nothing differs, so the only events are those at the end of the pulls, and those of newer data.
    const changes = receivedTypes().filter(
      (type) => type.endsWith('.updated') && type !== 'daily.data.activity.updated',
    );
    expect(changes).toEqual([]);
  });

  test('has nothing that lies in the future', async () => {
    const user_id = withRing;
    const now = new Date().toISOString();
    for (const name of ['heartrate', 'hrv', 'steps'])
      expect((await samples(user_id, name)).filter(({ timestamp }) => timestamp > now)).toEqual([]);
    const { rows } = await sql<{ count: number }>`
      select count(*)::float8 as count from summaries where user_id = ${user_id} and end_at > now()
        and resource <> 'activity'`.execute(app.db);
    expect(rows[0]?.count).toBe(0);
  });

  test('has heart rates that fit the sleep and the workouts of the same day', async () => {
    const user_id = withRing;
    const range = `start_date=${dayAgo(20)}&end_date=${dayAgo(2)}`;
    const { body } = await app.api<{
      workouts: { id: string; time_start: string; time_end: string; average_hr: number }[];
    }>('GET', `/v2/summary/workouts/${user_id}?${range}`);
    const [workout] = body.workouts;
    const rates = (await samples(user_id, 'heartrate')).filter(
      ({ timestamp }) => timestamp >= (workout?.time_start ?? '') && timestamp < (workout?.time_end ?? ''),
    );
    const mean = rates.reduce((sum, { value }) => sum + value, 0) / rates.length;
    expect(Math.abs(mean - (workout?.average_hr ?? 0))).toBeLessThan(8);
    const stream = await app.api<{ heartrate: number[]; time: number[] }>(
      'GET',
      `/v2/timeseries/workouts/${workout?.id}/stream`,
    );
    expect(stream.body.heartrate.length).toBeGreaterThan(100);
    const sleeps = await app.api<{ sleep: { hr_average: number }[] }>('GET', `/v2/summary/sleep/${user_id}?${range}`);
    for (const { hr_average } of sleeps.body.sleep) expect(hr_average).toBeLessThan(mean - 30);
  });

  test('has glucose that rises with the carbohydrates of each meal of the same day', async () => {
    const user_id = withSensor;
    const { body } = await app.api<{ meals: { timestamp: string; macros: { carbs: number } }[] }>(
      'GET',
      `/v2/summary/meal/${user_id}?start_date=${dayAgo(20)}&end_date=${dayAgo(2)}`,
    );
    const glucose = await samples(user_id, 'glucose');
    const meanBetween = (from: number, to: number): number => {
      const within = glucose.filter(({ timestamp: at }) => Date.parse(at) >= from && Date.parse(at) < to);
      return within.reduce((sum, { value }) => sum + value, 0) / within.length;
    };
    expect(body.meals.length).toBeGreaterThan(50);
    for (const { timestamp, macros } of body.meals) {
      const at = Date.parse(timestamp);
      const rise = meanBetween(at + 30 * 60_000, at + 60 * 60_000) - meanBetween(at - 15 * 60_000, at);
      expect(rise).toBeGreaterThan(macros.carbs / 40);
      expect(rise).toBeLessThan(macros.carbs / 15);
    }
  });

  test('continues: the next poll brings newer data, and nothing twice', async () => {
    const { user_id } = await makeUser(subscribed);
    await connect(user_id, 'oura', subscribed);
    await app.runJobs();
    await sql`delete from samples where stream_id in (select id from streams where user_id = ${user_id}
      and resource = 'heartrate')
      and at > now() - interval '6 hours'`.execute(app.db);
    await app.deliver();
    endpoint.received.length = 0;
    const before = (await samples(user_id, 'heartrate', subscribed)).length;
    const { status, body } = await refresh(app, subscribed, user_id);
    expect([status, body]).toEqual([
      200,
      { success: true, user_id, refreshed_sources: ['oura'], in_progress_sources: [], failed_sources: [] },
    ]);
    expect((await samples(user_id, 'heartrate', subscribed)).length).toBeGreaterThanOrEqual(before + 70);
    await app.deliver();
    expect(receivedTypes().filter((type) => type === 'daily.data.heartrate.created').length).toBeGreaterThanOrEqual(1);
    expect(receivedTypes()).not.toContain('daily.data.heartrate.updated');
  });

  test('exists in sandboxes only', async () => {
    const production = await startTestApp({ PHIAL_ENVIRONMENT: 'production' });
    const { user_id } = await makeUser(production.team);
    const response = await production.api<{ code: string }>('POST', '/v2/link/connect/demo', {
      user_id,
      provider: 'oura',
    });
    expect([response.status, response.body.code]).toEqual([403, 'sandbox_only']);
    await production.close();
  });

  test('is refused for an unknown provider and for a user of another team', async () => {
    const { user_id } = await makeUser(app.team);
    expect((await connect(user_id, 'acme')).status).toBe(422);
    const otherUser = await makeUser(await app.makeTeam('Other team'));
    expect((await connect(otherUser.user_id, 'oura')).status).toBe(404);
  });
});

describe('a user without connections', () => {
  test('cannot be refreshed', async () => {
    const { user_id } = await makeUser(app.team);
    const { status, body } = await app.api<{ code: string; success: boolean; error: string }>(
      'POST',
      `/v2/user/refresh/${user_id}`,
    );
    expect([status, body]).toEqual([
      400,
      expect.objectContaining({ code: 'nothing_to_refresh', success: false, user_id }),
    ]);
  });
});
