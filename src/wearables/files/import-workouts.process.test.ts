// Workouts and sleeps of files, as they are read back and published.
import { describe, expect, test } from 'vitest';
import { appleExport, appleRecord, appleTime, importFile } from '../../../test/exports.ts';
import { subscribe } from '../../../test/factories.ts';
import { testImports, type Imported } from '../../../test/imports.ts';
import { startEndpoint } from '../../../test/endpoint.ts';
import { fitFile, gpxFile, gpxPoint, tcxFile, tcxPoint } from '../../../test/workout-files.ts';

const imports = testImports();
const { importOf, summaries, samples } = imports;
const streamOf = async (id: string): Promise<Record<string, unknown>> =>
  (await imports.app.api<Record<string, unknown>>('GET', `/v2/timeseries/workouts/${id}/stream`)).body;

describe('a FIT file', () => {
  const points = [
    { second: 0, heartrate: 120, distance: 0, altitude: 300 },
    { second: 1, heartrate: 121, distance: 3, altitude: 302 },
    { second: 2, distance: 6, altitude: 301 },
    { second: 3, heartrate: 125, distance: 9, altitude: 305 },
  ];

  test('becomes a workout with its points and its time zone offset', async () => {
    expect(await importOf(fitFile(points))).toMatchObject({ kind: 'fit', status: 'success', created: 6, skipped: 0 });
    const [workout, ...others] = await summaries('workouts');
    expect(others).toEqual([]);
    expect(workout).toMatchObject({
      calendar_date: '2026-01-05',
      time_start: '2026-01-05T14:00:00.000Z',
      time_end: '2026-01-05T14:00:03.000Z',
      timezone_offset: -25_200,
      sport: { name: 'Trail running', slug: 'trail_running' },
      average_hr: 122,
      max_hr: 125,
      hr_zones: [0, 0, 3, 0, 0, 0],
      distance: 9,
      calories: 12,
      moving_time: 3,
      total_elevation_gain: 7,
      elev_high: 305,
      elev_low: 300,
      source: { provider: 'garmin', type: 'unknown' },
    });
    const stream = await streamOf((workout as Imported).id);
    const begin = Date.UTC(2026, 0, 5, 14) / 1_000;
    expect(stream).toMatchObject({
      time: [begin, begin + 1, begin + 2, begin + 3],
      heartrate: [120, 121, null, 125],
      distance: [0, 3, 6, 9],
      altitude: [300, 302, 301, 305],
    });
    expect((stream['lat'] as number[])[0]).toBeCloseTo(33.4, 5);
    expect((await samples('heartrate')).map(({ value }) => value)).toEqual([120, 121, 125]);
    expect(await samples('workout_distance')).toMatchObject([{ value: 9, unit: 'm', end: '2026-01-05T14:00:03.000Z' }]);
    expect(await samples('workout_duration')).toMatchObject([{ value: 0.05, unit: 'min' }]);
  });

  test('publishes the events of workouts, and none if it is sent again', async () => {
    const endpoint = await startEndpoint();
    await subscribe(imports.app.team, endpoint);
    await importOf(fitFile(points));
    await imports.app.deliver();
    const receivedTypes = (): string[] =>
      endpoint.received.filter(({ body }) => body.user_id === imports.userId).map(({ body }) => body.event_type);
    const first = [
      'daily.data.heartrate.created',
      'daily.data.workout_distance.created',
      'daily.data.workout_duration.created',
      'daily.data.workout_stream.created',
      'daily.data.workouts.created',
    ];
    expect(receivedTypes().toSorted()).toEqual(first);
    expect(await importFile(imports.app, imports.userId, fitFile(points))).toMatchObject({
      created: 0,
      updated: 0,
      unchanged: 6,
    });
    await imports.app.deliver();
    expect(receivedTypes()).toHaveLength(first.length);
    await endpoint.close();
  });

  test.each([
    ['cycling', 2, 0, 'cycling'],
    ['indoor cycling', 2, 6, 'indoor_cycling'],
    ['an unknown sport', 200, 200, 'other'],
  ])('of %s has this sport', async (_what, sport, kind, slug) => {
    await importOf(fitFile(points, { sport, kind }));
    expect((await summaries('workouts'))[0]).toMatchObject({ sport: { slug } });
  });

  const whole = fitFile(points);
  const changed = Buffer.from(whole);
  changed[60]! ^= 0xff;
  test.each([
    ['that is cut off', whole.subarray(0, whole.length - 20), 'file_incomplete'],
    ['that has only its first bytes', whole.subarray(0, 12), 'file_incomplete'],
    ['with a wrong checksum', changed, 'file_broken'],
    ['that is too large', Buffer.concat([whole, Buffer.alloc(65 * 1024 * 1024)]), 'file_too_large'],
  ])('%s fails with its own code', async (_what, file, code) => {
    expect(await importOf(file)).toMatchObject({ status: 'failure', created: 0, error: { code } });
    expect(await summaries('workouts')).toEqual([]);
  });
});

