import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { makeUser } from '../../../test/factories.ts';
import { SERIES } from '../series.ts';
import type { Series } from '../series-type.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const heartRate = (minute: number, value: number, more: object = {}) => ({
  resource: 'heartrate',
  provider: 'apple_health_kit',
  source_type: 'watch',
  timestamp: new Date(Date.UTC(2026, 0, 5, 7, minute)).toISOString(),
  unit: 'bpm',
  value,
  ...more,
});

type Counts = { created: number; updated: number; unchanged: number; outside_ingestion_bounds: number };
type Problem = { loc: (string | number)[]; type: string; msg: string };
const push = (userId: string, samples: unknown) =>
  app.api<Counts & { detail: Problem[]; code: string }>('POST', `/v2/timeseries/${userId}/samples`, samples);
const read = async (userId: string, name: string, more = '') => {
  const { body } = await app.api<{
    groups: Record<string, { source: { type: string; provider: string }; data: Record<string, unknown>[] }[]>;
    next_cursor: string | null;
  }>('GET', `/v2/timeseries/${userId}/${name}/grouped?start_date=2026-01-01&end_date=2026-12-31${more}`);
  return body;
};
const valuesOf = async (userId: string, name: string) =>
  Object.values((await read(userId, name)).groups)
    .flat()
    .flatMap(({ data }) => data.map(({ value }) => value));

/** A sample of the series with every key that it can have. */
function sampleOf(series: Series): Record<string, unknown> {
  const times = series.interval
    ? { start: '2026-01-05T07:00:00.000Z', end: '2026-01-05T07:30:00.000Z' }
    : { timestamp: '2026-01-05T07:00:00.000Z' };
  const value = {
    number: { value: series.only ?? 4.5 },
    text: { value: 'Two eggs\nand a walk — naïve café' },
    blood_pressure: { systolic: 121, diastolic: 79.5 },
  }[series.value];
  const extras = Object.entries(series.extras).map(([name, { words, list }]) => [
    name,
    list ? words.slice(0, 2) : words[0],
  ]);
  return {
    resource: series.name,
    provider: 'manual',
    source_type: 'app',
    timezone_offset: -25_200,
    unit: series.unit,
    ...times,
    ...value,
    ...(series.type === null ? {} : { type: series.type === 'any' ? 'peanut' : series.type[0] }),
    ...Object.fromEntries(extras),
  };
}

