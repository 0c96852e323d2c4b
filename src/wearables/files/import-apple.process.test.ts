// Imports run the parser process from the last build.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { appleExport, appleRecord, appleTime, heartRates, importFile, typedIn } from '../../../test/exports.ts';
import { makeUser, subscribe } from '../../../test/factories.ts';
import { startEndpoint } from '../../../test/endpoint.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

type ShownSample = { value: number; type: string | null; timezone_offset: number | null };
type Group = { source: { type: string; provider: string; app_id: string | null }; data: ShownSample[] };
const groupsOf = async (userId: string, series: string): Promise<Group[]> => {
  const { body } = await app.api<{ groups: Record<string, Group[]> }>(
    'GET',
    `/v2/timeseries/${userId}/${series}/grouped?start_date=2026-01-01&end_date=2026-12-31`,
  );
  return Object.values(body.groups).flat();
};
const samplesOf = async (userId: string, series: string) =>
  (await groupsOf(userId, series)).flatMap(({ data, source }) => data.map((each) => ({ ...each, from: source.type })));

const QUANTITY = 'HKQuantityTypeIdentifier';

describe('an export of Apple Health', () => {
  test('is stored, and its import shows the outcome', async () => {
    const { user_id } = await makeUser(app.team);
    const file = appleExport([
      ...heartRates(3),
      appleRecord(`${QUANTITY}StepCount`, { value: 12, start: appleTime(0), end: appleTime(10) }),
      appleRecord(`${QUANTITY}DietaryFiber`, { value: 1 }),
    ]);
    const done = await importFile(app, user_id, file);
    expect(done).toMatchObject({
      user_id,
      kind: 'apple_health',
      status: 'success',
      bytes: file.length,
      progress: 1,
      created: 4,
      updated: 0,
      unchanged: 0,
      skipped: 1,
      skipped_by_type: [{ type: `${QUANTITY}DietaryFiber`, reason: 'not_kept', records: 1 }],
      error: null,
    });
    expect(done.started_at && done.ended_at && done.created_at <= done.started_at).toBe(true);
    expect(await groupsOf(user_id, 'heartrate')).toEqual([
      {
        source: expect.objectContaining({
          provider: 'apple_health_kit',
          type: 'watch',
          app_id: expect.stringMatching(/^export\.[0-9a-f]{16}$/),
          device_id: null,
        }),
        data: [
          expect.objectContaining({ timestamp: '2026-01-05T00:00:00.000Z', value: 50, timezone_offset: 0, type: null }),
          expect.objectContaining({ timestamp: '2026-01-05T00:01:00.000Z', value: 51 }),
          expect.objectContaining({ timestamp: '2026-01-05T00:02:00.000Z', value: 52 }),
        ],
      },
    ]);
    expect(await samplesOf(user_id, 'steps')).toMatchObject([
      { start: '2026-01-05T00:00:00.000Z', end: '2026-01-05T00:10:00.000Z', value: 12, unit: 'count' },
    ]);
  });

  test('distinguishes two watches and two apps under hashed names, which are the same in the next export', async () => {
    const { user_id } = await makeUser(app.team);
    const watch = (hardware: string, software: string): string =>
      '&lt;&lt;HKDevice: 0x28301a8f0&gt;, name:Apple Watch, model:Watch, ' +
      `hardware:${hardware}, software:${software}&gt;`;
    const phone =
      '&lt;&lt;HKDevice: 0x28301a8f1&gt;, name:iPhone, model:iPhone, hardware:iPhone12,1, software:14.2&gt;';
    const steps = (from: number, minutes: number, value: number, more: object): string =>
      appleRecord(`${QUANTITY}StepCount`, { value, start: appleTime(from), end: appleTime(from + minutes), ...more });
    const records = [
      steps(0, 60, 600, { device: watch('Watch3,4', '7.1') }),
      steps(60, 60, 60, { device: watch('Watch3,4', '7.2') }),
      steps(30, 60, 600, { device: watch('Watch6,2', '8.0') }),
      steps(600, 60, 1_000, { device: phone, source: 'iPhone of Grace' }),
      steps(630, 60, 1_000, { device: phone, source: 'Step Counter' }),
    ];
    expect(await importFile(app, user_id, appleExport(records))).toMatchObject({ created: 5 });
    const countByApp = async (): Promise<[string | null, number][]> =>
      (await groupsOf(user_id, 'steps')).map(({ source, data }) => [source.app_id, data.length]);
    const before = await countByApp();
    expect(before.map(([, samples]) => samples).sort()).toEqual([1, 1, 1, 2]);
    expect(new Set(before.map(([app_id]) => app_id)).size).toBe(4);
    expect(JSON.stringify(before)).not.toMatch(/grace|counter|watch/i);
    expect(await importFile(app, user_id, appleExport(records.toReversed()))).toMatchObject({
      unchanged: 5,
      created: 0,
    });
    expect((await countByApp()).sort()).toEqual(before.sort());
  });

  test('changes and publishes nothing if it is sent again', async () => {
    const { user_id } = await makeUser(app.team);
    const endpoint = await startEndpoint();
    await subscribe(app.team, endpoint);
    const file = appleExport(heartRates(1_200));
    expect(await importFile(app, user_id, file)).toMatchObject({ status: 'success', created: 1_200 });
    await app.deliver();
    const webhooks = endpoint.received.filter(({ body }) => body.user_id === user_id);
    expect(webhooks.map(({ body }) => [body.event_type, (body.data['data'] as unknown[]).length])).toEqual([
      ['daily.data.heartrate.created', 500],
      ['daily.data.heartrate.created', 500],
      ['daily.data.heartrate.created', 200],
    ]);
    const before = await samplesOf(user_id, 'heartrate');
    expect(await importFile(app, user_id, file)).toMatchObject({ created: 0, updated: 0, unchanged: 1_200 });
    await app.deliver();
    expect(endpoint.received.filter(({ body }) => body.user_id === user_id)).toHaveLength(3);
    expect(await samplesOf(user_id, 'heartrate')).toEqual(before);
    await endpoint.close();
  });

  test('has one source for a device, whatever its address in memory was', async () => {
    const { user_id } = await makeUser(app.team);
    const addresses = ['0x28301a8f0', '0x283aaaaaa', '0x1'];
    const records = addresses.map((address, n) =>
      appleRecord(`${QUANTITY}StepCount`, {
        value: n,
        start: appleTime(n),
        end: appleTime(n + 1),
        device: `&lt;&lt;HKDevice: ${address}&gt;, name:iPhone, manufacturer:Apple Inc., model:iPhone&gt;`,
      }),
    );
    await importFile(app, user_id, appleExport(records));
    const groups = await groupsOf(user_id, 'steps');
    expect(groups.map(({ source, data }) => [source.type, data.length])).toEqual([['phone', 3]]);
    expect(JSON.stringify(groups)).not.toMatch(/HKDevice|0x28|Grace/);
  });

  test('distinguishes kinds of device, and a record without a device has the kind app', async () => {
    const { user_id } = await makeUser(app.team);
    const weight = (value: number, device: string | null, source: string) =>
      appleRecord(`${QUANTITY}BodyMass`, { value, unit: 'kg', device, source });
    await importFile(
      app,
      user_id,
      appleExport([
        weight(71, '&lt;&lt;HKDevice: 0x1&gt;, name:Body Cardio, model:Body Cardio&gt;', 'Withings'),
        weight(72, null, 'Health'),
        weight(73, null, 'iPhone of Grace'),
        weight(74, '&lt;&lt;HKDevice: 0x2&gt;, name:Acme&gt;', 'Acme'),
      ]),
    );
    const weights = await samplesOf(user_id, 'body_weight');
    expect(weights.map((each) => [each.from, each.value])).toEqual([
      ['app', 72],
      ['phone', 73],
      ['scale', 71],
      ['unknown', 74],
    ]);
  });

  test('marks data that a person typed in', async () => {
    const { user_id } = await makeUser(app.team);
    const weight = (minute: number, within: string[]) =>
      appleRecord(`${QUANTITY}BodyMass`, { value: 70, unit: 'kg', start: appleTime(minute), device: null, within });
    await importFile(
      app,
      user_id,
      appleExport([
        weight(0, [typedIn]),
        weight(1, ['<MetadataEntry key="HKWasUserEntered" value="0"/>']),
        weight(2, ['<MetadataEntry key="HKTimeZone" value="America/Phoenix"/>']),
      ]),
    );
    expect((await samplesOf(user_id, 'body_weight')).map(({ type }) => type)).toEqual(['manual', null, null]);
  });

  test.each<[type: string, unit: string, value: number, series: string, stored: number]>([
    ['OxygenSaturation', '%', 0.97, 'blood_oxygen', 97],
    ['BodyFatPercentage', '%', 0.285, 'body_fat', 28.5],
    ['BodyMass', 'lb', 100, 'body_weight', 45.359237],
    ['BodyMass', 'st', 10, 'body_weight', 63.5029318],
    ['DistanceWalkingRunning', 'mi', 1, 'distance', 1609.344],
    ['DistanceWalkingRunning', 'km', 1.5, 'distance', 1500],
    ['ActiveEnergyBurned', 'Cal', 12, 'calories_active', 12],
    ['BasalEnergyBurned', 'kJ', 4.184, 'calories_basal', 1],
    ['BodyTemperature', 'degF', 98.6, 'body_temperature', 37],
    ['BloodGlucose', 'mg/dL', 90.078, 'glucose', 5],
    ['BloodGlucose', 'mmol&lt;180.1558800000541&gt;/L', 5.5, 'glucose', 5.5],
    ['VO2Max', 'mL/min·kg', 41.5, 'vo2_max', 41.5],
    ['RespiratoryRate', 'count/min', 14, 'respiratory_rate', 14],
    ['DietaryWater', 'fl_oz_us', 10, 'water', 295.735295625],
    ['DietaryCaffeine', 'mg', 80, 'caffeine', 0.08],
    ['TimeInDaylight', 'min', 25, 'daylight_exposure', 25],
    ['BodyMassIndex', 'count', 23.4, 'body_mass_index', 23.4],
  ])('stores %s in %s: %d as %s %d', async (type, unit, value, series, stored) => {
    const { user_id } = await makeUser(app.team);
    await importFile(app, user_id, appleExport([appleRecord(`${QUANTITY}${type}`, { unit, value })]));
    const [sample] = await samplesOf(user_id, series);
    expect(sample?.value).toBeCloseTo(stored, 6);
    expect(sample?.timezone_offset).toBe(-25_200);
  });

  test('stores each blood pressure once, as a pair', async () => {
    const { user_id } = await makeUser(app.team);
    const parts = [
      appleRecord(`${QUANTITY}BloodPressureSystolic`, { value: 121, unit: 'mmHg' }),
      appleRecord(`${QUANTITY}BloodPressureDiastolic`, { value: 79, unit: 'mmHg' }),
    ];
    const times = 'startDate="2026-01-05 07:00:00 -0700" endDate="2026-01-05 07:00:00 -0700"';
    const file = appleExport([
      ...parts,
      ` <Correlation type="HKCorrelationTypeIdentifierBloodPressure" sourceName="Cuff" ${times}>`,
      ...parts,
      ' </Correlation>',
      ` <Correlation type="HKCorrelationTypeIdentifierFood" sourceName="Diary" ${times}>`,
      appleRecord(`${QUANTITY}DietaryCaffeine`, { value: 80, unit: 'mg' }),
      ' </Correlation>',
    ]);
    expect(await importFile(app, user_id, file)).toMatchObject({ created: 1, skipped: 0 });
    expect(await samplesOf(user_id, 'blood_pressure')).toMatchObject([
      { systolic: 121, diastolic: 79, unit: 'mmHg', timestamp: '2026-01-05T14:00:00.000Z' },
    ]);
    expect(await samplesOf(user_id, 'caffeine')).toEqual([]);
  });

  test('stores records that have words instead of values', async () => {
    const { user_id } = await makeUser(app.team);
    const category = (type: string, value: string, minutes: number) =>
      appleRecord(`HKCategoryTypeIdentifier${type}`, { value, start: appleTime(0), end: appleTime(minutes) });
    const file = appleExport([
      category('AppleStandHour', 'HKCategoryValueAppleStandHourStood', 60),
      category('MindfulSession', 'HKCategoryValueNotApplicable', 12),
      category('HighHeartRateEvent', 'HKCategoryValueNotApplicable', 10),
      category('AppleStandHour', 'HKCategoryValueOfAnotherYear', 60),
    ]);
    expect(await importFile(app, user_id, file)).toMatchObject({ created: 3, skipped: 1 });
    expect(await samplesOf(user_id, 'stand_hour')).toMatchObject([{ type: 'stood', value: 1 }]);
    expect(await samplesOf(user_id, 'mindfulness_minutes')).toMatchObject([{ value: 12, unit: 'min' }]);
    expect(await samplesOf(user_id, 'heart_rate_alert')).toMatchObject([{ type: 'high_heart_rate' }]);
  });
});