test('imports are counted by their outcome', async () => {
  const counted = async (): Promise<Record<string, number>> => {
    const { values } = await imports.app.metrics.imports.get();
    return Object.fromEntries(values.map(({ labels, value }) => [labels.outcome, value]));
  };
  const { success = 0, file_incomplete = 0 } = await counted();
  await importOf(fitFile([{ second: 0, heartrate: 120 }]));
  await importOf('<gpx>');
  expect(await counted()).toMatchObject({ success: success + 1, file_incomplete: file_incomplete + 1 });
});

test('a TCX file becomes a workout with the totals of its laps, and with its points', async () => {
  const file = tcxFile([tcxPoint(0, 120), tcxPoint(30, 122), tcxPoint(60, 128)]);
  expect(await importOf(file)).toMatchObject({ kind: 'tcx', status: 'success', created: 6 });
  const [workout] = await summaries('workouts');
  expect(workout).toMatchObject({
    time_start: '2026-01-05T14:00:00.000Z',
    time_end: '2026-01-05T14:01:00.000Z',
    timezone_offset: null,
    sport: { slug: 'cycling' },
    distance: 900,
    calories: 35,
    moving_time: 120,
    average_speed: 7.5,
    max_speed: 9.5,
    average_hr: 123,
    max_hr: 130,
    source: { provider: 'polar' },
  });
  expect(await streamOf((workout as Imported).id)).toMatchObject({
    heartrate: [120, 122, 128],
    power: [210, 210, 210],
    velocity_smooth: [8, 8, 8],
    cadence: [85, 85, 85],
  });
});

test('a GPX file becomes a workout whose distance is computed from its positions', async () => {
  const file = gpxFile([
    gpxPoint(0, {}),
    gpxPoint(60, { lat: 33.401, heartrate: 110 }),
    gpxPoint(120, { lat: 33.402 }),
  ]);
  expect(await importOf(file)).toMatchObject({ kind: 'gpx', status: 'success', created: 6 });
  const [workout] = await summaries('workouts');
  expect(workout).toMatchObject({
    title: 'Morning walk',
    sport: { slug: 'walking' },
    time_end: '2026-01-05T14:02:00.000Z',
    elev_high: 340.5,
    source: { provider: 'strava' },
  });
  // A thousandth of a degree of latitude is 111.2 m.
  expect(workout?.['distance']).toBeCloseTo(222.39, 1);
});

test.each([
  ['without a track', '<gpx version="1.1"/>', 'success', 0],
  ['whose points have no time', gpxFile(['<trkpt lat="1" lon="2"/>']), 'success', 1],
  ['that is cut off', gpxFile([gpxPoint(0, {})]).slice(0, 500), 'failure', 0],
])('a GPX file %s creates no workout', async (_what, file, status, skipped) => {
  expect(await importOf(file)).toMatchObject({ status, created: 0, skipped });
  expect(await summaries('workouts')).toEqual([]);
});

