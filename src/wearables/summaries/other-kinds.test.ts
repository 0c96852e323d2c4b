import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { makeUser, pushSummaries } from '../../../test/factories.ts';
import { problemsOf } from '../../../test/people.ts';
import { makePerson, type Person, type Summary } from '../../../test/summary-person.ts';
import { findTraces } from '../../../test/find-traces.ts';

let app: TestApp;
let person: Person;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  person = await makePerson(app);
});
afterEach(() => person.close());

const ring = { provider: 'oura', source_type: 'ring' };
const get = <T = Summary>(path: string) => person.team.api<T>('GET', path);

/** Pushes a summary and returns it as the API returns it. Checks that the event has the same summary. */
async function roundTrip(path: string, item: object): Promise<Summary> {
  await person.push(path, item);
  const [summary] = await person.read(path);
  const events = await person.takeEvents();
  expect(events.at(-1)?.[1]).toEqual(summary);
  return summary as Summary;
}

describe('a sleep cycle', () => {
  const night = { ...ring, bedtime_start: '2026-01-05T22:00:00-07:00', bedtime_stop: '2026-01-06T06:00:00-07:00' };
  const cycle = (sleep_id: string | undefined, changes: object = {}) => ({
    ...ring,
    sleep_id,
    session_start: '2026-01-05T22:00:00-07:00',
    session_end: '2026-01-06T06:00:00-07:00',
    stage_start_offset_second: [0, 600],
    stage_end_offset_second: [600, 28_800],
    stage_type: [4, 2],
    ...changes,
  });

  test('belongs to a sleep and is published with its stages', async () => {
    const { items } = await person.push('sleep', { ...night, total: 27_000 });
    const summary = await roundTrip('sleep_cycle', cycle(items[0]?.id, { time_zone: 'america/phoenix' }));
    expect(summary).toMatchObject({
      sleep_id: items[0]?.id,
      session_start: '2026-01-06T05:00:00.000Z',
      stage_start_offset_second: [0, 600],
      stage_end_offset_second: [600, 28_800],
      stage_type: [4, 2],
      time_zone: 'America/Phoenix',
      source_provider: 'oura',
      source_type: 'ring',
      source_app_id: null,
      source: { slug: 'oura' },
    });
  });

  test('counts in the size of a list with its rendered size, however little the database stores', async () => {
    const { items } = await person.push('sleep', { ...night, total: 27_000 });
    const stages = { stage_start_offset_second: 0, stage_end_offset_second: 25_200, stage_type: 4 };
    const alike = Object.fromEntries(Object.entries(stages).map(([name, value]) => [name, Array(800).fill(value)]));
    const cycles = Array.from({ length: 25 }, (_, n) => cycle(items[0]?.id, { ...alike, provider_id: `cycle ${n}` }));
    await person.push('sleep_cycle', ...cycles);
    const path = `/v2/summary/sleep_cycle/${person.userId}?start_date=2026-01-01&end_date=2026-01-31`;
    expect(await person.read('sleep_cycle')).toHaveLength(25);
    const grow = (times: number) =>
      sql`
        insert into summaries (user_id, id, team_id, resource, provider, source_type, key, calendar_date, start_at,
          values, raw, content_hash, raw_hash)
        select user_id, gen_random_uuid(), team_id, resource, provider, source_type, 'copy ' || gen_random_uuid(),
          calendar_date, start_at, values, raw, content_hash, raw_hash
          from summaries, generate_series(1, ${times}::integer) as n where user_id = ${person.userId}
            and resource = 'sleep_cycle'`.execute(app.db);
    await grow(19);
    const { rows } = await sql<{ bytes: number }>`
      select sum(pg_column_size(values))::integer as bytes from summaries where user_id = ${person.userId}`.execute(
      app.db,
    );
    expect(rows[0]?.bytes).toBeLessThan(1024 * 1024);
    expect(await person.read('sleep_cycle')).toHaveLength(500);
    await grow(1);
    const { status, body } = await get<{ code: string }>(path);
    expect([status, body.code]).toEqual([400, 'too_many_matches']);
    // Later tests search all rows.
    await sql`delete from summaries where user_id = ${person.userId}`.execute(app.db);
  });

  test('of an unknown sleep is not found, also when the id belongs to another object', async () => {
    const { items } = await person.push('activity', { ...ring, calendar_date: '2026-01-05' });
    for (const id of [person.userId, items[0]?.id]) {
      const response = await person.tryToPush('sleep_cycle', cycle(id));
      expect([response.status, response.body.code]).toEqual([404, 'not_found']);
    }
  });

  test('is refused with unknown or impossible stages and with lists of different lengths', async () => {
    const response = await person.tryToPush(
      'sleep_cycle',
      cycle(person.userId, { stage_type: [0, 2], stage_end_offset_second: [600, 500] }),
      cycle(person.userId, { stage_type: [4] }),
      cycle(person.userId, { stage_start_offset_second: [0, 'x'] }),
      cycle(person.userId, { stage_end_offset_second: [600, 28_801] }),
    );
    expect(problemsOf(response)).toEqual(
      expect.arrayContaining([
        'body.0.stage_end_offset_second.1 value_error',
        'body.0.stage_type.0 value_error',
        'body.1.stage_type value_error',
        'body.2.stage_start_offset_second.1 value_error',
        'body.3.stage_end_offset_second.1 value_error',
      ]),
    );
  });
});

