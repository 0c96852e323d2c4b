// Shapes of https://developers.google.com/health/webhooks
import { randomInt } from 'node:crypto';
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { importConnection, makeUser } from '../../../../test/factories.ts';
import { hookTokenFor, notifiedProvider } from '../../../../test/notified-provider.ts';
import type { DataResponse, DataRequest } from '../../../../test/provider.ts';

const SLEEP = 'https://www.googleapis.com/auth/googlehealth.sleep.readonly';
const DAY_MS = 86_400_000;
const secret = `Bearer ${hookTokenFor('google_health')}`;
const at = (daysAgo: number, hours = 0): string =>
  new Date((Math.floor(Date.now() / DAY_MS) - daysAgo) * DAY_MS + hours * 3_600_000).toISOString();

/** Nights that the account has, by their ids. */
let nights: Map<string, { startTime: string; endTime: string }>;
beforeEach(() => {
  nights = new Map();
});

const given = notifiedProvider('google_health', { play: answer, scopes: [SLEEP] });

function answer({ path, query }: DataRequest): DataResponse {
  if (!path.endsWith('/sleep/dataPoints')) return { json: {} };
  const [, from = '', to = ''] = /end_time >= "([^"]+)" AND \S+ < "([^"]+)"/.exec(query.get('filter') ?? '') ?? [];
  const within = [...nights].filter(([, { endTime }]) => endTime >= from && endTime < to);
  const dataPoints = within.map(([id, interval]) => ({
    name: `users/me/dataTypes/sleep/dataPoints/${id}`,
    sleep: { interval, type: 'STAGES', stages: [], summary: { minutesAsleep: '420' } },
  }));
  return { json: { dataPoints } };
}

const notify = (body: unknown, authorization: string | null = secret) =>
  given.notify(JSON.stringify(body), {
    'content-type': 'application/json',
    ...(authorization === null ? {} : { authorization }),
  });
const notificationOf = (
  operation: string,
  dataType: string,
  startTime: string,
  endTime: string,
  whose = given.owner,
) => ({
  data: {
    version: '1',
    healthUserId: whose,
    operation,
    dataType,
    intervals: [{ physicalTimeInterval: { startTime, endTime } }],
  },
});
const slept = async (): Promise<string[]> => {
  const all = await given.summaries<{ bedtime_start: string }>('sleep', at(60).slice(0, 10));
  return all.map(({ bedtime_start }) => bedtime_start).toSorted();
};

test('The address answers the two requests that verify a subscriber', async () => {
  expect((await notify({ type: 'verification' })).status).toBe(200);
  for (const authorization of [null, 'Bearer guess', secret.replace('Bearer ', '')])
    expect((await notify({ type: 'verification' }, authorization)).status).toBe(401);
});

test('The spans in notifications are pulled, also with many in one body', async () => {
  nights.set('a', { startTime: at(50, 1), endTime: at(50, 8) }).set('b', { startTime: at(20, 1), endTime: at(20, 8) });
  const body = [
    notificationOf('UPSERT', 'sleep', at(50, 1), at(50, 8)),
    notificationOf('UPSERT', 'sleep', at(20, 1), at(20, 8)),
  ];
  expect((await notify(body)).body).toEqual({ received: true });
  await given.app.runJobs();
  expect(await slept()).toEqual([at(50, 1), at(20, 1)]);
});

test("A body of Google's largest size is stored whole, and answered within two seconds", async () => {
  const many = Array.from({ length: 99 }, (_, n) =>
    notificationOf('UPSERT', 'sleep', at(60 - n / 4), at(60 - n / 4, 1)),
  );
  const begun = performance.now();
  await notify(many);
  expect(performance.now() - begun).toBeLessThan(2_000);
  const { rows } = await sql`select from inbox where user_id = ${given.user_id}`.execute(given.app.db);
  expect(rows).toHaveLength(99);
});

test('What the user has deleted is deleted', async () => {
  nights.set('a', { startTime: at(50, 1), endTime: at(50, 8) }).set('b', { startTime: at(49, 1), endTime: at(49, 8) });
  await notify(
    [...nights.values()].map(({ startTime, endTime }) => notificationOf('UPSERT', 'sleep', startTime, endTime)),
  );
  await given.app.runJobs();
  expect(await slept()).toHaveLength(2);
  nights.delete('a');
  // The deletion of b is false: Google still has it.
  for (const days of [50, 49]) await notify(notificationOf('DELETE', 'sleep', at(days, 1), at(days, 8)));
  await given.app.runJobs();
  expect(await slept()).toEqual([at(49, 1)]);
});

test.each<[string, () => unknown]>([
  ['about no user of ours', () => notificationOf('UPSERT', 'sleep', at(3), at(2), '999')],
  ['about nothing that is pulled', () => notificationOf('UPSERT', 'electrocardiogram', at(3), at(2))],
  ['of other types', () => ({ data: { healthUserId: [given.owner], dataType: { sleep: true }, intervals: 'all' } })],
  ['of nothing at all', () => ({ data: null })],
])('A notification %s causes no request', async (_, body) => {
  expect((await notify(body())).status).toBe(200);
  await given.app.runJobs();
  expect(given.provider.asked).toEqual([]);
});

test('Samples that the user has deleted are deleted in the named span only', async () => {
  const owner = String(randomInt(1e9));
  let times = [8, 9, 10, 11].map((hour) => at(1, hour));
  given.provider.play(({ path, query }) => {
    if (!path.includes('/heart-rate/')) return { json: {} };
    const [, from = '', to = ''] = /time >= "([^"]+)" AND \S+ < "([^"]+)"/.exec(query.get('filter') ?? '') ?? [];
    const within = times.filter((time) => time >= from && time < to);
    const heartRate = (physicalTime: string) => ({ sampleTime: { physicalTime }, beatsPerMinute: '61' });
    return { json: { dataPoints: within.map((time) => ({ heartRate: heartRate(time) })) } };
  });
  const mine = await makeUser(given.team);
  await importConnection(given.team, mine.user_id, { provider_id: owner, oauth_scopes: null }, 'google_health');
  // Another provider has a sample at the same time. Google's deletion must not delete it.
  const pushed = { resource: 'heartrate', provider: 'apple_health_kit', source_type: 'watch', unit: 'bpm', value: 60 };
  const path = `/v2/timeseries/${mine.user_id}`;
  await given.team.api('POST', `${path}/samples`, [{ ...pushed, timestamp: at(1, 9) }]);
  // The team has also pushed a sample under Google's name. It must stay too.
  await given.team.api('POST', `${path}/samples`, [{ ...pushed, provider: 'google_health', timestamp: at(1, 9) }]);
  await given.app.runJobs();
  type Groups = Record<string, { source: { type: string }; data: { timestamp: string }[] }[]>;
  const read = async (): Promise<Record<string, string[]>> => {
    const { body } = await given.team.api<{ groups: Groups }>(
      'GET',
      `${path}/heartrate/grouped?start_date=${at(2).slice(0, 10)}`,
    );
    const timesOf = ([slug, groups]: [string, Groups[string]]) => [
      slug,
      groups.flatMap(({ data, source }) => data.map(({ timestamp }) => `${source.type} ${timestamp}`)).toSorted(),
    ];
    return Object.fromEntries(Object.entries(body.groups).map(timesOf));
  };
  const expected = (merged: string[]) => ({
    apple_health_kit: [`watch ${at(1, 9)}`],
    google_health: [...merged.map((time) => `multiple_sources ${time}`), `watch ${at(1, 9)}`],
  });
  expect(await read()).toEqual(expected(times));
  // If a notification reports only a change, samples that Google does not return are kept. Google may return them
  // later.
  const all = times;
  times = [at(1, 8)];
  await notify(notificationOf('UPSERT', 'heart-rate', at(1, 8), at(1, 11), owner));
  await given.app.runJobs();
  expect(await read()).toEqual(expected(all));
  // Google still has one of the three hours in the span.
  times = [at(1, 10)];
  await notify(notificationOf('DELETE', 'heart-rate', at(1, 8), at(1, 10), owner));
  await given.app.runJobs();
  expect(await read()).toEqual(expected([at(1, 10), at(1, 11)]));
});