describe('a batch of samples', () => {
  test.each(SERIES.map((series) => [series.name, series] as const))(
    'of %s is read back as it was sent, with its source',
    async (name, series) => {
      const { user_id } = await makeUser(app.team);
      const sent = sampleOf(series);
      expect(await push(user_id, [sent])).toMatchObject({
        status: 200,
        body: { created: 1, updated: 0, unchanged: 0 },
      });
      const { groups, next_cursor } = await read(user_id, name);
      const { resource: _, provider, source_type, ...shown } = sent;
      expect(groups).toEqual({
        manual: [
          {
            source: expect.objectContaining({ provider, slug: provider, type: source_type, name: 'Manual' }),
            data: [expect.objectContaining({ id: null, timestamp: '2026-01-05T07:00:00.000Z', ...shown })],
          },
        ],
      });
      expect(next_cursor).toBeNull();
    },
  );

  test('is answered with the numbers of created, updated and unchanged samples', async () => {
    const { user_id } = await makeUser(app.team);
    expect((await push(user_id, [heartRate(1, 60), heartRate(2, 61)])).body).toMatchObject({ created: 2 });
    const again = await push(user_id, [heartRate(1, 60), heartRate(2, 75), heartRate(3, 62)]);
    expect(again.body).toEqual({ created: 1, updated: 1, unchanged: 1, outside_ingestion_bounds: 0 });
    expect(await valuesOf(user_id, 'heartrate')).toEqual([60, 75, 62]);
  });

  test.each([
    ['another end', { end: '2026-01-05T07:40:00Z' }],
    ['another offset', { timezone_offset: 3600 }],
    ['an unknown offset', { timezone_offset: null }],
    ['another sensor', { sensor_location: 'wrist' }],
  ])('with %s at the same time is an update', async (_what, change) => {
    const { user_id } = await makeUser(app.team);
    const sample = sampleOf(SERIES.find(({ name }) => name === 'body_temperature') as Series);
    await push(user_id, [sample]);
    expect((await push(user_id, [sample])).body).toMatchObject({ unchanged: 1 });
    expect((await push(user_id, [{ ...sample, ...change }])).body).toMatchObject({ created: 0, updated: 1 });
  });

  test('updates a note only if its text changed, although the stored text is sealed', async () => {
    const { user_id } = await makeUser(app.team);
    const note = sampleOf(SERIES.find(({ name }) => name === 'note') as Series);
    await push(user_id, [note]);
    expect((await push(user_id, [note])).body).toMatchObject({ unchanged: 1 });
    expect((await push(user_id, [{ ...note, value: 'Three eggs' }])).body).toMatchObject({ updated: 1 });
    expect(await valuesOf(user_id, 'note')).toEqual(['Three eggs']);
  });

  test('with one moment twice stores the later of the two samples', async () => {
    const { user_id } = await makeUser(app.team);
    expect((await push(user_id, [heartRate(1, 60), heartRate(1, 64)])).body).toMatchObject({
      created: 1,
      unchanged: 1,
    });
    expect(await valuesOf(user_id, 'heartrate')).toEqual([64]);
  });

  test('stores two samples if two kinds of device or providers have the same moment', async () => {
    const { user_id } = await makeUser(app.team);
    await push(user_id, [
      heartRate(1, 60),
      heartRate(1, 61, { source_type: 'ring' }),
      heartRate(1, 62, { provider: 'oura' }),
    ]);
    const { groups } = await read(user_id, 'heartrate');
    expect(
      Object.entries(groups).map(([provider, all]) => [
        provider,
        all.map(({ source, data }) => [source.type, data[0]?.['value']]),
      ]),
    ).toEqual([
      [
        'apple_health_kit',
        [
          ['ring', 61],
          ['watch', 60],
        ],
      ],
      ['oura', [['watch', 62]]],
    ]);
  });

  test('stores each part of a lipid panel, although all have one time', async () => {
    const { user_id } = await makeUser(app.team);
    const part = (type: string, value: number, unit = 'mmol/L') => ({
      ...heartRate(1, value),
      resource: 'cholesterol',
      type,
      unit,
    });
    await push(user_id, [
      part('ldl', 2.5),
      part('hdl', 1.4),
      part('total', 193.325, 'mg/dL'),
      part('triglycerides', 177.08, 'mg/dL'),
    ]);
    const { body } = await app.api<{ type: string; value: number }[]>(
      'GET',
      `/v2/timeseries/${user_id}/cholesterol/ldl?start_date=2026-01-01&end_date=2026-12-31`,
    );
    expect(body.map(({ type, value }) => [type, value])).toEqual([['ldl', 2.5]]);
    const values = (await valuesOf(user_id, 'cholesterol')) as number[];
    expect(values.map((value) => Math.round(value * 100) / 100).toSorted()).toEqual([1.4, 2, 2.5, 5]);
  });

  test.each([
    ['glucose', 'mg/dL', 90.078, 5],
    ['body_weight', 'lb', 100, 45.359237],
    ['body_temperature', '°F', 98.6, 37],
    ['distance', 'km', 1.5, 1500],
    ['water', 'L', 0.5, 500],
    ['caffeine', 'mg', 80, 0.08],
    ['calories_active', 'kJ', 418.4, 100],
    ['stand_duration', 's', 90, 1.5],
  ])('of %s in %s is converted: %d is %d', async (name, unit, value, converted) => {
    const { user_id } = await makeUser(app.team);
    const series = SERIES.find((each) => each.name === name) as Series;
    await push(user_id, [{ ...sampleOf(series), unit, value }]);
    const [stored] = await valuesOf(user_id, name);
    expect(stored).toBeCloseTo(converted, 9);
  });

  test('can be NDJSON and compressed with gzip', async () => {
    const { user_id } = await makeUser(app.team);
    const lines = [heartRate(1, 60), heartRate(2, 61)].map((sample) => JSON.stringify(sample)).join('\n\n');
    const send = (body: Buffer, headers: Record<string, string>) =>
      fetch(`${app.baseUrl}/v2/timeseries/${user_id}/samples`, {
        method: 'POST',
        headers: { 'x-service-api-key': app.team.api_key, ...headers },
        body: new Uint8Array(body),
      });
    const packed = await send(gzipSync(lines), { 'content-type': 'application/x-ndjson', 'content-encoding': 'gzip' });
    expect([packed.status, await packed.json()]).toEqual([200, expect.objectContaining({ created: 2 })]);
    const json = gzipSync(JSON.stringify([heartRate(3, 62)]));
    expect((await send(json, { 'content-type': 'application/json', 'content-encoding': 'gzip' })).status).toBe(200);
    const broken = await send(Buffer.from('no gzip'), {
      'content-type': 'application/json',
      'content-encoding': 'gzip',
    });
    expect([broken.status, ((await broken.json()) as { detail: Problem[] }).detail[0]?.type]).toEqual([
      422,
      'json_invalid',
    ]);
    const bomb = await send(gzipSync(Buffer.alloc(64 * 1024 * 1024, ' ')), {
      'content-type': 'application/json',
      'content-encoding': 'gzip',
    });
    expect(bomb.status).toBe(413);
    expect((await send(json, { 'content-type': 'application/json', 'content-encoding': 'br' })).status).toBe(415);
  });

  test('can contain 5,000 samples and no more', async () => {
    const { user_id } = await makeUser(app.team);
    const many = Array.from({ length: 5_000 }, (_, n) => heartRate(n, 50 + (n % 40)));
    expect((await push(user_id, many)).body).toMatchObject({ created: 5_000 });
    const more = await push(user_id, [...many, heartRate(5_001, 60)]);
    expect([more.status, more.body.detail]).toEqual([
      422,
      [{ type: 'too_long', loc: ['body'], msg: 'List should have at most 5000 items' }],
    ]);
  });
});

