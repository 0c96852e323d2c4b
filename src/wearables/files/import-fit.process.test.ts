// FIT files of every type, written like files of published packages. An independent decoder and ours agreed on those
// files: docs/decisions/file-imports-and-formats.md.
import { describe, expect, test } from 'vitest';
import { fitSecond, writeFit } from '../../../test/fit-writer.ts';
import { testImports } from '../../../test/imports.ts';
import { fitFile } from '../../../test/workout-files.ts';

const imports = testImports();
const { importOf, summaries, samples } = imports;

const T = fitSecond('2026-01-05T14:00:00Z');
type Message = Parameters<typeof writeFit>[0][number];
const fileId = (type: number): Message => ({
  global: 0,
  fields: [
    [0, 'enum', type],
    [1, 'uint16', 1],
    [4, 'uint32', T],
  ],
});
const record = (second: number, heartrate: number, more: Partial<Message> = {}): Message => ({
  global: 20,
  fields: [
    [253, 'uint32', T + second],
    [3, 'uint8', heartrate],
  ],
  ...more,
});
const session = (from: number, to: number, sport: number): Message => ({
  global: 18,
  fields: [
    [253, 'uint32', T + to],
    [2, 'uint32', T + from],
    [5, 'enum', sport],
    [7, 'uint32', (to - from) * 1_000],
    [8, 'uint32', (to - from) * 1_000],
  ],
});
const lap = (from: number, to: number, metres: number): Message => ({
  global: 19,
  fields: [
    [253, 'uint32', T + to],
    [2, 'uint32', T + from],
    [7, 'uint32', (to - from) * 1_000],
    [8, 'uint32', (to - from) * 1_000],
    [9, 'uint32', metres * 100],
    [11, 'uint16', 5],
    [25, 'enum', 1],
  ],
});

describe('chained files', () => {
  const other = writeFit([
    fileId(9),
    {
      global: 30,
      fields: [
        [253, 'uint32', T],
        [0, 'uint16', 7_140],
        [1, 'uint16', 1_820],
      ],
    },
  ]);

  test('are all read', async () => {
    expect(await importOf(Buffer.concat([fitFile([{ second: 0, heartrate: 120 }]), other]))).toMatchObject({
      status: 'success',
      created: 7,
    });
    expect(await summaries('workouts')).toHaveLength(1);
    expect(await summaries('body')).toMatchObject([
      { weight: 71.4, fat: 18.2, source: { provider: 'garmin', type: 'scale' } },
    ]);
    expect(await samples('body_weight')).toMatchObject([{ value: 71.4, unit: 'kg' }]);
  });

  test.each([
    ['is cut off', other.subarray(0, other.length - 3), 'file_incomplete'],
    ['has a wrong checksum', Buffer.concat([other.subarray(0, other.length - 1), Buffer.from([0x55])]), 'file_broken'],
  ])('fail if the second one %s, but the first one is stored', async (_what, second, code) => {
    const done = await importOf(Buffer.concat([fitFile([{ second: 0, heartrate: 120 }]), second]));
    expect(done).toMatchObject({ status: 'failure', error: { code } });
    expect(await summaries('workouts')).toHaveLength(1);
  });

  test('fail if there are more than 100', async () => {
    const many = Buffer.concat(Array.from({ length: 101 }, () => writeFit([fileId(2)])));
    expect(await importOf(many)).toMatchObject({ status: 'failure', error: { code: 'too_complex' } });
  });
});

