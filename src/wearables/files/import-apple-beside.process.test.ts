// The data of an Apple Health export beside its flat records: rings, the person, electrocardiograms, routes and nights.
import { describe, expect, test } from 'vitest';
import { appleExport, appleRecord, appleTime, heartRates } from '../../../test/exports.ts';
import { subscribe } from '../../../test/factories.ts';
import { testImports } from '../../../test/imports.ts';
import { startEndpoint } from '../../../test/endpoint.ts';

const imports = testImports();
const { summaries, samples: samplesOf } = imports;
const importOf = (...of: Parameters<typeof appleExport>) => imports.importOf(appleExport(...of));

const QUANTITY = 'HKQuantityTypeIdentifier';
const rings = (day: string, more: string): string => ` <ActivitySummary dateComponents="${day}" ${more}/>`;

test('the rings of a day become its activity, and a day with empty rings is skipped', async () => {
  const done = await importOf([
    appleRecord(`${QUANTITY}RestingHeartRate`, { value: 52, unit: 'count/min', start: '2026-01-05 00:00:00 -0700' }),
    appleRecord(`${QUANTITY}WalkingHeartRateAverage`, {
      value: 98.5,
      unit: 'count/min',
      start: '2026-01-06 00:00:00 -0700',
    }),
    rings(
      '2026-01-05',
      'activeEnergyBurned="2092" activeEnergyBurnedGoal="2510.4" activeEnergyBurnedUnit="kJ" appleMoveTime="0" ' +
        'appleMoveTimeGoal="0" appleExerciseTime="42" appleExerciseTimeGoal="30" appleStandHours="11" ' +
        'appleStandHoursGoal="12"',
    ),
    rings(
      '1969-12-31',
      'activeEnergyBurned="0" activeEnergyBurnedUnit="Cal" appleExerciseTime="0" appleStandHours="0"',
    ),
  ]);
  expect(done).toMatchObject({ status: 'success', created: 2, skipped: 1 });
  expect(done.skipped_by_type).toEqual([{ type: 'ActivitySummary', reason: 'empty', records: 1 }]);
  expect(await summaries('activity')).toMatchObject([
    {
      calendar_date: '2026-01-05',
      calories_active: 500,
      calories_active_goal: 600,
      exercise_minutes: 42,
      exercise_minutes_goal: 30,
      stand_hours: 11,
      stand_hours_goal: 12,
      move_minutes: null,
      heart_rate: { resting_bpm: 52, avg_walking_bpm: null },
      source: { provider: 'apple_health_kit', type: 'multiple_sources' },
    },
    { calendar_date: '2026-01-06', calories_active: null, heart_rate: { avg_walking_bpm: 98.5 } },
  ]);
});

test('the person of an export becomes the profile, with the newest height', async () => {
  const height = (value: number, unit: string, start: string): string =>
    appleRecord(`${QUANTITY}Height`, { value, unit, start });
  const me =
    'HKCharacteristicTypeIdentifierDateOfBirth="1988-04-12" ' +
    'HKCharacteristicTypeIdentifierBiologicalSex="HKBiologicalSexFemale" ' +
    'HKCharacteristicTypeIdentifierBloodType="HKBloodTypeAPositive"';
  const records = [height(5.5, 'ft', '2026-01-05 07:00:00 -0700'), height(161, 'cm', '2019-01-05 07:00:00 -0700')];
  expect(await importOf(records, { me })).toMatchObject({ created: 1, skipped: 0 });
  const { body } = await imports.app.api('GET', `/v2/summary/profile/${imports.userId}`);
  expect(body).toMatchObject({ birth_date: '1988-04-12', sex: 'female', height: 168, wheelchair_use: null });
});

const ecg = (more: string[] = []): string =>
  [
    'Name,Grace Example',
    'Date of Birth,"Apr 12, 1988"',
    'Recorded Date,2026-01-05 07:00:00 -0700',
    'Classification,Sinus Rhythm',
    'Symptoms,',
    'Software Version,1.90',
    'Device,"Watch6,1"',
    'Sample Rate,512 hertz',
    '',
    '',
    'Lead,Lead I',
    'Unit,µV',
    '',
    ...(more.length === 0 ? ['-12.5', '40', '250.25', '0'] : more),
  ].join('\n');