describe('a refused batch', () => {
  const future = new Date(Date.now() + 3_600_000).toISOString();
  const half = { start: '2026-01-05T07:00:00Z', end: '2026-01-05T07:30:00Z' };
  const steps = { resource: 'steps', provider: 'manual', unit: 'count', value: 12 };
  test.each<[string, object, (string | number)[], string]>([
    ['an unknown series', heartRate(1, 60, { resource: 'heart_beats' }), ['resource'], 'enum'],
    ['an unknown provider', heartRate(1, 60, { provider: 'acme' }), ['provider'], 'enum'],
    ['an unknown kind of device', heartRate(1, 60, { source_type: 'toaster' }), ['source_type'], 'enum'],
    ['an unknown unit', heartRate(1, 60, { unit: 'Hz' }), ['unit'], 'value_error'],
    ['a unit that is a property of every object', heartRate(1, 60, { unit: 'constructor' }), ['unit'], 'value_error'],
    ['no time', { ...heartRate(1, 60), timestamp: undefined }, ['timestamp'], 'missing'],
    [
      'a moment before there were devices',
      heartRate(1, 60, { timestamp: '1000-01-01T00:00:00Z' }),
      ['timestamp'],
      'value_error',
    ],
    ['a moment in the future', heartRate(1, 60, { timestamp: future }), ['timestamp'], 'datetime_parsing'],
    [
      'an interval before there were devices',
      { ...steps, start: '0001-01-01T00:00:00Z', end: '0001-01-01T00:01:00Z' },
      ['start'],
      'value_error',
    ],
    ['an interval without its end', { ...steps, start: '2026-01-05T07:00:00Z' }, ['end'], 'missing'],
    [
      'an end before its start',
      { ...steps, start: '2026-01-05T07:00:00Z', end: '2026-01-05T06:59:59Z' },
      ['end'],
      'value_error',
    ],
    [
      'an interval of eight days',
      { ...steps, start: '2026-01-05T07:00:00Z', end: '2026-01-13T07:00:01Z' },
      ['end'],
      'value_error',
    ],
    ['a text for a number', heartRate(1, 60, { value: 'sixty' }), ['value'], 'float_type'],
    ['a number outside the range', heartRate(1, 60, { value: 1e12 }), ['value'], 'value_error'],
    [
      'an alert with a value other than one',
      { ...steps, ...half, resource: 'heart_rate_alert', type: 'low_heart_rate', value: 2 },
      ['value'],
      'value_error',
    ],
    ['no value', { ...heartRate(1, 60), value: undefined }, ['value'], 'missing'],
    [
      'half a blood pressure',
      { ...heartRate(1, 60), resource: 'blood_pressure', unit: 'mmHg', systolic: 120 },
      ['diastolic'],
      'missing',
    ],
    [
      'a type that its series does not have',
      { ...heartRate(1, 2), resource: 'cholesterol', unit: 'mmol/L', type: 'vldl' },
      ['type'],
      'enum',
    ],
    ['an offset of a day', heartRate(1, 60, { timezone_offset: 86_400 }), ['timezone_offset'], 'less_than_equal'],
  ])('stores nothing and names the index of the sample: %s', async (_what, wrong, path, type) => {
    const { user_id } = await makeUser(app.team);
    const { status, body } = await push(user_id, [heartRate(0, 59), wrong]);
    expect(status).toBe(422);
    expect(body.detail.map((problem) => [problem.loc, problem.type])).toEqual([[['body', 1, ...path], type]]);
    expect(await valuesOf(user_id, 'heartrate')).toEqual([]);
  });

  test('names the index of a sample that names another user', async () => {
    const { user_id } = await makeUser(app.team);
    const other = await makeUser(app.team);
    const mine = heartRate(1, 60, { user_id: user_id.toUpperCase() });
    const { status, body } = await push(user_id, [mine, heartRate(2, 60, { user_id: other.user_id })]);
    expect([status, body.code, body.detail[0]?.loc]).toEqual([422, 'sample_of_other_user', ['body', 1, 'user_id']]);
    expect(await valuesOf(user_id, 'heartrate')).toEqual([]);
  });

  test('lists a hundred problems if there are five thousand', async () => {
    const { user_id } = await makeUser(app.team);
    const { status, body } = await push(
      user_id,
      Array.from({ length: 5_000 }, () => heartRate(1, 60, { unit: 'Hz' })),
    );
    expect([status, body.detail.length]).toEqual([422, 100]);
  });

  test('answers 404 for a user of another team', async () => {
    const other = await app.makeTeam('Other team');
    const { user_id } = await makeUser(other);
    expect(await push(user_id, [heartRate(1, 60)])).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });

  test('answers limit_reached if a user would have more than 1,000 pushed streams with samples', async () => {
    const { user_id } = await makeUser(app.team);
    const allergens = Array.from({ length: 1_001 }, (_, n) => ({
      ...heartRate(1, 1),
      resource: 'ige',
      unit: 'FSU',
      type: `allergen ${n}`,
    }));
    expect(await push(user_id, allergens)).toMatchObject({ status: 403, body: { code: 'limit_reached' } });
    expect((await push(user_id, allergens.slice(1))).body).toMatchObject({ created: 1_000 });
    expect(await push(user_id, allergens.slice(0, 1))).toMatchObject({ status: 403, body: { code: 'limit_reached' } });
    // Streams of pulled providers are counted apart.
    expect((await push(user_id, [heartRate(1, 60, { provider: 'oura' })])).body).toMatchObject({ created: 1 });
    const { provider, source_type, timestamp } = heartRate(1, 1);
    const ofIge = { resource: 'ige', provider, source_type, timestamp };
    await app.api('DELETE', `/v2/timeseries/${user_id}/samples`, [{ ...ofIge, type: 'allergen 7' }]);
    expect((await push(user_id, allergens.slice(0, 1))).body).toMatchObject({ created: 1 });
    await app.api('DELETE', `/v2/timeseries/${user_id}/samples`, [ofIge]);
    // One more would be too many if streams without samples counted.
    const others = allergens.slice(0, 2).map((each) => ({ ...each, type: `other ${each.type}` }));
    expect((await push(user_id, others)).body).toMatchObject({ created: 2 });
  });
});

