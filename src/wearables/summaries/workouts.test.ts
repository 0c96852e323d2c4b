import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { problemsOf } from '../../../test/people.ts';
import { makePerson, type Person } from '../../../test/summary-person.ts';
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

const run = (changes: object = {}) => ({
  provider: 'strava',
  source_type: 'watch',
  provider_id: '4711',
  sport: 'trail_running',
  time_start: '2026-01-05T06:30:00-07:00',
  time_end: '2026-01-05T07:15:00-07:00',
  ...changes,
});
const stream = {
  time: [1_767_619_800, 1_767_619_801],
  heartrate: [120, null],
  lat: [33.45, 33.46],
  lng: [-112, -112.1],
};
const streamOf = async (id: string | undefined) =>
  person.team.api<Record<string, unknown[]>>('GET', `/v2/timeseries/workouts/${id}/stream`);

test('a workout is read and published completely, with its sport for people and for programs', async () => {
  const map = { polyline: '_p~iF~ps|U', summary_polyline: null };
  await person.push('workouts', run({ title: 'Before work', distance: 7_420.5, hr_zones: [0, 1, 2, 3, 4, 5], map }));
  const [workout] = await person.read('workouts');
  expect(workout).toMatchObject({
    calendar_date: '2026-01-05',
    time_start: '2026-01-05T13:30:00.000Z',
    time_end: '2026-01-05T14:15:00.000Z',
    timezone_offset: -25_200,
    title: 'Before work',
    distance: 7_420.5,
    hr_zones: [0, 1, 2, 3, 4, 5],
    map,
    sport: { id: 0, name: 'Trail running', slug: 'trail_running' },
    provider_id: '4711',
    average_watts: null,
    source: { provider: 'strava', type: 'watch' },
  });
  expect(await person.takeEvents()).toEqual([['daily.data.workouts.created', workout]]);
});

test('a workout of a provider without ids has our id', async () => {
  const { items } = await person.push('workouts', run({ provider_id: null }));
  expect(await person.read('workouts')).toMatchObject([{ id: items[0]?.id, provider_id: items[0]?.id }]);
});

test('the title and route of a workout are sealed, and can be opened in every version', async () => {
  const mark = 'Quicksilver loop';
  await person.push('workouts', run({ title: 'Old title', map: { polyline: 'zyzzyva' } }));
  await person.push('workouts', run({ title: mark, map: { polyline: 'zyzzyva' } }));
  expect(await person.read('workouts')).toMatchObject([{ title: mark, map: { polyline: 'zyzzyva' } }]);
  expect(await findTraces(app, [mark, 'zyzzyva'], 'stored')).toEqual([]);
  expect(await findTraces(app, [mark, 'zyzzyva'])).toEqual(['events.body', 'summaries.raw', 'summaries.texts']);
});

test('the raw payload is the pushed object with its sport, without the points', async () => {
  await person.push('workouts', run({ stream }));
  const { body } = await person.team.api<{ workouts: { data: object }[] }>(
    'GET',
    `/v2/summary/workouts/${person.userId}/raw?start_date=2026-01-01&end_date=2026-12-31`,
  );
  expect(body.workouts).toMatchObject([
    {
      data: run(),
      sport_id: 0,
      sport: { slug: 'trail_running' },
      provider_id: '4711',
      timestamp: '2026-01-05T13:30:00.000Z',
    },
  ]);
  expect(body.workouts[0]?.data).not.toHaveProperty('stream');
});