describe('a meal', () => {
  const lunch = (changes: object = {}) => ({
    provider: 'cronometer',
    source_type: 'app',
    app_id: 'com.example.food',
    timestamp: '2026-01-05T12:30:00-07:00',
    name: 'Lunch at Saguaro',
    ...changes,
  });

  const NO_FATS = Object.fromEntries(
    ['saturated', 'monounsaturated', 'polyunsaturated', 'omega3', 'omega6', 'total'].map((name) => [name, null]),
  );

  test('is published with its foods, and with null for unknown values', async () => {
    const summary = await roundTrip(
      'meal',
      lunch({
        energy: { value: 620 },
        macros: { carbs: 70, fats: { total: 24 } },
        data: { Burrito: { micros: { minerals: { sodium: 820 } } }, Lemonade: {}, Salsa: { macros: { carbs: 3 } } },
      }),
    );
    expect(summary).toMatchObject({
      priority_id: 0,
      source_id: 0,
      provider_id: summary.id,
      timestamp: '2026-01-05T19:30:00.000Z',
      calendar_date: '2026-01-05',
      name: 'Lunch at Saguaro',
      energy: { unit: 'kcal', value: 620 },
      macros: { carbs: 70, protein: null, fats: { saturated: null, total: 24 }, sugar: null },
      micros: null,
      data: {
        Burrito: { energy: null, macros: null, micros: { minerals: { sodium: 820 }, vitamins: null } },
        Lemonade: { energy: null, macros: null, micros: null },
        Salsa: { macros: { carbs: 3, fats: NO_FATS } },
      },
      source_app_id: 'com.example.food',
      source_device_id: null,
    });
    await person.push('meal', lunch({ timestamp: '2026-01-06T12:30:00-07:00' }));
    expect((await person.read('meal')).map(({ data }) => Object.keys(data as object))).toEqual([
      ['Burrito', 'Lemonade', 'Salsa'],
      [],
    ]);
  });

  test('stores its name and those of its foods sealed', async () => {
    await person.push('meal', lunch({ name: 'Xylophone stew', data: { Quinceberry: {} } }));
    expect(await findTraces(app, ['Xylophone', 'Quinceberry'], 'stored')).toEqual([]);
  });

  test('is refused with unknown minerals and with more than 50 foods', async () => {
    const foods = Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`food ${n}`, {}]));
    const response = await person.tryToPush(
      'meal',
      lunch({ micros: { minerals: { unobtainium: 1 } } }),
      lunch({ data: foods }),
      lunch({ energy: { unit: 'kJ', value: 1 } }),
      lunch({ name: undefined }),
    );
    expect(problemsOf(response)).toEqual([
      'body.0.micros.minerals enum',
      'body.1.data too_long',
      'body.2.energy.unit enum',
      'body.3.name missing',
    ]);
  });

  test('with everything that it may have still fits in one event', async () => {
    const longest = 1.234_567_890_123_456_7e-100;
    const amounts = (...names: string[]) => Object.fromEntries(names.map((name) => [name, longest]));
    const fats = amounts('saturated', 'monounsaturated', 'polyunsaturated', 'omega3', 'omega6', 'total');
    const macros = amounts('carbs', 'protein', 'alcohol', 'water', 'fibre', 'sugar', 'cholesterol');
    const minerals = ['sodium', 'potassium', 'calcium', 'phosphorus', 'magnesium', 'iron', 'zinc', 'fluoride'];
    const vitamins = ['a', 'b6', 'b12', 'c', 'd', 'e', 'k'].map((letter) => `vitamin_${letter}`);
    const food = {
      energy: { value: longest },
      macros: { ...macros, fats },
      micros: {
        minerals: amounts(...minerals, 'chloride'),
        trace_elements: amounts('chromium', 'copper', 'iodine', 'manganese', 'molybdenum', 'selenium'),
        vitamins: amounts(
          ...vitamins,
          'vitamin_b1',
          'riboflavin',
          'niacin',
          'pantothenic_acid',
          'biotin',
          'folic_acid',
        ),
      },
    };
    const data = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`${'𝔉'.repeat(198)}${n + 10}`, food]));
    const { created } = await person.push('meal', lunch({ ...food, data }));
    expect(created).toBe(1);
    expect((await person.takeEvents()).map(([type]) => type)).toEqual(['daily.data.meal.created']);
  });
});