describe('an export of Apple Health', () => {
  const times = 'startDate="2026-01-05 07:00:00 -0700" endDate="2026-01-05 07:30:00 -0700" sourceName="Watch"';

  test('has workouts, in the form of new and of older phones', async () => {
    const file = appleExport([
      ` <Workout workoutActivityType="HKWorkoutActivityTypeTraditionalStrengthTraining" ${times}>`,
      '  <MetadataEntry key="HKElevationAscended" value="2050 cm"/>',
      '  <WorkoutStatistics type="HKQuantityTypeIdentifierActiveEnergyBurned" sum="310.5" unit="Cal"/>',
      '  <WorkoutStatistics type="HKQuantityTypeIdentifierDistanceWalkingRunning" sum="5.2" unit="km"/>',
      '  <WorkoutStatistics type="HKQuantityTypeIdentifierHeartRate" average="140.4" minimum="90" maximum="171" ' +
        'unit="count/min"/>',
      ' </Workout>',
      ' <Workout workoutActivityType="HKWorkoutActivityTypeRunning" totalDistance="1" totalDistanceUnit="mi" ' +
        `totalEnergyBurned="418.4" totalEnergyBurnedUnit="kJ" ${times.replaceAll('-05 07', '-06 07')}/>`,
      ` <Workout workoutActivityType="HKWorkoutActivityTypeSwimming" ${times.replaceAll('-05 07', '-07 07')}>`,
      '  <MetadataEntry key="HKWasUserEntered" value="1"/>',
      ' </Workout>',
      ' <Workout workoutActivityType="HKWorkoutActivityTypeYoga" startDate="soon"/>',
    ]);
    expect(await importOf(file)).toMatchObject({ status: 'success', created: 3, skipped: 1 });
    expect(await summaries('workouts')).toMatchObject([
      {
        sport: { slug: 'traditional_strength_training' },
        distance: 5_200,
        calories: 310.5,
        average_hr: 140,
        max_hr: 171,
        total_elevation_gain: 20.5,
        timezone_offset: -25_200,
        source: {
          provider: 'apple_health_kit',
          type: 'watch',
          app_id: expect.stringMatching(/^export\.[0-9a-f]{16}$/),
        },
      },
      { sport: { slug: 'running' }, distance: 1_609.344, calories: 100, calendar_date: '2026-01-06' },
      { sport: { slug: 'swimming' }, source: { type: 'watch', app_id: 'manual' } },
    ]);
  });

  const stage = (value: string, from: number, to: number, more: object = {}): string =>
    appleRecord('HKCategoryTypeIdentifierSleepAnalysis', {
      value: `HKCategoryValueSleepAnalysis${value}`,
      start: appleTime(from),
      end: appleTime(to),
      ...more,
    });

  test('has nights, made from their stages', async () => {
    const file = appleExport([
      stage('InBed', 0, 430),
      stage('AsleepCore', 10, 100),
      stage('AsleepDeep', 100, 160),
      stage('Awake', 160, 170),
      stage('AsleepREM', 170, 230),
      stage('AsleepCore', 230, 420),
      // A sleep in the afternoon, and a phone that recorded only the time in bed.
      stage('AsleepUnspecified', 800, 840),
      stage('InBed', 0, 400, { device: null, source: 'iPhone' }),
    ]);
    expect(await importOf(file)).toMatchObject({ status: 'success', created: 2, skipped: 1 });
    const sleeps = await summaries('sleep');
    expect(sleeps).toMatchObject([
      {
        calendar_date: '2026-01-05',
        bedtime_start: '2026-01-05T00:00:00.000Z',
        bedtime_stop: '2026-01-05T07:10:00.000Z',
        type: 'long_sleep',
        duration: 25_800,
        total: 24_000,
        awake: 600,
        light: 16_800,
        rem: 3_600,
        deep: 3_600,
        source: { provider: 'apple_health_kit', type: 'watch' },
      },
      { type: 'short_sleep', total: 2_400, light: 0 },
    ]);
    const cycles = await summaries('sleep_cycle');
    expect(cycles).toMatchObject([
      {
        sleep_id: sleeps[0]?.id,
        stage_start_offset_second: [600, 6_000, 9_600, 10_200, 13_800],
        stage_end_offset_second: [6_000, 9_600, 10_200, 13_800, 25_200],
        stage_type: [2, 1, 4, 3, 2],
      },
      { sleep_id: sleeps[1]?.id, stage_type: [-1] },
    ]);
    expect(await importFile(imports.app, imports.userId, file)).toMatchObject({ created: 0, updated: 0, unchanged: 2 });
  });

  const left = (records: number) => [{ type: 'HKCategoryTypeIdentifierSleepAnalysis', reason: 'not_kept', records }];
  const watch = (name: string) => ({
    device: `&lt;&lt;HKDevice: 0x1&gt;, name:Apple Watch, hardware:${name}&gt;`,
    source: 'Apple Watch of Grace',
  });

  test.each([
    ['apps', { device: null, source: 'AutoSleep' }, { device: null, source: 'Pillow' }],
    ['watches', watch('Watch6,1'), watch('Watch7,3')],
  ])('has one sleep of a night that two %s recorded', async (_name, one, other) => {
    const file = appleExport([
      stage('AsleepCore', 0, 180, one),
      stage('AsleepCore', 10, 190, other),
      stage('AsleepCore', 180, 360, one),
      stage('AsleepCore', 190, 371, other),
      // In the next night, the sleep with stages counts, although it is shorter.
      stage('AsleepUnspecified', 1_440, 1_800, one),
      stage('AsleepREM', 1_450, 1_780, other),
      // Each device also has a sleep that the other device did not record.
      stage('AsleepCore', 2_000, 2_060, one),
      stage('AsleepCore', 2_200, 2_260, other),
    ]);
    expect(await importOf(file)).toMatchObject({ created: 4, skipped: 3, skipped_by_type: left(3) });
    expect(await summaries('sleep')).toMatchObject([
      { bedtime_start: '2026-01-05T00:10:00.000Z', duration: 21_660, total: 21_660, light: 21_660 },
      { bedtime_start: '2026-01-06T00:10:00.000Z', duration: 19_800, total: 19_800, rem: 19_800 },
      { total: 3_600 },
      { total: 3_600 },
    ]);
  });

  test('counts no minute of a night twice if its stages overlap', async () => {
    const file = appleExport([
      stage('AsleepUnspecified', 0, 360),
      stage('AsleepCore', 0, 180),
      stage('AsleepDeep', 170, 300),
      stage('Awake', 200, 210),
    ]);
    expect(await importOf(file)).toMatchObject({ created: 1, skipped: 0 });
    expect(await summaries('sleep')).toMatchObject([
      { duration: 21_600, total: 21_000, light: 10_200, deep: 7_200, rem: 0, awake: 600 },
    ]);
    expect(await summaries('sleep_cycle')).toMatchObject([
      {
        stage_start_offset_second: [0, 10_200, 12_000, 12_600, 18_000],
        stage_end_offset_second: [10_200, 12_000, 12_600, 18_000, 21_600],
        stage_type: [2, 1, 4, 1, -1],
      },
    ]);
  });

  test('distinguishes sources only by kind of device if there are more than a thousand', async () => {
    const of = (source: string, from: number): string => stage('AsleepCore', from, from + 10, { device: null, source });
    const done = await importOf(
      appleExport([
        ...Array.from({ length: 1_000 }, (_, n) => of(`App ${n}`, 0)),
        ...Array.from({ length: 20 }, (_, n) => of(`Another ${n}`, 600 + n * 10)),
      ]),
    );
    expect(done).toMatchObject({ status: 'success', created: 2, skipped_by_type: left(999) });
    expect(await summaries('sleep')).toMatchObject([{ total: 600 }, { total: 12_000 }]);
  });
});