describe('the points of a workout', () => {
  test('are read as they came, and an event has the path where they are read', async () => {
    const { items } = await person.push('workouts', run({ stream }));
    const id = items[0]?.id;
    expect((await streamOf(id)).body).toEqual({
      ...stream,
      cadence: [],
      altitude: [],
      velocity_smooth: [],
      distance: [],
      power: [],
      resistance: [],
      temperature: [],
    });
    const events = await person.takeEvents();
    expect(events.map(([type]) => type).toSorted()).toEqual([
      'daily.data.workout_stream.created',
      'daily.data.workouts.created',
    ]);
    expect(events.find(([type]) => type.includes('stream'))?.[1]).toEqual({
      user_id: person.userId,
      workout_id: id,
      provider_id: '4711',
      message: `The points are read at /v2/timeseries/workouts/${id}/stream.`,
      source: expect.objectContaining({ slug: 'strava', sport: 'trail_running', workout_id: id }),
      sport: { id: 0, name: 'Trail running', slug: 'trail_running' },
    });
  });

  test('have an event of their own when they come later or differ, and none when they are equal', async () => {
    // The points here have no heart rates. Heart rates would also change the zones, and so the workout.
    const { heartrate: _, ...points } = stream;
    const { items } = await person.push('workouts', run());
    await person.takeEvents();
    expect(await person.push('workouts', run({ stream: points }))).toMatchObject({ unchanged: 1 });
    await person.push('workouts', run({ stream: { ...points, cadence: [] } }));
    await person.push('workouts', run());
    const other = { ...points, lat: [1, 2] };
    await person.push('workouts', run({ stream: other }));
    expect((await person.takeEvents()).map(([type]) => type)).toEqual([
      'daily.data.workout_stream.created',
      'daily.data.workout_stream.updated',
    ]);
    expect((await streamOf(items[0]?.id)).body).toMatchObject(other);
  });

  test('of an older version are left out with it', async () => {
    const { items } = await person.push('workouts', run({ version: '2026-01-05T16:00:00Z', stream }));
    await person.push('workouts', run({ version: '2026-01-05T15:00:00Z', stream: { time: [1] } }));
    expect((await streamOf(items[0]?.id)).body).toMatchObject(stream);
  });

  test('can be 100,000, sealed in parts', async () => {
    const time = Array.from({ length: 100_000 }, (_, n) => 1_767_619_800 + n);
    const lat = time.map((_, n) => 33 + n / 1e5);
    const { items } = await person.push('workouts', run({ stream: { time, lat } }));
    const { body } = await streamOf(items[0]?.id);
    expect([body['time'], body['lat']]).toEqual([time, lat]);
    const { rows } = await sql<{ parts: number; longest: number }>`
      select count(*) as parts, max(octet_length(content)) as longest from summary_streams
        where user_id = ${person.userId}`.execute(app.db);
    expect(rows[0]?.parts).toBeGreaterThan(5);
    expect(rows[0]?.longest).toBeLessThan(201_000);
    const more = await person.tryToPush('workouts', run({ stream: { time: [...time, 2e9] } }));
    expect(problemsOf(more)).toEqual(['body.0.stream.time too_long']);
  });

  test('let requests of other teams run between steps and between workouts', async () => {
    const { batches } = app.ctx;
    const runOriginal = batches.run.bind(batches);
    let pauses = 0;
    const counted = vi.spyOn(batches, 'run').mockImplementation((team, work) =>
      runOriginal(team, (giveWay) =>
        work(async () => {
          pauses += 1;
          await giveWay();
        }),
      ),
    );
    const time = Array.from({ length: 2_000 }, (_, n) => 1_767_619_800 + n);
    await person.push('workouts', ...['1', '2', '3'].map((provider_id) => run({ provider_id, stream: { time } })));
    counted.mockRestore();
    expect(pauses).toBe(6);
  });

  test("are refused with each list's first impossible value, lists of other lengths and falling times", async () => {
    const response = await person.tryToPush(
      'workouts',
      run({ stream: { time: [1, 2, 3], lat: [1, 91, 92], heartrate: [1, 2.5, 'x'], power: [1, 2], distance: 'far' } }),
      run({ stream: { time: [1, null] } }),
      run({ stream: { time: [3, 2] } }),
      run({ stream: { lat: [1] } }),
    );
    expect([response.status, problemsOf(response)]).toEqual([
      422,
      [
        'body.0.stream.distance list_type',
        'body.0.stream.heartrate.1 value_error',
        'body.0.stream.lat.1 value_error',
        'body.0.stream.power value_error',
        'body.1.stream.time.1 value_error',
        'body.2.stream.time.1 value_error',
        'body.3.stream.lat value_error',
        'body.3.stream.time missing',
      ],
    ]);
  });
});

test('an impossible workout is refused with the path of each problem', async () => {
  const response = await person.tryToPush(
    'workouts',
    run({ time_end: '2026-01-05T06:29:59-07:00' }),
    run({ sport: 'Trail Running', hr_zones: [1, 2, 3], map: { polyline: 'ü' } }),
    run({ sport: undefined, title: 'two\nlines' }),
    run({ moving_time: 2_761, hr_zones: [0, 0, 2_761, 0, 0, 0] }),
  );
  expect([response.status, problemsOf(response)]).toEqual([
    422,
    [
      'body.0.time_end value_error',
      'body.1.hr_zones too_short',
      'body.1.map.polyline string_pattern_mismatch',
      'body.1.sport string_pattern_mismatch',
      'body.2.sport missing',
      'body.2.title string_pattern_mismatch',
      'body.3.hr_zones value_error',
      'body.3.moving_time value_error',
    ],
  ]);
});
