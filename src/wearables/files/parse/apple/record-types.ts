// The record types of Apple's Health app, with the series and units in Phial. A type that is not in the list is
// skipped.
import { seriesOrNull } from '../../../series.ts';
import type { Series } from '../../../series-type.ts';
import { ownProperty } from '../../../../wire/own-property.ts';

type Line = {
  series: Series;
  /** 100 for series in percent, because Apple writes 0.97 for 97 percent. */
  factor: number;
  sensor_location: string | null;
};

const line = (name: string, more: Partial<Line> = {}): Line => {
  const series = seriesOrNull(name);
  if (!series) throw new Error(`There is no series ${name}.`);
  return { series, factor: 1, sensor_location: null, ...more };
};
const fraction = (name: string): Line => line(name, { factor: 100 });

/** The keys are the types without `HKQuantityTypeIdentifier`. */
const QUANTITIES: Record<string, Line> = {
  StepCount: line('steps'),
  DistanceWalkingRunning: line('distance'),
  FlightsClimbed: line('floors_climbed'),
  ActiveEnergyBurned: line('calories_active'),
  BasalEnergyBurned: line('calories_basal'),
  HeartRate: line('heartrate'),
  // SDNN and RMSSD are two measures of heart-rate variability that cannot be compared. So each has its own series.
  HeartRateVariabilitySDNN: line('hrv_sdnn'),
  HeartRateVariabilityRMSSD: line('hrv'),
  HeartRateRecoveryOneMinute: line('heart_rate_recovery_one_minute'),
  AtrialFibrillationBurden: fraction('afib_burden'),
  RespiratoryRate: line('respiratory_rate'),
  OxygenSaturation: fraction('blood_oxygen'),
  VO2Max: line('vo2_max'),
  BodyTemperature: line('body_temperature'),
  AppleSleepingWristTemperature: line('body_temperature', { sensor_location: 'wrist' }),
  BasalBodyTemperature: line('basal_body_temperature'),
  BodyMass: line('body_weight'),
  BodyMassIndex: line('body_mass_index'),
  BodyFatPercentage: fraction('body_fat'),
  LeanBodyMass: line('lean_body_mass'),
  WaistCircumference: line('waist_circumference'),
  BloodGlucose: line('glucose'),
  DietaryWater: line('water'),
  DietaryCaffeine: line('caffeine'),
  DietaryCarbohydrates: line('carbohydrates'),
  AppleStandTime: line('stand_duration'),
  TimeInDaylight: line('daylight_exposure'),
  UVExposure: line('uv_exposure'),
  NumberOfTimesFallen: line('fall'),
  InhalerUsage: line('inhaler_usage'),
  PeakExpiratoryFlowRate: line('peak_expiratory_flow_rate'),
  ForcedVitalCapacity: line('forced_vital_capacity'),
  ForcedExpiratoryVolume1: line('forced_expiratory_volume_1'),
  PushCount: line('wheelchair_push'),
  SwimmingStrokeCount: line('workout_swimming_stroke'),
};

/**
 * The keys are the types without `HKCategoryTypeIdentifier`. `types` maps each value of Apple to the type of our
 * samples.
 */
const CATEGORIES: Record<string, { line: Line; type: string | null; types?: Record<string, string> }> = {
  MindfulSession: { line: line('mindfulness_minutes'), type: null },
  HandwashingEvent: { line: line('handwashing'), type: null },
  AppleStandHour: {
    line: line('stand_hour'),
    type: null,
    types: { HKCategoryValueAppleStandHourStood: 'stood', HKCategoryValueAppleStandHourIdle: 'idle' },
  },
  LowHeartRateEvent: { line: line('heart_rate_alert'), type: 'low_heart_rate' },
  HighHeartRateEvent: { line: line('heart_rate_alert'), type: 'high_heart_rate' },
  IrregularHeartRhythmEvent: { line: line('heart_rate_alert'), type: 'irregular_rhythm' },
  SleepApneaEvent: { line: line('sleep_apnea_alert'), type: null },
};

const QUANTITY = 'HKQuantityTypeIdentifier';
const CATEGORY = 'HKCategoryTypeIdentifier';

export const quantityOrNull = (type: string): Line | null =>
  (type.startsWith(QUANTITY) && ownProperty(QUANTITIES, type.slice(QUANTITY.length))) || null;

export const categoryOrNull = (type: string): (typeof CATEGORIES)[string] | null =>
  (type.startsWith(CATEGORY) && ownProperty(CATEGORIES, type.slice(CATEGORY.length))) || null;

/** Units that have another name in Phial. */
const UNITS: Record<string, string> = {
  Cal: 'kcal',
  degC: '°C',
  degF: '°F',
  'mL/min·kg': 'mL/kg/min',
  fl_oz_us: 'fl_oz',
  hr: 'h',
  'count/min': 'bpm',
};
/** Units that no series accepts, each with an accepted unit and the factor to it. */
const FACTORS: Record<string, [unit: string, factor: number]> = {
  st: ['kg', 6.35029318],
  oz: ['kg', 0.028349523125],
  ft: ['m', 0.3048],
  yd: ['m', 0.9144],
  cal: ['kcal', 0.001],
  mm: ['cm', 0.1],
  'count/s': ['bpm', 60],
  fl_oz_imp: ['mL', 28.4130625],
};

/**
 * Returns the accepted unit for one of Apple's units, and the factor that converts a value; null if the series accepts
 * no unit for it.
 */
export function unitOf({ series }: Line, unit: string): { unit: string; factor: number } | null {
  const [named, factor] = ownProperty(FACTORS, unit) ?? [ownProperty(UNITS, unit) ?? unit, 1];
  // Apple writes the molar mass into units of moles: `mmol<180.1558800000541>/L`.
  const plain = named.replace(/^mmol<[\d.]+>/, 'mmol');
  if (plain === series.unit || Object.hasOwn(series.units, plain)) return { unit: plain, factor };
  // Apple writes `count` or `count/min` where Phial, depending on the series, has `count`, `index` or `bpm`.
  const isCount = plain === 'count' || plain === 'bpm';
  return isCount && ['count', 'index', 'bpm'].includes(series.unit) ? { unit: series.unit, factor } : null;
}