test("a sample is counted and not stored if its local day is outside the user's ingestion bounds", async () => {
  const { body: user } = await app.api<{ user_id: string }>('POST', '/v2/user', {
    client_user_id: 'bounded',
    ingestion_start: '2026-01-05',
    ingestion_end: '2026-01-06',
  });
  const at = (timestamp: string, timezone_offset: number | null, value: number) =>
    heartRate(0, value, { timestamp, timezone_offset });
  const { body } = await push(user.user_id, [
    at('2026-01-04T23:59:59Z', null, 1),
    at('2026-01-04T23:30:00Z', 3_600, 2),
    at('2026-01-05T00:00:00Z', -3_600, 3),
    at('2026-01-06T23:59:59Z', null, 4),
    at('2026-01-07T01:00:00Z', -7_200, 5),
    at('2026-01-07T00:00:00Z', null, 6),
  ]);
  expect(body).toEqual({ created: 3, updated: 0, unchanged: 0, outside_ingestion_bounds: 3 });
  expect(await valuesOf(user.user_id, 'heartrate')).toEqual([2, 4, 5]);
});

test('the local day of a sample without an offset is that of the fallback time zone of the user', async () => {
  const { body: user } = await app.api<{ user_id: string }>('POST', '/v2/user', {
    client_user_id: 'bounded in Phoenix',
    fallback_time_zone: 'America/Phoenix',
    ingestion_start: '2026-01-05',
  });
  const samples = [
    heartRate(0, 1, { timestamp: '2026-01-05T06:59:59Z' }),
    heartRate(0, 2, { timestamp: '2026-01-05T07:00:00Z' }),
  ];
  expect((await push(user.user_id, samples)).body).toMatchObject({ created: 1, outside_ingestion_bounds: 1 });
  expect(await valuesOf(user.user_id, 'heartrate')).toEqual([2]);
});