test('an electrocardiogram is stored in any language of the phone, without the name of the person', async () => {
  const french = ecg(['-12,5', '40,25'])
    .replace('Recorded Date,2026-01-05', "Date d'enregistrement,2026-01-06")
    .replace('Classification,Sinus Rhythm', 'Classification,Fibrillation auriculaire')
    .replace('Sample Rate,512 hertz', "Taux d'échantillonnage,511.5 Hz");
  const done = await importOf([], {
    beside: {
      'electrocardiograms/ecg_2026-01-05.csv': ecg(),
      'electrocardiograms/ecg_2026-01-06.csv': french,
      'notes.csv': 'a,b\n1,2\n',
      'clinical-records/Immunization.json': '{}',
    },
  });
  expect(done).toMatchObject({ status: 'success', created: 8, skipped: 2 });
  expect(done.skipped_by_type).toEqual([
    { type: 'files *.csv', reason: 'unreadable', records: 1 },
    { type: 'files *.json', reason: 'not_kept', records: 1 },
  ]);
  const electrocardiograms = await summaries('electrocardiogram');
  expect(electrocardiograms).toMatchObject([
    {
      session_start: '2026-01-05T14:00:00.000Z',
      session_end: '2026-01-05T14:00:00.008Z',
      voltage_sample_count: 4,
      sampling_frequency_hz: 512,
      classification: 'sinus_rhythm',
      algorithm_version: '1.90',
      source_device_model: 'Watch6,1',
      source_type: 'watch',
    },
    { voltage_sample_count: 2, sampling_frequency_hz: 511.5, classification: null },
  ]);
  expect(JSON.stringify(electrocardiograms)).not.toMatch(/Grace|1988/);
  expect(await samplesOf('electrocardiogram_voltage')).toMatchObject([
    { timestamp: '2026-01-05T14:00:00.000Z', value: -0.0125, unit: 'mV', type: 'lead_1' },
    { timestamp: '2026-01-05T14:00:00.002Z', value: 0.04 },
    { timestamp: '2026-01-05T14:00:00.004Z', value: 0.25025 },
    { timestamp: '2026-01-05T14:00:00.006Z', value: 0 },
    { value: -0.0125 },
    { value: 0.04025 },
  ]);
});

const ROUTE = `<?xml version="1.0" encoding="UTF-8"?>
<gpx version="1.1" creator="Apple Health Export" xmlns="http://www.topografix.com/GPX/1/1">
<trk><name>Route</name><trkseg>
<trkpt lon="-120.2" lat="38.5"><ele>10.5</ele><time>2026-01-05T14:00:00Z</time>
<extensions><speed>2.5</speed><course>1</course></extensions></trkpt>
<trkpt lon="-120.95" lat="40.7"><ele>12.5</ele><time>2026-01-05T14:10:00Z</time>
<extensions><speed>3.5</speed></extensions></trkpt>
<trkpt lon="-126.453" lat="43.252"><ele>11.5</ele><time>2026-01-05T14:20:00Z</time></trkpt>
</trkseg></trk></gpx>`;
const route = (file: string): string =>
  `<WorkoutRoute sourceName="Watch"><FileReference path="/workout-routes/${file}"/></WorkoutRoute>`;
const workout = (within: string): string =>
  ' <Workout workoutActivityType="HKWorkoutActivityTypeRunning" sourceName="Apple Watch" ' +
  `startDate="2026-01-05 07:00:00 -0700" endDate="2026-01-05 07:30:00 -0700">${within}</Workout>`;