describe('a menstrual cycle', () => {
  const cycle = (changes: object = {}) => ({ ...ring, period_start: '2026-01-03', ...changes });

  test('belongs to the day on which its period begins, with all observations', async () => {
    const summary = await roundTrip(
      'menstrual_cycle',
      cycle({
        period_end: '2026-01-07',
        menstrual_flow: [{ date: '2026-01-03', flow: 'medium' }],
        sexual_activity: [{ date: '2026-01-12' }],
        basal_body_temperature: [{ date: '2026-01-04', value: 36.4 }],
      }),
    );
    expect(summary).toMatchObject({
      period_start: '2026-01-03',
      period_end: '2026-01-07',
      cycle_end: null,
      is_predicted: false,
      menstrual_flow: [{ date: '2026-01-03', flow: 'medium' }],
      cervical_mucus: [],
      sexual_activity: [{ date: '2026-01-12', protection_used: null }],
      basal_body_temperature: [{ date: '2026-01-04', value: 36.4 }],
      source_provider: 'oura',
    });
  });

  test('stores the observations sealed', async () => {
    await person.push('menstrual_cycle', cycle({ contraceptive: [{ date: '2026-01-03', type: 'intravaginal_ring' }] }));
    expect(await findTraces(app, ['intravaginal_ring'], 'stored')).toEqual([]);
    expect(await person.read('menstrual_cycle')).toMatchObject([{ contraceptive: [{ type: 'intravaginal_ring' }] }]);
  });

  test('may lie ahead where it is predicted, but not too far, and nothing ends before it begins', async () => {
    const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
    expect(await person.push('menstrual_cycle', cycle({ period_start: inDays(20), is_predicted: true }))).toMatchObject(
      {
        created: 1,
      },
    );
    const response = await person.tryToPush(
      'menstrual_cycle',
      cycle({ period_start: inDays(20) }),
      cycle({ period_start: inDays(500), is_predicted: true }),
      cycle({ period_end: '2026-01-02', cycle_end: '2026-01-01' }),
      cycle({ menstrual_flow: [{ date: '2026-02-30', flow: 'torrential' }] }),
    );
    expect(problemsOf(response)).toEqual([
      'body.0.period_start value_error',
      'body.1.period_start value_error',
      'body.2.cycle_end value_error',
      'body.2.period_end value_error',
      'body.3.menstrual_flow.0.date date_parsing',
      'body.3.menstrual_flow.0.flow enum',
    ]);
  });
});

test('an electrocardiogram is published with the classification of the device', async () => {
  const summary = await roundTrip('electrocardiogram', {
    ...ring,
    session_start: '2026-01-05T12:00:00Z',
    session_end: '2026-01-05T12:00:30Z',
    voltage_sample_count: 15_360,
    classification: 'inconclusive',
    inconclusive_cause: 'poor_reading',
    source_device_model: 'Trail 3',
  });
  expect(summary).toMatchObject({
    session_end: '2026-01-05T12:00:30.000Z',
    voltage_sample_count: 15_360,
    heart_rate_mean: null,
    classification: 'inconclusive',
    inconclusive_cause: 'poor_reading',
    source_device_model: 'Trail 3',
    time_zone: null,
  });
});