test("a swim has the heart rates that its strap sends afterwards, with times by the strap's own clock", async () => {
  // The times of two beats, twelve bits each in three bytes: one and two seconds after the first beat.
  const first = 10 * 1_024;
  const [a, b] = [(first + 1_024) % 4_096, (first + 2_048) % 4_096] as [number, number];
  const done = await importOf(
    writeFit([
      fileId(4),
      {
        global: 20,
        fields: [
          [253, 'uint32', T],
          [5, 'uint32', 0],
        ],
      },
      {
        global: 20,
        fields: [
          [253, 'uint32', T + 2],
          [5, 'uint32', 2_500],
        ],
      },
      session(0, 2, 5),
      {
        global: 132,
        fields: [
          [253, 'uint32', T],
          [0, 'uint16', 0],
          [6, 'uint8', 101],
          [9, 'uint32', first],
        ],
      },
      {
        global: 132,
        fields: [
          [6, 'uint8', [103, 108]],
          [10, 'byte', [a & 0xff, (a >> 8) | ((b & 0xf) << 4), b >> 4]],
        ],
      },
      {
        global: 132,
        fields: [
          [6, 'uint8', [111, 255]],
          [10, 'byte', [0xff, 0xff, 0xff]],
        ],
      },
    ]),
  );
  expect(done).toMatchObject({ status: 'success', skipped: 0 });
  const [workout] = await summaries('workouts');
  expect(workout).toMatchObject({
    sport: { slug: 'swimming' },
    average_hr: 104,
    max_hr: 108,
    time_end: '2026-01-05T14:00:02.000Z',
  });
  const { body } = await imports.app.api('GET', `/v2/timeseries/workouts/${workout?.id}/stream`);
  expect(body).toMatchObject({ heartrate: [101, 103, 108], distance: [0, null, 25] });
  // The beat after the swim belongs to no workout.
  expect((await samples('heartrate')).map(({ value }) => value)).toEqual([101, 103, 108, 111]);
});

test('records without a session are a workout with the totals of its laps', async () => {
  await importOf(writeFit([fileId(4), record(0, 120), record(30, 130), lap(0, 20, 60), lap(20, 30, 40)]));
  const [workout] = await summaries('workouts');
  expect(workout).toMatchObject({
    sport: { slug: 'running' },
    time_start: '2026-01-05T14:00:00.000Z',
    time_end: '2026-01-05T14:00:30.000Z',
    distance: 100,
    calories: 10,
    moving_time: 30,
    average_hr: 125,
  });
  const { body } = await imports.app.api<{ workouts: { data: { laps: object[] } }[] }>(
    'GET',
    `/v2/summary/workouts/${imports.userId}/raw?start_date=2026-01-01&end_date=2026-01-31`,
  );
  expect(body.workouts[0]?.data.laps).toMatchObject([
    { start_time: '2026-01-05T14:00:00.000Z', total_distance: 60 },
    { start_time: '2026-01-05T14:00:20.000Z', total_distance: 40 },
  ]);
});

test('a record after the stated end of a session belongs to it until the next session starts', async () => {
  await importOf(
    writeFit([fileId(4), session(0, 10, 2), session(20, 30, 1), ...[0, 11, 20, 31].map((at) => record(at, 100 + at))]),
  );
  expect(await summaries('workouts')).toMatchObject([
    { sport: { slug: 'cycling' }, max_hr: 111 },
    { sport: { slug: 'running' }, max_hr: 131 },
  ]);
  expect((await samples('heartrate')).map(({ value }) => value)).toEqual([100, 111, 120, 131]);
});

test('the raw payload has what an app on the watch measured, with its name and unit', async () => {
  const done = await importOf(
    writeFit([
      fileId(4),
      {
        global: 207,
        fields: [
          [1, 'byte', Array.from({ length: 16 }, (_, n) => n)],
          [3, 'uint8', 0],
        ],
      },
      {
        global: 206,
        fields: [
          [0, 'uint8', 0],
          [1, 'uint8', 0],
          [2, 'uint8', 2],
          [3, 'string', 'Leg Stiffness'],
          [8, 'string', 'kN/m'],
        ],
      },
      record(0, 120, { developer: [[0, 9]] }),
      record(1, 121, { developer: [[0, 11]] }),
      session(0, 1, 1),
    ]),
  );
  expect(done).toMatchObject({ status: 'success', skipped: 0 });
  const { body } = await imports.app.api<{ workouts: { data: object }[] }>(
    'GET',
    `/v2/summary/workouts/${imports.userId}/raw?start_date=2026-01-01&end_date=2026-01-31`,
  );
  const at = Date.UTC(2026, 0, 5, 14) / 1_000;
  expect(body.workouts[0]?.data).toMatchObject({
    developer_fields: [
      { name: 'Leg Stiffness', units: 'kN/m', records: { time: [at, at + 1], value: [9, 11] }, left_out: 0 },
    ],
  });
});