describe('a workout of an export', () => {
  const rates = heartRates(3, { start: undefined }).map((_, n) =>
    appleRecord(`${QUANTITY}HeartRate`, { value: 120 + 10 * n, unit: 'count/min', start: appleTime(14 * 60 + n * 5) }),
  );

  test('has its route as a stream and a map, with the heart rates of the watch and an event', async () => {
    const endpoint = await startEndpoint();
    await subscribe(imports.app.team, endpoint);
    const file = [workout(route('route_2026-01-05_7.00am.gpx')), ...rates];
    const done = await importOf(file, { beside: { 'workout-routes/route_2026-01-05_7.00am.gpx': ROUTE } });
    expect(done).toMatchObject({ status: 'success', created: 4, skipped: 0 });
    const [summary] = await summaries('workouts');
    expect(summary).toMatchObject({
      average_hr: 130,
      max_hr: 140,
      elev_high: 12.5,
      elev_low: 10.5,
      // The example in the specification of the polyline format.
      map: { polyline: '_p~iF~ps|U_ulLnnqC_mqNvxq`@' },
    });
    const { body } = await imports.app.api('GET', `/v2/timeseries/workouts/${summary?.id}/stream`);
    const at = (minute: number): number => Date.UTC(2026, 0, 5, 14, minute) / 1_000;
    expect(body).toMatchObject({
      time: [at(0), at(5), at(10), at(20)],
      heartrate: [120, 130, 140, null],
      lat: [38.5, null, 40.7, 43.252],
      altitude: [10.5, null, 12.5, 11.5],
      velocity_smooth: [2.5, null, 3.5, null],
    });
    await imports.app.deliver();
    const eventTypes = endpoint.received
      .filter(({ body }) => body.user_id === imports.userId)
      .map(({ body }) => body.event_type);
    expect(eventTypes).toContain('daily.data.workout_stream.created');
    await endpoint.close();
  });

  test.each([
    ['is not in the archive', {}],
    ['is cut off', { 'workout-routes/a.gpx': '<gpx><trk>' }],
  ])('is stored if its route %s, and the route is counted', async (_what, beside) => {
    const done = await importOf([workout(route('a.gpx')), ...rates], { beside });
    expect(done).toMatchObject({ status: 'success', created: 4, skipped: 1 });
    expect(done.skipped_by_type).toEqual([{ type: 'WorkoutRoute', reason: 'unreadable', records: 1 }]);
    expect(await summaries('workouts')).toMatchObject([{ max_hr: 140, map: null }]);
  });
});

test("a night has the watch's heart rates, wherever they are in the export", async () => {
  const asleep = (value: string, from: number, to: number): string =>
    appleRecord('HKCategoryTypeIdentifierSleepAnalysis', {
      value: `HKCategoryValueSleepAnalysis${value}`,
      start: appleTime(from),
      end: appleTime(to),
    });
  const rate = (minute: number, value: number, more = {}): string =>
    appleRecord(`${QUANTITY}HeartRate`, { value, unit: 'count/min', start: appleTime(minute), ...more });
  await importOf([
    rate(70, 49.5),
    rate(10, 60),
    rate(30, 40, { device: null, source: 'Strap app' }),
    asleep('AsleepCore', 0, 60),
    asleep('AsleepDeep', 60, 240),
    rate(300, 90),
    rate(239, 55),
  ]);
  const [night] = await summaries('sleep');
  expect(night).toMatchObject({ hr_lowest: 50, hr_average: 55, average_hrv: null });
  const { body } = await imports.app.api<{ heartrate: unknown[] }>('GET', `/v2/timeseries/sleep/${night?.id}/stream`);
  expect(body.heartrate).toMatchObject([
    { timestamp: '2026-01-05T00:10:00.000Z', value: 60 },
    { timestamp: '2026-01-05T01:10:00.000Z', value: 49.5 },
    { timestamp: '2026-01-05T03:59:00.000Z', value: 55 },
  ]);
});

