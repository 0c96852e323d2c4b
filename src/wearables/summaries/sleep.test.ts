import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { problemsOf } from '../../../test/people.ts';
import { makePerson, type Person } from '../../../test/summary-person.ts';

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

const night = (changes: object = {}) => ({
  provider: 'oura',
  source_type: 'ring',
  bedtime_start: '2026-01-05T22:30:00-07:00',
  bedtime_stop: '2026-01-06T06:30:00-07:00',
  total: 27_000,
  ...changes,
});

test('a night is read and published with its day, duration, kind and offset, which follow from its times', async () => {
  const { items } = await person.push('sleep', night({ deep: 6_000, state: 'tentative', average_hrv: 55.5 }));
  const [sleep, ...others] = await person.read('sleep');
  expect(others).toEqual([]);
  expect(sleep).toMatchObject({
    id: items[0]?.id,
    user_id: person.userId,
    calendar_date: '2026-01-06',
    date: '2026-01-06T00:00:00.000Z',
    bedtime_start: '2026-01-06T05:30:00.000Z',
    bedtime_stop: '2026-01-06T13:30:00.000Z',
    timezone_offset: -25_200,
    type: 'long_sleep',
    duration: 28_800,
    total: 27_000,
    deep: 6_000,
    light: 0,
    score: null,
    state: 'tentative',
    average_hrv: 55.5,
    sleep_stream: null,
  });
  expect(await person.takeEvents()).toEqual([['daily.data.sleep.created', sleep]]);
});

test('the raw payload of a night is what was pushed', async () => {
  const { items } = await person.push('sleep', night({ score: 83 }));
  const { status, body } = await person.team.api<{ sleep: object[] }>(
    'GET',
    `/v2/summary/sleep/${person.userId}/raw?start_date=2026-01-01&end_date=2026-01-31`,
  );
  expect([status, body.sleep]).toEqual([
    200,
    [
      expect.objectContaining({
        id: items[0]?.id,
        user_id: person.userId,
        timestamp: '2026-01-06T05:30:00.000Z',
        data: expect.objectContaining(night({ score: 83 })),
        source: expect.objectContaining({ slug: 'oura' }),
      }),
    ],
  ]);
});

test('kind, duration, day and offset stay as they were sent', async () => {
  const own = { type: 'acknowledged_nap', duration: 20_000, calendar_date: '2026-01-05', timezone_offset: 3_600 };
  await person.push('sleep', night(own));
  expect(await person.read('sleep')).toMatchObject([own]);
  await person.push('sleep', night({ bedtime_start: '2026-01-06T05:00:00-07:00', total: 5_000 }));
  expect((await person.read('sleep')).map(({ type }) => type)).toEqual(['acknowledged_nap', 'short_sleep']);
});

test("a sleep without an offset belongs to the day of its user's zone, and its offset stays unknown", async () => {
  const late = night({ bedtime_start: '2026-01-05T20:00:00Z', bedtime_stop: '2026-01-06T04:00:00+00:00' });
  await person.push('sleep', late);
  expect(await person.read('sleep')).toMatchObject([{ calendar_date: '2026-01-06', timezone_offset: null }]);
  await person.team.api('PATCH', `/v2/user/${person.userId}`, { fallback_time_zone: 'America/Phoenix' });
  await person.push('sleep', late);
  expect(await person.read('sleep')).toMatchObject([{ calendar_date: '2026-01-05', timezone_offset: null }]);
});

test("the provider's id identifies a sleep, also when its times change; without one its start does", async () => {
  const first = await person.push('sleep', night({ provider_id: 'a' }));
  const moved = await person.push('sleep', night({ provider_id: 'a', bedtime_start: '2026-01-05T22:00:00-07:00' }));
  expect(moved.items).toEqual([{ id: first.items[0]?.id, outcome: 'updated' }]);
  const other = await person.push('sleep', night());
  expect(other).toMatchObject({ created: 1 });
  expect(await person.push('sleep', night({ bedtime_stop: '2026-01-06T07:00:00-07:00' }))).toMatchObject({
    updated: 1,
    items: [{ id: other.items[0]?.id }],
  });
});

