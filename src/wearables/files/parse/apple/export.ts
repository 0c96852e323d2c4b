// export.xml of Apple's Health app: flat records by type, each with its device, its times and what was noted about it.
import { ImportFailure } from '../../failures.ts';
import { sleepsInto, SLEEP_TYPE } from './sleep.ts';
import { momentOf } from './time.ts';
import { categoryOrNull, quantityOrNull, unitOf } from './record-types.ts';
import { workoutOf, type AppleWorkout } from './workout.ts';
import type { Content } from '../content.ts';
import type { ParsedSample, Sink } from '../record.ts';
import { sourceTypeOf } from '../source-type.ts';
import { readXml, type Element } from '../xml.ts';

const PROVIDER = 'apple_health_kit';
const BLOOD_PRESSURE = 'HKCorrelationTypeIdentifierBloodPressure';
const SYSTOLIC = 'HKQuantityTypeIdentifierBloodPressureSystolic';
const DIASTOLIC = 'HKQuantityTypeIdentifierBloodPressureDiastolic';

type Attributes = Element['attributes'];

/** Reads what there is a place for; throws file_broken where it is no such export. */
export async function parseAppleExport(content: Content, sink: Sink): Promise<void> {
  let depth = 0;
  let record: Attributes | null = null;
  let isManual = false;
  /** What belongs together, as the two values of a blood pressure; its parts stand outside of it a second time. */
  let correlation: { attributes: Attributes; parts: Map<string, Attributes> } | null = null;
  let workout: AppleWorkout | null = null;
  const sleeps = sleepsInto(sink);

  const put = (sample: ParsedSample | null, type: string): void => {
    const isKnown = type === BLOOD_PRESSURE || quantityOrNull(type) !== null || categoryOrNull(type) !== null;
    if (!sample) sink.skip(type, isKnown ? 'unreadable' : 'not_kept');
    else sink.sample(isManual ? marked(sample) : sample);
  };
  const putRecord = (record: Attributes): void => {
    const { type = '' } = record;
    if (type === SLEEP_TYPE) sleeps.add(record);
    else if (type !== SYSTOLIC && type !== DIASTOLIC) put(sampleOf(record), type);
  };

  await readXml(content, {
    open: ({ name, attributes }) => {
      if (depth === 0 && name !== 'HealthData') throw new ImportFailure('file_broken');
      depth += 1;
      if (name === 'Record') {
        if (correlation) correlation.parts.set(attributes['type'] ?? '', attributes);
        else [record, isManual] = [attributes, false];
      } else if (name === 'Correlation') [correlation, isManual] = [{ attributes, parts: new Map() }, false];
      else if (name === 'Workout') workout = { attributes, statistics: [], metadata: new Map() };
      else if (name === 'WorkoutStatistics') workout?.statistics.push(attributes);
      else if (name === 'MetadataEntry') {
        if (attributes['key'] === 'HKWasUserEntered') isManual = attributes['value'] !== '0';
        workout?.metadata.set(attributes['key'] ?? '', attributes['value'] ?? '');
      }
    },
    close: (name) => {
      depth -= 1;
      if (name === 'Record' && record) {
        putRecord(record);
        record = null;
      } else if (name === 'Correlation' && correlation) {
        // Parts of others stand outside of them a second time, and are read or counted there.
        if (correlation.attributes['type'] === BLOOD_PRESSURE) put(bloodPressureOf(correlation), BLOOD_PRESSURE);
        correlation = null;
      } else if (name === 'Workout' && workout) {
        const summary = workoutOf(workout);
        if (summary) sink.summary(summary);
        else sink.skip('Workout', 'unreadable');
        workout = null;
      }
    },
    read: (progress) => sink.flush(progress),
  });
  sleeps.end();
}

/** What a person typed in is told by the sample's type, since source and time are what a sample is known by. */
const marked = (sample: ParsedSample): ParsedSample => (sample.type ? sample : { ...sample, type: 'manual' });

function sampleOf(record: Attributes): ParsedSample | null {
  const quantity = quantityOrNull(record['type'] ?? '');
  if (quantity) {
    const unit = unitOf(quantity, record['unit'] ?? '');
    const value = Number(record['value'] ?? NaN);
    if (!unit || !Number.isFinite(value)) return null;
    const { series, factor, sensor_location } = quantity;
    const scaled = factor * unit.factor === 1 ? value : rounded(value * factor * unit.factor);
    return placed(record, series, { unit: unit.unit, value: scaled, ...(sensor_location ? { sensor_location } : {}) });
  }
  const category = categoryOrNull(record['type'] ?? '');
  if (!category) return null;
  const { line, type, types } = category;
  const { series } = line;
  const kind = types ? (types[record['value'] ?? ''] ?? null) : type;
  if (types && kind === null) return null;
  // Minutes are those from start to end; whatever else has no value happened once.
  const minutes = (momentOf(record['endDate'])?.at ?? NaN) - (momentOf(record['startDate'])?.at ?? NaN);
  const value = series.unit === 'min' ? rounded(minutes / 60_000) : 1;
  if (!Number.isFinite(value)) return null;
  return placed(record, series, { unit: series.unit, value, ...(kind === null ? {} : { type: kind }) });
}

function bloodPressureOf({
  attributes,
  parts,
}: {
  attributes: Attributes;
  parts: Map<string, Attributes>;
}): ParsedSample | null {
  const [systolic, diastolic] = [SYSTOLIC, DIASTOLIC].map((type) => Number(parts.get(type)?.['value'] ?? NaN));
  const { unit } = parts.get(SYSTOLIC) ?? {};
  if (!Number.isFinite(systolic) || !Number.isFinite(diastolic) || unit !== 'mmHg') return null;
  // The device stands with the parts.
  const record = { ...parts.get(SYSTOLIC), ...attributes };
  return placed(record, { name: 'blood_pressure', interval: false }, { unit, systolic, diastolic });
}

type Measured = Omit<ParsedSample, 'resource' | 'provider' | 'source_type' | 'timezone_offset'>;

function placed(record: Attributes, series: { name: string; interval: boolean }, measured: Measured) {
  const begin = momentOf(record['startDate']);
  const end = series.interval ? momentOf(record['endDate']) : begin;
  if (!begin || !end) return null;
  const times = series.interval
    ? { start: new Date(begin.at).toISOString(), end: new Date(end.at).toISOString() }
    : { timestamp: new Date(begin.at).toISOString() };
  return {
    resource: series.name,
    provider: PROVIDER,
    source_type: sourceTypeOf(record),
    timezone_offset: begin.offset,
    ...times,
    ...measured,
  } as ParsedSample;
}

/** Without the dust of a multiplication: 0.97 is 97 percent. */
const rounded = (value: number): number => Number(value.toPrecision(12));