test('all-day data of a watch becomes heart rates, and steps between its readings', async () => {
  const midnight = fitSecond('2026-01-05T07:00:00Z');
  const reading = (second: number, kind: number, strides: number, kcal = 0): Message => ({
    global: 55,
    fields: [
      [253, 'uint32', midnight + second],
      [5, 'enum', kind],
      [3, 'uint32', strides],
      [19, 'uint16', kcal],
    ],
  });
  const done = await importOf(
    writeFit([
      fileId(32),
      {
        global: 103,
        fields: [
          [253, 'uint32', midnight],
          [0, 'uint32', midnight - 7 * 3_600],
        ],
      },
      reading(600, 6, 100, 4),
      reading(1_200, 1, 50, 9),
      reading(1_200, 6, 160, 6),
      reading(1_800, 6, 160, 6),
      {
        global: 55,
        fields: [
          [26, 'uint16', (midnight + 1_860) & 0xffff],
          [27, 'uint8', 64],
        ],
      },
      {
        global: 227,
        fields: [
          [1, 'uint32', midnight + 60],
          [0, 'sint16', 31],
        ],
      },
      {
        global: 227,
        fields: [
          [1, 'uint32', midnight + 120],
          [0, 'sint16', -2],
        ],
      },
      {
        global: 297,
        fields: [
          [253, 'uint32', midnight + 60],
          [0, 'sint16', 1_450],
        ],
      },
      {
        global: 269,
        fields: [
          [253, 'uint32', midnight + 60],
          [0, 'uint8', 97],
        ],
      },
      {
        global: 371,
        fields: [
          [253, 'uint32', midnight + 60],
          [0, 'uint16', 45 * 128],
        ],
      },
    ]),
  );
  expect(done.skipped_by_type).toEqual([{ type: 'stress_level', reason: 'empty', records: 1 }]);
  expect(await samples('heartrate')).toMatchObject([
    { timestamp: '2026-01-05T07:31:00.000Z', value: 64, timezone_offset: -25_200 },
  ]);
  expect(await samples('steps')).toMatchObject([
    { start: '2026-01-05T07:00:00.000Z', end: '2026-01-05T07:10:00.000Z', value: 100 },
    { start: '2026-01-05T07:10:00.000Z', end: '2026-01-05T07:20:00.000Z', value: 110 },
  ]);
  expect((await samples('calories_active')).map(({ value }) => value)).toEqual([4, 11]);
  for (const [series, value] of [
    ['stress_level', 31],
    ['respiratory_rate', 14.5],
    ['blood_oxygen', 97],
    ['hrv', 45],
  ] as const)
    expect(await samples(series)).toMatchObject([{ value }]);
});

test('a night becomes a sleep with its stages and score', async () => {
  const level = (minute: number, stage: number): Message => ({
    global: 275,
    fields: [
      [253, 'uint32', T + minute * 60],
      [0, 'enum', stage],
    ],
  });
  await importOf(
    writeFit([
      fileId(49),
      ...[
        [0, 2],
        [60, 3],
        [90, 4],
        [120, 1],
        [125, 2],
        [200, 1],
      ].map(([minute, stage]) => level(minute as number, stage as number)),
      { global: 346, fields: [[6, 'uint8', 81]] },
    ]),
  );
  expect(await summaries('sleep')).toMatchObject([
    {
      duration: 12_000,
      light: 8_100,
      deep: 1_800,
      rem: 1_800,
      awake: 300,
      total: 11_700,
      score: 81,
      source: { provider: 'garmin' },
    },
  ]);
  expect(await summaries('sleep_cycle')).toMatchObject([{ stage_type: [2, 1, 3, 4, 2] }]);
});

test('a blood pressure becomes a sample', async () => {
  await importOf(
    writeFit([
      fileId(14),
      {
        global: 51,
        fields: [
          [253, 'uint32', T],
          [0, 'uint16', 121],
          [1, 'uint16', 79],
          [6, 'uint8', 66],
        ],
      },
    ]),
  );
  expect(await samples('blood_pressure')).toMatchObject([{ systolic: 121, diastolic: 79 }]);
});

test.each([
  ['settings', 2, { global: 3, fields: [[1, 'enum', 1]] }, ['file settings', 'user_profile']],
  ['a course, which is a plan', 6, record(0, 120), ['file course', 'record']],
  ['a planned workout', 5, { global: 27, fields: [[254, 'uint16', 0]] }, ['file workout', 'workout_step']],
] as const)('a file of %s creates nothing, and its messages are counted', async (_what, type, message, types) => {
  const done = await importOf(writeFit([fileId(type), message as unknown as Message]));
  expect(done).toMatchObject({ status: 'success', created: 0, skipped: 2 });
  expect(done.skipped_by_type.map((each) => each.type)).toEqual(types);
});