test('impossible times are refused with their paths', async () => {
  const response = await person.tryToPush(
    'sleep',
    night(),
    night({ bedtime_stop: '2026-01-05T22:00:00-07:00' }),
    night({ bedtime_stop: '2026-01-08T22:00:00-07:00' }),
    night({ bedtime_start: '2097-01-01T00:00:00Z', bedtime_stop: '2097-01-01T08:00:00Z' }),
    night({ bedtime_start: '1875-01-01T00:00:00Z', bedtime_stop: '1875-01-01T08:00:00Z' }),
    night({ total: undefined }),
  );
  expect([response.status, problemsOf(response)]).toEqual([
    422,
    [
      'body.1.bedtime_stop value_error',
      'body.2.bedtime_stop value_error',
      'body.3.bedtime_start datetime_parsing',
      'body.3.bedtime_stop datetime_parsing',
      'body.4.bedtime_start value_error',
      'body.4.bedtime_stop value_error',
      'body.5.total missing',
    ],
  ]);
  expect(await person.read('sleep')).toEqual([]);
});

test('parts of a sleep that are longer than the time in bed are refused with their paths', async () => {
  const short = (changes: object) =>
    night({ bedtime_start: '2026-01-06T00:00:00Z', bedtime_stop: '2026-01-06T02:00:00Z', total: 6_000, ...changes });
  const response = await person.tryToPush(
    'sleep',
    short({ total: 43_200, light: 43_200 }),
    short({ awake: 9_000 }),
    short({ latency: 20_000 }),
    short({ duration: 20_000 }),
    short({ light: 3_000, deep: 3_000, rem: 3_000 }),
    short({ duration: 7_261 }),
    short({ awake: 1_321 }),
    short({ total: 100, light: 5_000, deep: 1_000 }),
  );
  expect([response.status, problemsOf(response)]).toEqual([
    422,
    [
      'body.0.light value_error',
      'body.0.total value_error',
      'body.1.awake value_error',
      'body.2.latency value_error',
      'body.3.duration value_error',
      'body.4.deep value_error',
      'body.4.light value_error',
      'body.4.rem value_error',
      'body.5.duration value_error',
      'body.6.awake value_error',
      'body.7.deep value_error',
      'body.7.light value_error',
    ],
  ]);
  expect(await person.read('sleep')).toEqual([]);
  await person.push('sleep', short({ total: 7_260, duration: 7_260, light: 3_000, deep: 2_160, rem: 2_100 }));
  expect(await person.read('sleep')).toMatchObject([{ total: 7_260, duration: 7_260 }]);
  // Each number may be rounded to a minute.
  await person.push('sleep', short({ total: 6_000, awake: 1_320, light: 4_120, deep: 2_000 }));
  expect(await person.read('sleep')).toMatchObject([{ total: 6_000, awake: 1_320, light: 4_120 }]);
});

