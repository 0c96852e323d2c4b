// Values that no device can have measured are refused. The range of each series is written out by hand here.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { makeUser } from '../../../test/factories.ts';
import { FACT_BEGIN, FACT_END, SERIES_FACTS, type SeriesFact } from '../../../test/series-facts.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const counts = [0, 1_000_000] as const;
const percent = [0, 100] as const;
const minutes = [0, 10_080] as const;
const RANGES: Record<string, readonly [number, number]> = {
  afib_burden: percent,
  basal_body_temperature: [0, 60],
  blood_oxygen: percent,
  blood_pressure: [0, 500],
  body_fat: percent,
  body_mass_index: [0, 500],
  body_temperature: [0, 60],
  body_temperature_delta: [-20, 20],
  body_weight: [0, 1_000],
  caffeine: [0, 1_000],
  calories_active: [0, 100_000],
  calories_basal: [0, 100_000],
  carbohydrates: [0, 100_000],
  cholesterol: [0, 500],
  daylight_exposure: minutes,
  distance: [0, 10_000_000],
  electrocardiogram_voltage: [-1_000, 1_000],
  fall: counts,
  floors_climbed: counts,
  forced_expiratory_volume_1: [0, 30],
  forced_vital_capacity: [0, 30],
  glucose: [0, 200],
  handwashing: counts,
  heart_rate_alert: [1, 1],
  heart_rate_recovery_one_minute: [0, 350],
  heartrate: [0, 350],
  hrv: [0, 1_000],
  hrv_sdnn: [0, 1_000],
  hypnogram: [-1, 5],
  ige: counts,
  igg: counts,
  inhaler_usage: counts,
  insulin_injection: [0, 10_000],
  lean_body_mass: [0, 1_000],
  mindfulness_minutes: minutes,
  peak_expiratory_flow_rate: [0, 2_000],
  respiratory_rate: [0, 200],
  sleep_apnea_alert: counts,
  sleep_breathing_disturbance: counts,
  stand_duration: minutes,
  stand_hour: counts,
  steps: counts,
  stress_level: percent,
  uv_exposure: [0, 100],
  vo2_max: [0, 150],
  waist_circumference: [0, 500],
  water: [0, 100_000],
  wheelchair_push: counts,
  workout_distance: [0, 10_000_000],
  workout_duration: minutes,
  workout_swimming_stroke: counts,
};
const NUMBERS = SERIES_FACTS.filter(({ value }) => value !== 'text');

type Problem = { loc: (string | number)[]; type: string; msg: string };
const push = async (samples: object[]) => {
  const { user_id } = await makeUser(app.team);
  return app.api<{ created: number; detail: Problem[] }>('POST', `/v2/timeseries/${user_id}/samples`, samples);
};
const ofPressure = ([least, most]: readonly [number, number], value: number) =>
  value >= most ? { systolic: value, diastolic: least } : { systolic: most, diastolic: value };
const sample = (fact: SeriesFact, value: number) => ({
  resource: fact.name,
  provider: 'manual',
  unit: fact.unit,
  ...(fact.types.length > 0 ? { type: fact.types[0] } : {}),
  ...(fact.interval ? { start: FACT_BEGIN, end: FACT_END } : { timestamp: FACT_BEGIN }),
  ...(fact.value === 'pressure' ? ofPressure(rangeOf(fact), value) : { value }),
});
const rangeOf = ({ name }: SeriesFact) => RANGES[name] as readonly [number, number];

test('every series of numbers has a range', () => {
  expect(Object.keys(RANGES)).toEqual(NUMBERS.map(({ name }) => name));
});

test('the least and the greatest value of every series are accepted', async () => {
  for (const end of [0, 1] as const) {
    const { body } = await push(NUMBERS.map((fact) => sample(fact, rangeOf(fact)[end])));
    expect(body.created).toBe(NUMBERS.length);
  }
});

test('each value outside the range of its series is refused, with its index and the range', async () => {
  for (const [end, beyond] of [
    [0, -0.01],
    [1, 0.01],
  ] as const) {
    const { status, body } = await push(NUMBERS.map((fact) => sample(fact, rangeOf(fact)[end] + beyond)));
    expect(status).toBe(422);
    expect(body.detail.map(({ loc }) => loc)).toEqual(
      NUMBERS.map(({ value }, n) => {
        if (value !== 'pressure') return ['body', n, 'value'];
        return ['body', n, end === 0 ? 'diastolic' : 'systolic'];
      }),
    );
    expect(body.detail.map(({ msg }) => msg)).toContain('Value of heartrate should be between 0 and 350 bpm');
  }
});

test('a value in another unit is converted before the range is checked', async () => {
  const glucose = { resource: 'glucose', provider: 'manual', timestamp: FACT_BEGIN, unit: 'mg/dL' };
  expect((await push([{ ...glucose, value: 3_600 }])).body.created).toBe(1);
  const { status, body } = await push([{ ...glucose, value: 3_604 }]);
  expect([status, body.detail.map(({ loc }) => loc)]).toEqual([422, [['body', 0, 'value']]]);
  const cold = { resource: 'body_temperature', provider: 'manual', start: FACT_BEGIN, end: FACT_END, unit: '°F' };
  expect((await push([{ ...cold, value: 31 }])).status).toBe(422);
  expect((await push([{ ...cold, value: 98.6 }])).status).toBe(200);
});

test('a systolic pressure that is not above the diastolic one is refused', async () => {
  const pressure = { resource: 'blood_pressure', provider: 'manual', timestamp: FACT_BEGIN, unit: 'mmHg' };
  for (const [systolic, diastolic] of [
    [80, 120],
    [100, 100],
  ]) {
    const { status, body } = await push([{ ...pressure, systolic, diastolic }]);
    expect([status, body.detail]).toEqual([
      422,
      [{ type: 'value_error', loc: ['body', 0, 'systolic'], msg: 'Value should be above diastolic' }],
    ]);
  }
});

test.each([
  ['blood_oxygen', 97, 0.97],
  ['body_fat', 22.5, 0.225],
])('%s is accepted in percent, and a fraction is refused with advice', async (resource, value, fraction) => {
  const sent = { resource, provider: 'manual', timestamp: FACT_BEGIN, unit: '%' };
  const { status, body } = await push([
    { ...sent, value },
    { ...sent, value: fraction },
    { ...sent, value: 1 },
  ]);
  const advice = 'is in percent, and nobody has 1 % or less: send 100 times a fraction, as 97 for 0.97';
  const msg = `Value of ${resource} ${advice}`;
  expect([status, body.detail]).toEqual([
    422,
    [1, 2].map((n) => ({ type: 'value_error', loc: ['body', n, 'value'], msg })),
  ]);
  expect((await push([{ ...sent, value }])).body.created).toBe(1);
});