describe('a push', () => {
  test("with a user's own token is accepted for this user only", async () => {
    const [user, other] = [await makeUser(app.team), await makeUser(app.team)];
    const { body } = await app.api<{ sign_in_token: string }>('POST', `/v2/user/${user.user_id}/sign_in_token`);
    const as = { key: null, headers: { authorization: `Bearer ${body.sign_in_token}` } };
    const send = (userId: string) =>
      app.api<Counts>('POST', `/v2/timeseries/${userId}/samples`, [heartRate(1, 60)], as);
    expect((await send(user.user_id)).body).toMatchObject({ created: 1 });
    expect((await send(other.user_id)).status).toBe(404);
  });

  test("of a pulled provider's data is refused with a user's own token and accepted with a team API key", async () => {
    const { user_id } = await makeUser(app.team);
    const { body } = await app.api<{ sign_in_token: string }>('POST', `/v2/user/${user_id}/sign_in_token`);
    const as = { key: null, headers: { authorization: `Bearer ${body.sign_in_token}` } };
    const send = (providers: string[], by = {}) =>
      app.api<Counts & { code: string }>(
        'POST',
        `/v2/timeseries/${user_id}/samples`,
        providers.map((provider, at) => heartRate(at, 60, { provider })),
        by,
      );
    for (const provider of ['oura', 'fitbit', 'dexcom_v3', 'freestyle_libre']) {
      const refused = await send(['apple_health_kit', provider], as);
      expect([provider, refused.status, refused.body.code]).toEqual([provider, 403, 'provider_not_pushable']);
      expect((await send([provider])).body).toMatchObject({ created: 1 });
    }
    const phones = [
      'apple_health_kit',
      'health_connect',
      'samsung_health',
      'freestyle_libre_ble',
      'omron_ble',
      'manual',
    ];
    expect((await send(phones, as)).body).toMatchObject({ created: phones.length });
  });

  test('from a phone makes a connection', async () => {
    const { user_id } = await makeUser(app.team);
    await push(user_id, [heartRate(1, 60)]);
    const { body } = await app.api<{ providers: { slug: string; status: string }[] }>(
      'GET',
      `/v2/user/providers/${user_id}`,
    );
    expect(body.providers).toEqual([expect.objectContaining({ slug: 'apple_health_kit', status: 'connected' })]);
  });
});

describe('concurrent batches of one user', () => {
  test('do not deadlock if their samples are in different orders', async () => {
    const providers = ['apple_health_kit', 'health_connect', 'manual', 'samsung_health', 'omron_ble', 'beurer_ble'];
    for (let round = 0; round < 5; round += 1) {
      const { user_id } = await makeUser(app.team);
      const all = providers.map((provider) => heartRate(round, 60, { provider }));
      const responses = await Promise.all(
        [all, all.toReversed(), all, all.toReversed()].map((each) => push(user_id, each)),
      );
      expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      expect(responses.reduce((sum, { body }) => sum + body.created, 0)).toBe(providers.length);
    }
  });
});

test('a device of the user is shown as the source, and any other device is refused', async () => {
  const { user_id } = await makeUser(app.team);
  const nobodys = await push(user_id, [heartRate(1, 60, { device_id: '0197a1b2-0000-7000-8000-000000000000' })]);
  expect([nobodys.status, nobodys.body.code]).toEqual([404, 'not_found']);
  const { body } = await app.api<{ items: { id: string }[] }>('POST', `/v2/summary/devices/${user_id}`, [
    { provider: 'apple_health_kit', source_type: 'watch', device_id: 'SN-1', device_model: 'Watch' },
  ]);
  const device_id = body.items[0]?.id;
  expect((await push(user_id, [heartRate(1, 60, { device_id })])).body).toMatchObject({ created: 1 });
  const { groups } = await read(user_id, 'heartrate');
  expect(groups['apple_health_kit']?.[0]?.source).toMatchObject({ device_id });
});

