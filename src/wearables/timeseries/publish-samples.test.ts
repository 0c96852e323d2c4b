import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { makeUser, subscribe } from '../../../test/factories.ts';
import { startEndpoint, type Endpoint } from '../../../test/endpoint.ts';
import { MAX_EVENT_BYTES } from '../../events/publish.ts';

let app: TestApp;
let endpoint: Endpoint;
let user: { user_id: string; client_user_id: string };
beforeAll(async () => {
  app = await startTestApp();
  endpoint = await startEndpoint();
  await subscribe(app.team, endpoint);
});
afterAll(async () => {
  await endpoint.close();
  await app.close();
});
beforeEach(async () => {
  await app.deliver();
  endpoint.received.length = 0;
  user = await makeUser(app.team);
});

const glucose = (minute: number, value: number, more: object = {}) => ({
  resource: 'glucose',
  provider: 'dexcom_v3',
  source_type: 'automatic',
  timestamp: new Date(Date.UTC(2026, 0, 5, 7, minute)).toISOString(),
  timezone_offset: -25_200,
  unit: 'mmol/L',
  value,
  ...more,
});
const push = async (samples: unknown) => {
  const { status } = await app.api('POST', `/v2/timeseries/${user.user_id}/samples`, samples);
  expect(status).toBe(200);
  await app.deliver();
};
type Data = {
  source_id: number;
  user_id: string;
  version: number;
  source: Record<string, unknown>;
  data: { value: number; timestamp: string }[];
};
const receivedEvents = () =>
  endpoint.received
    .map(({ body }) => ({ type: body.event_type, ...(body.data as Data) }))
    .toSorted((a, b) => (a.type < b.type ? -1 : 1));