describe('the profile of a user', () => {
  const path = (query = '') => `/v2/summary/profile/${person.userId}${query}`;

  test('is the one that changed last among those of all sources; each source has one', async () => {
    expect((await get(path())).status).toBe(404);
    await person.push('profile', { ...ring, height: 170, birth_date: '1980-12-10', sex: 'female' });
    await person.push('profile', { provider: 'withings', source_type: 'scale', height: 171 });
    expect((await get(path())).body).toMatchObject({ height: 171, birth_date: null, source: { slug: 'withings' } });
    const { items } = await person.push('profile', { ...ring, height: 172, birth_date: '1980-12-10' });
    expect((await get(path())).body).toEqual({
      id: items[0]?.id,
      user_id: person.userId,
      height: 172,
      birth_date: '1980-12-10',
      wheelchair_use: null,
      gender: null,
      sex: null,
      source: expect.objectContaining({ slug: 'oura' }),
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    expect((await get(path('?provider=withings'))).body).toMatchObject({ height: 171 });
    expect((await get(path('?provider=nobody'))).status).toBe(404);
    expect((await person.takeEvents()).map(([type]) => type)).toEqual([
      'daily.data.profile.created',
      'daily.data.profile.created',
      'daily.data.profile.updated',
    ]);
  });

  test('without values does not hide one with values', async () => {
    await person.push('profile', { ...ring, height: 170 });
    await person.push('profile', { provider: 'withings', heigth: 171 });
    expect((await get(path())).body).toMatchObject({ height: 170, source: { slug: 'oura' } });
    await person.push('profile', { provider: 'withings', birth_date: '1979-03-17' });
    expect((await get(path())).body).toMatchObject({ height: null, source: { slug: 'withings' } });
  });

  test('is read as its provider sent it', async () => {
    const item = { ...ring, height: 170, birth_date: '1980-12-10' };
    const { items } = await person.push('profile', item);
    const { body } = await get<{ profile: object }>(`/v2/summary/profile/${person.userId}/raw`);
    expect(body.profile).toMatchObject({ id: items[0]?.id, data: item, source: { slug: 'oura' } });
  });

  test('stores the date of birth sealed, and is refused with an impossible one', async () => {
    await person.push('profile', { ...ring, birth_date: '1979-03-17' });
    expect(await findTraces(app, ['1979-03-17'], 'stored')).toEqual([]);
    const response = await person.tryToPush('profile', { ...ring, birth_date: '1779-03-17', wheelchair_use: false });
    expect(problemsOf(response)).toEqual(['body.0.birth_date date_parsing', 'body.0.wheelchair_use enum']);
  });

  test('is refused with an impossible version, like every kind', async () => {
    const version = '0001-01-01T00:00:00+14:00';
    for (const [path, item] of Object.entries({
      profile: { ...ring, height: 170 },
      devices: { ...ring, device_model: 'Ring 4' },
      menstrual_cycle: { ...ring, period_start: '2026-01-03', is_predicted: true },
    }))
      expect([path, problemsOf(await person.tryToPush(path, { ...item, version }))]).toEqual([
        path,
        ['body.0.version value_error'],
      ]);
  });

  test('is stored whatever the ingestion dates, since it belongs to no day', async () => {
    await person.team.api('PATCH', `/v2/user/${person.userId}`, { ingestion_end: '2020-01-01' });
    expect(await person.push('profile', { ...ring, height: 170 })).toMatchObject({ created: 1 });
  });
});

describe('a device', () => {
  const watch = { ...ring, device_id: 'SN-QX4711', device_manufacturer: 'Example', device_model: 'Ring 4' };
  const list = async (): Promise<Summary[]> => (await get<Summary[]>(`/v2/user/${person.userId}/device`)).body;

  test('is identified by its maker and published when it is new and when it changes', async () => {
    const { items } = await person.push('devices', watch);
    const id = items[0]?.id as string;
    await person.push('devices', watch);
    await person.push('devices', { ...watch, device_version: '2.0' });
    const device = {
      id,
      user_id: person.userId,
      provider: 'oura',
      source_type: 'ring',
      app_id: null,
      device_manufacturer: 'Example',
      device_model: 'Ring 4',
      device_version: '2.0',
      device_id: 'SN-QX4711',
    };
    expect(await list()).toEqual([device]);
    expect((await get(`/v2/user/${person.userId}/device/${id}`)).body).toEqual(device);
    expect(await person.takeEvents()).toEqual([
      ['provider.device.created', { ...device, device_version: null }],
      ['provider.device.updated', device],
    ]);
    const { body } = await get<{ devices: Summary[] }>(`/v2/summary/devices/${person.userId}/raw`);
    expect(body.devices).toMatchObject([{ id, data: { ...watch, device_version: '2.0' }, source_id: 0 }]);
    const none = await get<{ devices: Summary[] }>(`/v2/summary/devices/${person.userId}/raw?provider=withings`);
    expect(none.body.devices).toEqual([]);
  });

  test('with another id of the maker is another device; without one the model identifies it', async () => {
    const { device_id: _, ...model } = watch;
    await person.push(
      'devices',
      watch,
      { ...watch, device_id: 'SN-2' },
      model,
      { ...model, device_model: 'Ring 5' },
      model,
    );
    expect(await list()).toHaveLength(4);
    expect(problemsOf(await person.tryToPush('devices', ring))).toEqual(['body.0.device_id missing']);
  });

  test('stores the id of its maker sealed', async () => {
    await person.push('devices', { ...watch, device_id: 'SN-SEALED-1' });
    expect(await findTraces(app, ['SN-SEALED-1'], 'stored')).toEqual([]);
  });

  test('can be named by its measurements, but not by those of another user', async () => {
    const { items } = await person.push('devices', watch);
    const activity = { ...ring, calendar_date: '2026-01-05', device_id: items[0]?.id };
    await person.push('activity', activity);
    expect(await person.read('activity')).toMatchObject([{ source: { device_id: items[0]?.id } }]);
    const { user_id: colleague } = await makeUser(person.team);
    expect((await pushSummaries(person.team, colleague, 'activity', [activity])).status).toBe(404);
  });

  test('of another user is not found', async () => {
    const { items } = await person.push('activity', { ...ring, calendar_date: '2026-01-05' });
    for (const id of [person.userId, items[0]?.id])
      expect((await get(`/v2/user/${person.userId}/device/${id}`)).status).toBe(404);
  });
});

describe('the sender of a push', () => {
  test('may be the user with a token of their own, except for a provider that we pull from', async () => {
    const token = await person.team.api<{ sign_in_token: string }>('POST', `/v2/user/${person.userId}/sign_in_token`);
    const as = { key: null, headers: { authorization: `Bearer ${token.body.sign_in_token}` } };
    const path = `/v2/summary/activity/${person.userId}`;
    const pushAs = (items: object[], by = {}) => person.team.api<{ code: string }>('POST', path, items, by);
    const [ofPhone, ofRing] = ['apple_health_kit', 'oura'].map((provider) => ({
      provider,
      calendar_date: '2026-01-05',
    }));
    await pushAs([{ ...ofRing, steps: 100 }]);
    const { status, body } = await pushAs([ofPhone as object, { ...ofRing, steps: 1 }], as);
    expect([status, body.code]).toEqual([403, 'provider_not_pushable']);
    expect(await person.read('activity')).toMatchObject([{ steps: 100, source: { provider: 'oura' } }]);
    expect((await pushAs([ofPhone as object], as)).status).toBe(200);
  });

  test('connects a phone with the first push that is accepted', async () => {
    const phone = { provider: 'apple_health_kit', source_type: 'phone' };
    await person.team.api('PATCH', `/v2/user/${person.userId}`, { ingestion_start: '2026-01-05' });
    await person.push('activity', { ...phone, calendar_date: '2026-01-04' });
    expect(await person.takeEvents()).toEqual([]);
    await person.push('activity', { ...phone, calendar_date: '2026-01-05' });
    await person.push('activity', { ...phone, calendar_date: '2026-01-06' });
    expect((await person.takeEvents()).map(([type]) => type).toSorted()).toEqual([
      'daily.data.activity.created',
      'daily.data.activity.created',
      'provider.connection.created',
    ]);
  });
});