describe('the samples of a sleep', () => {
  const streamOf = async (id: string | undefined) =>
    person.team.api<Record<string, unknown[]>>('GET', `/v2/timeseries/sleep/${id}/stream`);
  const sleep_stream = {
    heartrate: { time: [1_767_678_600, 1_767_678_900], value: [54, 51.5] },
    hypnogram: { start: [1_767_678_600], end: [1_767_680_400], value: [4] },
  };
  const sample = { id: null, timezone_offset: -25_200, type: null };

  test('are read with their units and the offset of the sleep', async () => {
    const { items } = await person.push('sleep', night({ sleep_stream }));
    const { body } = await streamOf(items[0]?.id);
    expect(body).toEqual({
      hrv: [],
      heartrate: [
        { ...sample, unit: 'bpm', timestamp: '2026-01-06T05:50:00.000Z', value: 54 },
        { ...sample, unit: 'bpm', timestamp: '2026-01-06T05:55:00.000Z', value: 51.5 },
      ],
      hypnogram: [
        {
          ...sample,
          unit: 'stage',
          timestamp: '2026-01-06T05:50:00.000Z',
          start: '2026-01-06T05:50:00.000Z',
          end: '2026-01-06T06:20:00.000Z',
          value: 4,
        },
      ],
      respiratory_rate: [],
    });
    expect((await person.takeEvents()).map(([type]) => type)).toEqual(['daily.data.sleep.created']);
  });

  test('stay when a later version comes without them, and are replaced as a whole otherwise', async () => {
    const { items } = await person.push('sleep', night({ sleep_stream }));
    await person.push('sleep', night({ deep: 1 }));
    expect((await streamOf(items[0]?.id)).body['hypnogram']).toHaveLength(1);
    const hrv = { time: [1_767_675_000], value: [60] };
    await person.push('sleep', night({ deep: 1, sleep_stream: { hrv } }));
    const { body } = await streamOf(items[0]?.id);
    expect([body['hrv']?.length, body['hypnogram']]).toEqual([1, []]);
  });

  test('are empty for a sleep that came without them; an id of no sleep of the team is not found', async () => {
    const { items } = await person.push('sleep', night());
    const id = items[0]?.id;
    expect((await streamOf(id)).body).toEqual({ hrv: [], heartrate: [], hypnogram: [], respiratory_rate: [] });
    const otherTeam = await app.makeTeam('Mesa Labs');
    expect((await otherTeam.api('GET', `/v2/timeseries/sleep/${id}/stream`)).status).toBe(404);
    expect((await person.team.api('GET', `/v2/timeseries/workouts/${id}/stream`)).status).toBe(404);
    expect((await streamOf(person.userId)).status).toBe(404);
    await person.team.api('DELETE', `/v2/user/${person.userId}`);
    const deleted = await streamOf(id);
    expect([deleted.status, deleted.body['code']]).toEqual([404, 'user_scheduled_for_deletion']);
  });

  test('have their stages between going to bed and getting up, to the second', async () => {
    const [bed, up] = [Date.UTC(2026, 0, 6, 5, 30) / 1_000, Date.UTC(2026, 0, 6, 13, 30) / 1_000];
    const stages = (start: number[], end: number[]) =>
      night({ sleep_stream: { hypnogram: { start, end, value: start.map(() => 2) } } });
    await person.push('sleep', stages([bed, bed + 60], [bed + 60, up]));
    const response = await person.tryToPush(
      'sleep',
      stages([bed - 1, bed], [bed, up]),
      stages([bed, bed + 60], [bed + 60, up + 1]),
      stages([bed + 60], [bed]),
    );
    expect([response.status, problemsOf(response)]).toEqual([
      422,
      [
        'body.0.sleep_stream.hypnogram.start.0 value_error',
        'body.1.sleep_stream.hypnogram.end.1 value_error',
        'body.2.sleep_stream.hypnogram.end.0 value_error',
      ],
    ]);
  });

  test('are refused with lists of different lengths, falling times and impossible values', async () => {
    const response = await person.tryToPush(
      'sleep',
      night({ sleep_stream: { heartrate: { time: [10, 20], value: [50] }, hrv: { time: [20, 10], value: [1, 1] } } }),
      night({ sleep_stream: { hypnogram: { start: [1], end: [2], value: [9] } } }),
    );
    expect([response.status, problemsOf(response)]).toEqual([
      422,
      [
        'body.0.sleep_stream.heartrate.value value_error',
        'body.0.sleep_stream.hrv.time.1 value_error',
        'body.1.sleep_stream.hypnogram.start.0 value_error',
        'body.1.sleep_stream.hypnogram.value.0 value_error',
      ],
    ]);
  });
});
