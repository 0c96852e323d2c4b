// Archives of Garmin, Google and Samsung. People and values are invented. The shapes are those that public code reads.
import { describe, expect, test } from 'vitest';
import { makeArchive } from '../../../test/make-archive.ts';
import { importFile } from '../../../test/exports.ts';
import { subscribe } from '../../../test/factories.ts';
import { testImports } from '../../../test/imports.ts';
import { startEndpoint } from '../../../test/endpoint.ts';
import { fitFile } from '../../../test/workout-files.ts';

const imports = testImports();
const { importOf, summaries, samples } = imports;
const zip = (files: Record<string, string | Buffer>): Buffer =>
  makeArchive(Object.entries(files).map(([name, content]) => ({ name, content })));
const at = (time: string): number => Date.parse(`2026-01-05T${time}Z`);

describe("Garmin's archive", () => {
  const G = 'DI_CONNECT';
  const run = fitFile([
    { second: 0, heartrate: 120 },
    { second: 60, heartrate: 130 },
  ]);
  const activity = {
    activityId: 77,
    name: 'Evening ride',
    activityType: 'road_biking',
    beginTimestamp: at('18:00:00'),
    startTimeLocal: at('11:00:00'),
    duration: 3_600_000,
    movingDuration: 3_500_000,
    distance: 2_500_000,
    elevationGain: 12_300,
    avgSpeed: 0.7,
    avgHr: 132,
    maxHr: 160,
  };
  const archive = zip({
    'README.txt': 'What is in here',
    [`${G}/DI-Connect-Aggregator/UDSFile_2026-01-01_2026-04-11.json`]: JSON.stringify([
      {
        calendarDate: '2026-01-05',
        totalSteps: 10_512,
        totalDistanceMeters: 7_850,
        totalKilocalories: 2_310,
        activeKilocalories: 540,
        moderateIntensityMinutes: 20,
        vigorousIntensityMinutes: 15,
        minHeartRate: 48,
        maxHeartRate: 151,
        restingHeartRate: 55,
      },
      { calendarDate: '2026-01-06', totalSteps: 0 },
    ]),
    [`${G}/DI-Connect-Wellness/2026-01-01_2026-04-11_77_sleepData.json`]: JSON.stringify([
      {
        calendarDate: '2026-01-06',
        sleepStartTimestampGMT: '2026-01-06T05:12:00.0',
        sleepEndTimestampGMT: '2026-01-06T12:42:00.0',
        deepSleepSeconds: 5_400,
        lightSleepSeconds: 14_400,
        remSleepSeconds: 6_000,
        awakeSleepSeconds: 1_200,
        sleepScores: { overallScore: 81 },
      },
    ]),
    [`${G}/DI-Connect-Fitness/grace@example.com_0_summarizedActivities.json`]: JSON.stringify([
      { summarizedActivitiesExport: [activity, { ...activity, activityId: 78, beginTimestamp: at('14:00:01') }] },
    ]),
    [`${G}/DI-Connect-User/grace@example.com-social-profile.json`]: '{}',
    [`${G}/DI-Connect-Metrics/TrainingReadinessDTO_20260101_20260411_77.json`]: '[]',
    [`${G}/DI-Connect-Uploaded-Files/UploadedFiles_0-_Part1.zip`]: zip({
      'grace_1.fit': run,
      'grace_2.txt': 'no workout',
    }),
  });

  test('has files of devices, days, nights, and workouts without a file', async () => {
    const endpoint = await startEndpoint();
    await subscribe(imports.app.team, endpoint);
    const done = await importOf(archive);
    expect(done).toMatchObject({ kind: 'garmin_export', status: 'success', created: 8, error: null });
    expect(await summaries('workouts')).toMatchObject([
      { sport: { slug: 'trail_running' }, time_start: '2026-01-05T14:00:00.000Z' },
      {
        title: 'Evening ride',
        sport: { slug: 'road_biking' },
        time_start: '2026-01-05T18:00:00.000Z',
        time_end: '2026-01-05T19:00:00.000Z',
        timezone_offset: -25_200,
        moving_time: 3_500,
        distance: 25_000,
        total_elevation_gain: 123,
        average_speed: 7,
        average_hr: 132,
        provider_id: '77',
      },
    ]);
    expect(await summaries('activity')).toMatchObject([
      {
        calendar_date: '2026-01-05',
        steps: 10_512,
        calories_active: 540,
        medium: 20,
        high: 15,
        heart_rate: { resting_bpm: 55 },
      },
    ]);
    expect(await summaries('sleep')).toMatchObject([
      { calendar_date: '2026-01-06', total: 25_800, deep: 5_400, score: 81, bedtime_start: '2026-01-06T05:12:00.000Z' },
    ]);
    await imports.app.deliver();
    const eventTypes = endpoint.received
      .filter(({ body }) => body.user_id === imports.userId)
      .map(({ body }) => body.event_type);
    expect(eventTypes).toContain('daily.data.sleep.created');
    await endpoint.close();
  });

  test('has counts of what was left out, without anybody’s address', async () => {
    const { skipped_by_type } = await importOf(archive);
    expect(skipped_by_type).toContainEqual({ type: 'uploaded files', reason: 'unreadable', records: 1 });
    expect(skipped_by_type).toContainEqual({ type: 'DI-Connect-Metrics/*.json', reason: 'not_kept', records: 1 });
    expect(skipped_by_type).toContainEqual({ type: 'DI-Connect-Aggregator/*.json', reason: 'empty', records: 1 });
    expect(JSON.stringify(skipped_by_type)).not.toMatch(/grace|example/);
  });

  test('changes nothing if it is sent again', async () => {
    await importOf(archive);
    expect(await importFile(imports.app, imports.userId, archive)).toMatchObject({
      created: 0,
      updated: 0,
      unchanged: 8,
    });
  });

  test.each<[string, Record<string, string | Buffer>]>([
    ['a broken document', { [`${G}/DI-Connect-Aggregator/UDSFile_a.json`]: '[{' }],
    [
      'a document of other values',
      { [`${G}/DI-Connect-Wellness/a_sleepData.json`]: '[1, null, "x", {"sleepStartTimestampGMT": {}}]' },
    ],
    ['a broken inner archive', { [`${G}/DI-Connect-Uploaded-Files/a.zip`]: 'PK no archive' }],
    [
      'a document that is too large',
      { [`${G}/DI-Connect-Aggregator/UDSFile_a.json`]: Buffer.alloc(25 * 1024 * 1024, randomText()) },
    ],
  ])('with %s is read as far as possible', async (_what, files) => {
    const done = await importOf(
      zip({
        ...files,
        [`${G}/DI-Connect-Aggregator/UDSFile_b.json`]: '[{"calendarDate":"2026-01-05","totalSteps":5}]',
      }),
    );
    expect(done).toMatchObject({ status: 'success', created: 1 });
    expect(done.skipped).toBeGreaterThan(0);
  });

  test('is refused if its inner archive is packed too tightly', async () => {
    const bomb = zip({ 'a.fit': Buffer.alloc(30 * 1024 * 1024) });
    const done = await importOf(zip({ [`${G}/DI-Connect-Uploaded-Files/a.zip`]: bomb }));
    expect(done).toMatchObject({ status: 'failure', error: { code: 'archive_too_large' } });
  });
});