test.each([
  ['2026-01-05T23:30:00-08:00', undefined, -28_800],
  ['2026-01-05T23:30:00-08:00', 3_600, 3_600],
  ['2026-01-05T23:30:00Z', undefined, null],
  ['2026-01-05T23:30:00+00:00', undefined, null],
])(
  'a time written as %s and the offset %s are stored as an offset of %s seconds',
  async (timestamp, timezone_offset, shown) => {
    const { user_id } = await makeUser(app.team);
    await push(user_id, [
      heartRate(1, 60, { timestamp, ...(timezone_offset === undefined ? {} : { timezone_offset }) }),
    ]);
    expect((await read(user_id, 'heartrate')).groups['apple_health_kit']?.[0]?.data[0]).toMatchObject({
      timezone_offset: shown,
    });
  },
);

test('a body of empty lines, or of too many values, is refused before it takes much processor time', async () => {
  const { user_id } = await makeUser(app.team);
  const send = (text: string) =>
    fetch(`${app.baseUrl}/v2/timeseries/${user_id}/samples`, {
      method: 'POST',
      headers: {
        'x-service-api-key': app.team.api_key,
        'content-type': 'application/x-ndjson',
        'content-encoding': 'gzip',
      },
      body: new Uint8Array(gzipSync(text)),
    });
  // This measures processor time, because other processes would lengthen the time by the clock.
  const before = process.cpuUsage();
  const statuses: number[] = [];
  for (const text of ['\n'.repeat(4_000_000), ' \n'.repeat(2_000_000), `[${'0,'.repeat(7_000)}0]\n`.repeat(250)])
    statuses.push((await send(text)).status);
  expect(statuses).toEqual([422, 422, 422]);
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1_000).toBeLessThan(2_000);
});

test('samples of one batch may differ in their keys and the order of keys, and may have unknown keys', async () => {
  const { user_id } = await makeUser(app.team);
  const reversed = (sample: object) => Object.fromEntries(Object.entries(sample).toReversed());
  const samples = [
    heartRate(1, 60, { timezone_offset: 3_600 }),
    reversed(heartRate(2, 61, { timezone_offset: 7_200 })),
    heartRate(3, 62, { unknown: { key: 1 }, timezone_offset: 3_600 }),
    heartRate(4, 63),
    { ...heartRate(5, 64), unit: undefined, toString: 'bpm' },
    heartRate(6, 65, { timezone_offset: -3_600 }),
  ];
  const refused = await push(user_id, samples);
  expect(refused).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', 4, 'unit'], type: 'missing' }] } });
  expect((await push(user_id, samples.toSpliced(4, 1))).body).toMatchObject({ created: 5 });
  const { groups } = await read(user_id, 'heartrate');
  const shown = Object.values(groups)
    .flat()
    .flatMap(({ data }) => data.map(({ value, timezone_offset }) => [value, timezone_offset]));
  expect(shown).toEqual([
    [60, 3_600],
    [61, 7_200],
    [62, 3_600],
    [63, null],
    [65, -3_600],
  ]);
});

test('a batch that is sent again with its idempotency key gets the first answer', async () => {
  const { user_id } = await makeUser(app.team);
  const send = (value: number) =>
    app.api<Counts & { code: string }>('POST', `/v2/timeseries/${user_id}/samples`, [heartRate(1, value)], {
      headers: { 'x-idempotency-key': `batch-${user_id}` },
    });
  expect((await send(60)).body).toMatchObject({ created: 1 });
  expect((await send(60)).body).toMatchObject({ created: 1, unchanged: 0 });
  expect(await send(61)).toMatchObject({ status: 409, body: { code: 'idempotency_mismatch' } });
});

test('a broken line of NDJSON is reported with its line number and its index among the values', async () => {
  const { user_id } = await makeUser(app.team);
  const good = JSON.stringify({
    resource: 'heartrate',
    provider: 'manual',
    timestamp: '2026-01-05T08:00:00Z',
    unit: 'bpm',
    value: 60,
  });
  const { status, body } = await app.api<{ detail: unknown }>('POST', `/v2/timeseries/${user_id}/samples`, undefined, {
    raw: `${good}\n\n{"resource`,
    headers: { 'content-type': 'application/x-ndjson' },
  });
  expect([status, body.detail]).toEqual([
    422,
    [{ type: 'json_invalid', loc: ['body', 1], msg: 'Line 3: The body is not valid JSON' }],
  ]);
});