describe('a push publishes', () => {
  test('new samples with their source, as a page shows them', async () => {
    await push([glucose(1, 5.5), glucose(6, 5.6)]);
    expect(endpoint.received.map(({ body }) => body)).toEqual([
      {
        event_type: 'daily.data.glucose.created',
        team_id: app.team.id,
        user_id: user.user_id,
        client_user_id: user.client_user_id,
        origin: 'live',
        data: {
          user_id: user.user_id,
          version: expect.any(Number),
          source_id: expect.any(Number),
          source: {
            provider: 'dexcom_v3',
            type: 'automatic',
            app_id: null,
            device_id: null,
            sport: null,
            workout_id: null,
            name: 'Dexcom',
            slug: 'dexcom_v3',
            logo: expect.stringMatching(/^http.*dexcom_v3.svg$/),
          },
          data: [5.5, 5.6].map((value, n) => ({
            id: null,
            timezone_offset: -25_200,
            type: null,
            unit: 'mmol/L',
            timestamp: `2026-01-05T07:0${n === 0 ? 1 : 6}:00.000Z`,
            value,
          })),
        },
      },
    ]);
    const shown = await app.api<{ groups: Record<string, { data: unknown[] }[]> }>(
      'GET',
      `/v2/timeseries/${user.user_id}/glucose/grouped?start_date=2026-01-01&end_date=2026-12-31`,
    );
    expect(shown.body.groups['dexcom_v3']?.[0]?.data).toEqual(receivedEvents()[0]?.data);
  });

  test('new and changed samples in two events, and no unchanged samples', async () => {
    await push([glucose(1, 5.5), glucose(2, 5.6)]);
    endpoint.received.length = 0;
    await push([glucose(1, 5.5), glucose(2, 7.7), glucose(3, 5.7)]);
    expect(receivedEvents().map(({ type, data }) => [type, data.map(({ value }) => value)])).toEqual([
      ['daily.data.glucose.created', [5.7]],
      ['daily.data.glucose.updated', [7.7]],
    ]);
  });

  test('a version that orders two changes of a sample, also if they arrive out of order', async () => {
    await push([glucose(1, 5.5)]);
    // A batch that several statements write has one version, one event of new samples and one of changed samples.
    await push([glucose(1, 6.5), ...Array.from({ length: 600 }, (_, n) => glucose(n + 2, 5))]);
    await push([glucose(1, 7.5), glucose(1, 4.5, { source_type: 'fingerprick' })]);
    const latest = new Map<string, { version: number; value: number }>();
    for (const { source_id, version, data } of receivedEvents().toReversed())
      for (const { timestamp, value } of data) {
        const key = `${source_id} ${timestamp}`;
        if ((latest.get(key)?.version ?? -1) < version) latest.set(key, { version, value });
      }
    const at = glucose(1, 0).timestamp;
    expect(
      [...latest]
        .filter(([key]) => key.endsWith(at))
        .map(([, { value }]) => value)
        .toSorted(),
    ).toEqual([4.5, 7.5]);
    const [first, second] = [
      receivedEvents().find(({ data }) => data[0]?.value === 5.5),
      receivedEvents().filter(({ data }) => data.length === 600),
    ];
    expect(second.map(({ version }) => version > (first?.version ?? Infinity))).toEqual([true]);
  });

  test('a version that rises also after a source was erased, and after the clock went back', async () => {
    const versionOf = async (value: number): Promise<number> => {
      endpoint.received.length = 0;
      await push([glucose(1, value)]);
      return receivedEvents()[0]?.version ?? NaN;
    };
    const first = await versionOf(5.5);
    await sql`delete from samples`.execute(app.db);
    await sql`delete from streams where user_id = ${user.user_id}`.execute(app.db);
    const second = await versionOf(5.5);
    expect(second).toBeGreaterThan(first);
    await sql`update streams set version = version + 3600000 where user_id = ${user.user_id}`.execute(app.db);
    expect(await versionOf(6)).toBe(second + 3_600_001);
  });

  test('nothing if no sample changed', async () => {
    await push([glucose(1, 5.5)]);
    endpoint.received.length = 0;
    await push([glucose(1, 5.5)]);
    expect(receivedEvents()).toEqual([]);
  });

  test('an event for each series and source, under the name of the series in events', async () => {
    const of = (resource: string, unit: string) => glucose(1, 70, { resource, unit });
    await push([
      of('body_weight', 'kg'),
      of('body_fat', '%'),
      glucose(1, 5.5),
      glucose(1, 5.6, { source_type: 'manual_scan' }),
    ]);
    expect(receivedEvents().map(({ type, source }) => [type, source['type']])).toEqual([
      ['daily.data.fat.created', 'automatic'],
      ['daily.data.glucose.created', expect.any(String)],
      ['daily.data.glucose.created', expect.any(String)],
      ['daily.data.weight.created', 'automatic'],
    ]);
    expect(new Set(receivedEvents().map(({ source_id }) => source_id)).size).toBe(4);
  });

  test('nothing of a hypnogram, which has no event', async () => {
    await push([
      {
        ...glucose(1, 2),
        resource: 'hypnogram',
        unit: 'stage',
        start: '2026-01-05T01:00:00Z',
        end: '2026-01-05T01:30:00Z',
      },
    ]);
    expect(receivedEvents()).toEqual([]);
  });

  test('2,500 samples in three events, each sample once', async () => {
    await push(Array.from({ length: 2_500 }, (_, n) => glucose(n, n / 100)));
    expect(
      receivedEvents()
        .map(({ data }) => data.length)
        .toSorted(),
    ).toEqual([1_000, 1_000, 500]);
    const times = receivedEvents().flatMap(({ data }) => data.map(({ timestamp }) => timestamp));
    expect(new Set(times).size).toBe(2_500);
  });

  test.each([
    ['letters', 'x'],
    ['characters of four bytes', '\u{1F957}'],
    ['characters that JSON escapes', '\u0001'],
    ['quotes', '"'],
  ])('long notes of %s in events that do not exceed the limit of bytes', async (_what, letter) => {
    const notes = Array.from({ length: 120 }, (_, n) => ({
      ...glucose(n, 0),
      resource: 'note',
      unit: 'text',
      value: `x${letter.repeat(3_998)}x`,
      start: new Date(Date.UTC(2026, 0, 5, 7, n)).toISOString(),
      end: new Date(Date.UTC(2026, 0, 5, 7, n)).toISOString(),
    }));
    await push(notes);
    expect(endpoint.received.length).toBeGreaterThan(1);
    for (const { raw } of endpoint.received) expect(Buffer.byteLength(raw)).toBeLessThanOrEqual(MAX_EVENT_BYTES);
    expect(receivedEvents().flatMap(({ data }) => data).length).toBe(120);
  });
});

test('a refused batch publishes nothing and stores nothing', async () => {
  const kinds = Array.from({ length: 1_001 }, (_, n) =>
    glucose(1, 1, { resource: 'igg', unit: 'FSU', type: `allergen ${n}` }),
  );
  const { status } = await app.api('POST', `/v2/timeseries/${user.user_id}/samples`, [glucose(1, 5.5), ...kinds]);
  await app.deliver();
  const { rows } = await app.db.executeQuery<{ count: number }>(
    app.db
      .selectFrom('streams')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('user_id', '=', user.user_id)
      .compile(),
  );
  expect([status, receivedEvents(), rows[0]?.count]).toEqual([403, [], 0]);
});