test('SDNN and RMSSD are stored as separate series', async () => {
  const of = (kind: string, value: number): string =>
    appleRecord(`${QUANTITY}HeartRateVariability${kind}`, {
      value,
      unit: 'ms',
      within: [
        '<HeartRateVariabilityMetadataList>' +
          '<InstantaneousBeatsPerMinute bpm="61" time="7:00:01.52 AM"/></HeartRateVariabilityMetadataList>',
      ],
    });
  expect(await importOf([of('SDNN', 41.5), of('RMSSD', 33.25)])).toMatchObject({ created: 2, skipped: 0 });
  expect(await samplesOf('hrv_sdnn')).toMatchObject([{ value: 41.5, unit: 'ms' }]);
  expect(await samplesOf('hrv')).toMatchObject([{ value: 33.25, unit: 'rmssd' }]);
});

test('the type of an insulin injection follows from its reason and duration', async () => {
  const insulin = (value: number, reason: string | null, minutes = 0, unit = 'IU'): string =>
    appleRecord(`${QUANTITY}InsulinDelivery`, {
      value,
      unit,
      start: appleTime(value * 10),
      end: appleTime(value * 10 + minutes),
      within: reason === null ? [] : [`<MetadataEntry key="HKInsulinDeliveryReason" value="${reason}"/>`],
    });
  const done = await importOf([
    insulin(1, '2'),
    insulin(2, '1', 30),
    insulin(18, '1'),
    insulin(4, null),
    insulin(5, '2', 0, 'mL'),
  ]);
  expect(done.skipped_by_type).toEqual([{ type: `${QUANTITY}InsulinDelivery`, reason: 'unreadable', records: 2 }]);
  expect(await samplesOf('insulin_injection')).toMatchObject([
    { value: 1, unit: 'unit', type: 'rapid_acting', delivery_mode: 'bolus' },
    { value: 2, type: 'rapid_acting', delivery_mode: 'basal', end: '2026-01-05T00:50:00.000Z' },
    { value: 18, type: 'long_acting', delivery_mode: 'basal' },
  ]);
});

test('a State of Mind becomes a note, and medications are counted as skipped', async () => {
  const done = await importOf([
    ' <StateOfMind kind="dailyMood" valence="0.4" valenceClassification="slightlyPleasant" labels="calm, happy" ' +
      'associations="family" startDate="2026-01-05 07:00:00 -0700" endDate="2026-01-05 07:00:00 -0700"/>',
    ' <Record type="HKDataTypeStateOfMind" sourceName="Health" startDate="2026-01-06 07:00:00 -0700" ' +
      'endDate="2026-01-06 07:00:00 -0700"><MetadataEntry key="labels" value="tired"/></Record>',
    ' <Record type="HKDataTypeStateOfMind" sourceName="Health" startDate="2026-01-07 07:00:00 -0700" ' +
      'endDate="2026-01-07 07:00:00 -0700"/>',
    ' <Record type="HKMedicationDoseEventTypeIdentifierMedicationDoseEvent" startDate="2026-01-05 07:00:00 -0700" ' +
      'endDate="2026-01-05 07:00:00 -0700"/>',
    ' <ClinicalRecord type="MedicationOrder" identifier="1" ' +
      'resourceFilePath="/clinical-records/MedicationOrder-1.json"/>',
    ' <Audiogram type="HKDataTypeIdentifierAudiogram"><SensitivityPoint frequencyValue="500"/></Audiogram>',
  ]);
  expect(done).toMatchObject({ status: 'success', created: 2, skipped: 4 });
  expect(done.skipped_by_type.map(({ type, reason }) => [type, reason])).toEqual([
    ['HKDataTypeStateOfMind', 'unreadable'],
    ['HKMedicationDoseEventTypeIdentifierMedicationDoseEvent', 'not_kept'],
    ['ClinicalRecord MedicationOrder', 'not_kept'],
    ['Audiogram HKDataTypeIdentifierAudiogram', 'not_kept'],
  ]);
  expect(await samplesOf('note')).toMatchObject([
    {
      value:
        'State of Mind (kind: dailyMood; valence: 0.4; classification: slightlyPleasant; labels: calm, happy; ' +
        'associations: family)',
      tags: ['unspecified'],
    },
    { value: 'State of Mind (labels: tired)' },
  ]);
});