/** Text that cannot be packed tightly enough to be refused as a zip bomb. */
function randomText(): string {
  let seed = 1;
  return Array.from({ length: 100_000 }, () =>
    String.fromCharCode(33 + ((seed = (seed * 16_807) % 2_147_483_647) % 90)),
  ).join('');
}

describe("Google's archive of Fitbit", () => {
  const P = 'Takeout/Google Health/Physical Activity_GoogleData';
  const H = 'Takeout/Google Health/Health Fitness Data_GoogleData';
  const table = (header: string, ...rows: string[]): string => [header, ...rows].join('\n');
  const archive = zip({
    [`${P}/steps_2026-01-05.csv`]: table(
      'timestamp,steps,data source',
      '2026-01-05T14:00:00Z,52,Charge 5',
      '2026-01-05T14:01:00Z,0,Charge 5',
    ),
    [`${P}/heart_rate_2026-01-05.csv`]: table(
      'timestamp,beats per minute,data source',
      '2026-01-05T14:00:03Z,72.0,Charge 5',
      'soon,72.0,Charge 5',
      '2026-01-05T14:00:08Z,,Charge 5',
    ),
    [`${P}/weight.csv`]: table('timestamp,weight grams,data source', '2026-01-05T14:00:00Z,69500,"Scale, of mine"'),
    [`${P}/heart_rate_variability_2026-01-05.csv`]: table(
      'timestamp,root mean square of successive differences milliseconds,standard deviation milliseconds,data source',
      '2026-01-05T08:00:00Z,41.5,55.25,Charge 5',
    ),
    [`${P}/daily_resting_heart_rate.csv`]: table('timestamp,beats per minute', '2026-01-05T00:00:00Z,60'),
    [`${H}/UserSleepStages_2026-01-01.csv`]: table(
      'sleep_id,sleep_stage_id,sleep_stage_type,start_utc_offset,sleep_stage_start,end_utc_offset,sleep_stage_end,' +
        'data_source',
      '111,1,LIGHT,-07:00,2026-01-05T05:00:00Z,-07:00,2026-01-05T07:00:00Z,x',
      '111,2,DEEP,-07:00,2026-01-05 07:00:00+0000,-07:00,2026-01-05 08:30:00+0000,x',
    ),
    [`${H}/UserSleeps_2026-01-01.csv`]: table(
      'sleep_id,sleep_type,minutes_asleep,minutes_awake,start_utc_offset,sleep_start,end_utc_offset,sleep_end,' +
        'data_source',
      '111,STAGES,210,12,-07:00,2026-01-05T04:50:00Z,-07:00,2026-01-05T08:40:00Z,x',
    ),
    [`${H}/UserExercises_2026-01-01.csv`]: table(
      'exercise_id,exercise_start,exercise_end,utc_offset,activity_name,tracker_total_calories,tracker_total_steps,' +
        'tracker_total_distance_mm,tracker_total_altitude_mm,tracker_avg_heart_rate,events,deletion_reason',
      '9,2026-01-05T14:00:00Z,2026-01-05T14:30:00Z,-07:00,Outdoor Run,300,4200,5000000,12000,149,"[{""a"": 1}]",',
      '10,2026-01-05T15:00:00Z,2026-01-05T15:30:00Z,-07:00,Walk,1,1,1,1,1,,DELETED_BY_USER',
    ),
    'Takeout/Google Health/Global Export Data/steps-2026-01-05.json': '[]',
    'Takeout/Mail/All mail of Grace.csv': 'a,b\n1,2',
  });

  test('has samples, nights with their stages, and workouts', async () => {
    const done = await importOf(archive);
    expect(done).toMatchObject({ kind: 'google_takeout', status: 'success', created: 7 });
    expect(await samples('steps')).toMatchObject([
      { start: '2026-01-05T14:00:00.000Z', end: '2026-01-05T14:01:00.000Z', value: 52 },
    ]);
    expect(await samples('heartrate')).toMatchObject([{ value: 72 }]);
    expect(await samples('body_weight')).toMatchObject([{ value: 69.5, unit: 'kg' }]);
    expect(await samples('hrv')).toMatchObject([{ value: 41.5 }]);
    expect(await samples('hrv_sdnn')).toMatchObject([{ value: 55.25 }]);
    expect(await summaries('sleep')).toMatchObject([
      {
        total: 12_600,
        light: 7_200,
        deep: 5_400,
        awake: 720,
        duration: 13_800,
        timezone_offset: -25_200,
        source: { provider: 'fitbit' },
      },
    ]);
    expect(await summaries('sleep_cycle')).toMatchObject([
      { stage_type: [2, 1], stage_start_offset_second: [600, 7_800] },
    ]);
    expect(await summaries('workouts')).toMatchObject([
      {
        sport: { slug: 'outdoor_run' },
        distance: 5_000,
        total_elevation_gain: 12,
        steps: 4_200,
        calories: 300,
        average_hr: 149,
      },
    ]);
  });

  test('has counts of what was left out, without names of other services', async () => {
    const { skipped_by_type } = await importOf(archive);
    expect(skipped_by_type).toContainEqual({ type: 'files of other kinds', reason: 'not_kept', records: 1 });
    expect(skipped_by_type).toContainEqual({ type: 'steps*.json', reason: 'not_kept', records: 1 });
    expect(skipped_by_type).toContainEqual({ type: 'daily_resting_heart_rate*.csv', reason: 'not_kept', records: 1 });
    expect(skipped_by_type).toContainEqual({ type: 'heartrate', reason: 'unreadable', records: 1 });
    expect(skipped_by_type).toContainEqual({ type: 'UserExercises', reason: 'empty', records: 1 });
    expect(JSON.stringify(skipped_by_type)).not.toMatch(/Grace|mail/i);
  });

  test('is read without a table whose checksum is wrong, and the table is counted', async () => {
    const minute = (day: number): string => table('timestamp,beats per minute', `2026-01-0${day}T14:00:03Z,72`);
    const content = (day: number) => ({ name: `${P}/heart_rate_2026-01-0${day}.csv`, content: minute(day) });
    const done = await importOf(makeArchive([content(4), { ...content(5), crc: 1 }, content(6)]));
    expect(done).toMatchObject({ status: 'success', error: null });
    expect(done.skipped_by_type).toEqual([{ type: 'heart_rate*.csv', reason: 'unreadable', records: 1 }]);
    const days = (await samples('heartrate')).map(({ timestamp }) => String(timestamp).slice(0, 10));
    expect(days).toEqual(expect.arrayContaining(['2026-01-04', '2026-01-06']));
  });

  test('is read without a table that has a too long line, and the table is counted', async () => {
    const longLine = randomText().replaceAll('"', '').repeat(20);
    const done = await importOf(
      zip({
        [`${P}/heart_rate_2026-01-04.csv`]: `timestamp,beats per minute\n"${longLine}`,
        [`${P}/heart_rate_2026-01-05.csv`]: 'timestamp,beats per minute\n2026-01-05T14:00:03Z,72',
      }),
    );
    expect(done).toMatchObject({ status: 'success', created: 1, skipped: 1 });
  });
});

