// Makes a sample from a record of an export.
import type { ParsedSample } from '../parsed-line.ts';
import type { SkipReason } from '../../skipped.ts';
import type { Element } from '../xml.ts';
import { categoryOrNull, quantityOrNull, unitOf } from './record-types.ts';
import { sourceOf } from './source-of.ts';
import { momentOf } from './time.ts';

type Attributes = Element['attributes'];

const PROVIDER = 'apple_health_kit';
export const BLOOD_PRESSURE = 'HKCorrelationTypeIdentifierBloodPressure';
const SYSTOLIC = 'HKQuantityTypeIdentifierBloodPressureSystolic';
const DIASTOLIC = 'HKQuantityTypeIdentifierBloodPressureDiastolic';
const INSULIN = 'HKQuantityTypeIdentifierInsulinDelivery';

/**
 * Whether a record is one of the two values of a blood pressure. Its `Correlation` element has both values together, so
 * we skip the single records.
 */
export const isHalfOfPressure = (type: string): boolean => type === SYSTOLIC || type === DIASTOLIC;

/**
 * Returns the sample of a record, or the reason to skip the record. `metadata` contains the metadata entries of the
 * record.
 */
export function sampleOf(record: Attributes, metadata: Map<string, string>): ParsedSample | SkipReason {
  const { type = '' } = record;
  if (type === INSULIN) return insulinOf(record, metadata.get('HKInsulinDeliveryReason')) ?? 'unreadable';
  const quantity = quantityOrNull(type);
  if (quantity) return quantityOf(record, quantity) ?? 'unreadable';
  const category = categoryOrNull(type);
  if (!category) return 'not_kept';
  return categoryOf(record, category) ?? 'unreadable';
}

function quantityOf(record: Attributes, line: NonNullable<ReturnType<typeof quantityOrNull>>): ParsedSample | null {
  const unit = unitOf(line, record['unit'] ?? '');
  const value = Number(record['value'] ?? NaN);
  if (!unit || !Number.isFinite(value)) return null;
  const { series, factor, sensor_location } = line;
  const scaled = factor * unit.factor === 1 ? value : rounded(value * factor * unit.factor);
  return timedSampleOf(record, series, {
    unit: unit.unit,
    value: scaled,
    ...(sensor_location ? { sensor_location } : {}),
  });
}

function categoryOf(
  record: Attributes,
  { line, type, types }: NonNullable<ReturnType<typeof categoryOrNull>>,
): ParsedSample | null {
  const { series } = line;
  const kind = types ? (types[record['value'] ?? ''] ?? null) : type;
  if (types && kind === null) return null;
  // The record has no number. In a series of minutes, its value is the time from start to end. In other series, the
  // record is one event and counts 1.
  const minutes = (momentOf(record['endDate'])?.at ?? NaN) - (momentOf(record['startDate'])?.at ?? NaN);
  const value = series.unit === 'min' ? rounded(minutes / 60_000) : 1;
  if (!Number.isFinite(value)) return null;
  return timedSampleOf(record, series, { unit: series.unit, value, ...(kind === null ? {} : { type: kind }) });
}

/**
 * Returns the sample of insulin. Apple records why the person took insulin, but not which type. A bolus is a dose for a
 * meal or against a high glucose, and is rapid-acting. Basal insulin covers the constant need of the body. It is
 * rapid-acting if a pump delivers it over time, and long-acting if the person injects it at once.
 */
function insulinOf(record: Attributes, reason: string | undefined): ParsedSample | null {
  const delivery_mode = reason === '1' ? 'basal' : reason === '2' ? 'bolus' : null;
  const value = Number(record['value'] ?? NaN);
  if (delivery_mode === null || record['unit'] !== 'IU' || !Number.isFinite(value)) return null;
  const isAtOnce = record['startDate'] === record['endDate'];
  const type = delivery_mode === 'basal' && isAtOnce ? 'long_acting' : 'rapid_acting';
  return timedSampleOf(
    record,
    { name: 'insulin_injection', interval: true },
    { unit: 'unit', value, type, delivery_mode },
  );
}

export function bloodPressureOf(attributes: Attributes, parts: Map<string, Attributes>): ParsedSample | null {
  const [systolic, diastolic] = [SYSTOLIC, DIASTOLIC].map((type) => Number(parts.get(type)?.['value'] ?? NaN));
  const { unit } = parts.get(SYSTOLIC) ?? {};
  if (!Number.isFinite(systolic) || !Number.isFinite(diastolic) || unit !== 'mmHg') return null;
  // The correlation itself names no device. So we take the device from its systolic record.
  const record = { ...parts.get(SYSTOLIC), ...attributes };
  return timedSampleOf(record, { name: 'blood_pressure', interval: false }, { unit, systolic, diastolic });
}

type Measured = Omit<ParsedSample, 'resource' | 'provider' | 'source_type' | 'app_id' | 'timezone_offset'>;

function timedSampleOf(record: Attributes, series: { name: string; interval: boolean }, measured: Measured) {
  const begin = momentOf(record['startDate']);
  const end = series.interval ? momentOf(record['endDate']) : begin;
  if (!begin || !end) return null;
  const times = series.interval
    ? { start: new Date(begin.at).toISOString(), end: new Date(end.at).toISOString() }
    : { timestamp: new Date(begin.at).toISOString() };
  return {
    resource: series.name,
    provider: PROVIDER,
    ...sourceOf(series.name, record),
    timezone_offset: begin.offset,
    ...times,
    ...measured,
  } as ParsedSample;
}

/** Removes the rounding error of a multiplication. For example, 0.97 × 100 must be exactly 97. */
const rounded = (value: number): number => Number(value.toPrecision(12));