describe('Samsung Health', () => {
  const heart = [
    'com.samsung.shealth.tracker.heart_rate,6313004,5',
    'source,com.samsung.health.heart_rate.start_time,com.samsung.health.heart_rate.end_time,' +
      'com.samsung.health.heart_rate.time_offset,com.samsung.health.heart_rate.heart_rate',
    ',2026-01-05 14:00:00.000,2026-01-05 14:00:00.000,UTC-0700,64.0,',
    ',,,UTC-0700,64.0',
  ].join('\n');
  const archive = zip({
    'samsunghealth_grace_2026/com.samsung.shealth.tracker.heart_rate.20260109.csv': `\uFEFF${heart}`,
    'samsunghealth_grace_2026/com.samsung.shealth.tracker.pedometer_step_count.20260109.csv': [
      'com.samsung.shealth.tracker.pedometer_step_count,1,1',
      'com.samsung.health.step_count.start_time,com.samsung.health.step_count.end_time,' +
        'com.samsung.health.step_count.count,com.samsung.health.step_count.distance,' +
        'com.samsung.health.step_count.time_offset',
      '2026-01-05 14:00:00.000,2026-01-05 14:01:00.000,95,71.5,UTC-0700',
    ].join('\n'),
    'samsunghealth_grace_2026/com.samsung.health.sleep_stage.20260109.csv': [
      'com.samsung.health.sleep_stage,1,1',
      'start_time,end_time,sleep_id,stage,time_offset',
      '2026-01-05 05:00:00.000,2026-01-05 06:00:00.000,n1,40002,UTC-0700',
      '2026-01-05 06:00:00.000,2026-01-05 07:00:00.000,n1,40004,UTC-0700',
      '2026-01-05 07:00:00.000,2026-01-05 07:05:00.000,n1,40001,UTC-0700',
    ].join('\n'),
    'samsunghealth_grace_2026/com.samsung.shealth.sleep.20260109.csv': [
      'com.samsung.shealth.sleep,1,1',
      'sleep_score,com.samsung.health.sleep.start_time,com.samsung.health.sleep.end_time,' +
        'com.samsung.health.sleep.datauuid,com.samsung.health.sleep.time_offset',
      '84,2026-01-05 05:00:00.000,2026-01-05 07:05:00.000,n1,UTC-0700',
    ].join('\n'),
    'samsunghealth_grace_2026/com.samsung.shealth.exercise.20260109.csv': [
      'com.samsung.shealth.exercise,1,1',
      'com.samsung.health.exercise.start_time,com.samsung.health.exercise.end_time,' +
        'com.samsung.health.exercise.exercise_type,com.samsung.health.exercise.duration,' +
        'com.samsung.health.exercise.mean_heart_rate,com.samsung.health.exercise.distance,' +
        'com.samsung.health.exercise.calorie,com.samsung.health.exercise.time_offset',
      '2026-01-05 14:00:00.000,2026-01-05 14:24:00.000,1002,1440000,150.4,3101.8,269.4,UTC-0700',
    ].join('\n'),
    'samsunghealth_grace_2026/com.samsung.shealth.blood_pressure.20260109.csv': [
      'com.samsung.shealth.blood_pressure,1,1',
      'com.samsung.shealth.blood_pressure.start_time,com.samsung.shealth.blood_pressure.systolic,' +
        'com.samsung.shealth.blood_pressure.diastolic',
      '2026-01-05 14:00:00.000,121,79',
    ].join('\n'),
    'samsunghealth_grace_2026/com.samsung.shealth.badge.20260109.csv': 'com.samsung.shealth.badge,1,1\na\n1',
    'samsunghealth_grace_2026/jsons/grace.json': '{}',
  });

  test('has samples, nights with their stages, workouts and blood pressures', async () => {
    const done = await importOf(archive);
    expect(done).toMatchObject({ kind: 'samsung_health', status: 'success', created: 6 });
    expect(await samples('heartrate')).toMatchObject([
      { timestamp: '2026-01-05T14:00:00.000Z', value: 64, timezone_offset: -25_200 },
    ]);
    expect(await samples('steps')).toMatchObject([{ value: 95, end: '2026-01-05T14:01:00.000Z' }]);
    expect(await samples('distance')).toMatchObject([{ value: 71.5 }]);
    expect(await samples('blood_pressure')).toMatchObject([{ systolic: 121, diastolic: 79 }]);
    expect(await summaries('sleep')).toMatchObject([
      { total: 7_200, light: 3_600, rem: 3_600, awake: 300, score: 84, source: { provider: 'samsung_health' } },
    ]);
    expect(await summaries('workouts')).toMatchObject([
      { sport: { slug: 'running' }, average_hr: 150, distance: 3_101.8, calories: 269.4, moving_time: 1_440 },
    ]);
  });

  test('has counts of what was left out', async () => {
    const { skipped_by_type } = await importOf(archive);
    expect(skipped_by_type.toSorted((a, b) => (a.type < b.type ? -1 : 1))).toEqual([
      { type: 'com.samsung.shealth.badge', reason: 'not_kept', records: 1 },
      { type: 'com.samsung.shealth.tracker.heart_rate', reason: 'unreadable', records: 1 },
      { type: 'files of other kinds', reason: 'not_kept', records: 1 },
    ]);
  });

  test('can also be a single table', async () => {
    expect(await importOf(heart)).toMatchObject({ kind: 'samsung_health', status: 'success', created: 1, skipped: 1 });
    expect(await importOf('com.samsung.shealth.badge,1,1\na\n1')).toMatchObject({
      status: 'success',
      created: 0,
      skipped: 1,
    });
  });
});
