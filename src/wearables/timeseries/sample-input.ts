// A sample as it is sent: one shape for all series, and what each asks of it by the table of resources.
import { Type, type Static } from 'typebox';
import { millisecondsOf } from '../../wire/moment.ts';
import type { Breach } from '../../wire/rule.ts';
import { nullable, oneOf, PastMoment, Text, Timestamp, Uuid } from '../../wire/schema.ts';
import { PROVIDER_SLUGS } from '../providers/catalogue.ts';
import { ownOf } from '../../wire/own.ts';
import { isFraction, isPlausible, SERIES, seriesOrNull, type Series } from '../resources.ts';
import { SOURCE_TYPES } from '../source.ts';

const DAY_MS = 86_400_000;
/** A week: what is longer is no sample but a summary. */
export const LONGEST_MS = 7 * DAY_MS;
const LONGEST_NOTE = 4_000;
/** No device has measured before; earlier times are mistakes. */
export const FIRST_DAY = '1900-01-01';
/** Clocks on earth are at most 14 hours ahead of UTC and 12 behind; old ones were a little odder. */
export const FURTHEST_OFFSET_S = 15 * 3_600;

const words = (name: string): readonly string[] => [
  ...new Set(SERIES.flatMap(({ extras }) => extras[name]?.words ?? [])),
];
const maybe = <T extends Parameters<typeof nullable>[0]>(schema: T) => Type.Optional(nullable(schema));

export const RecordId = Text(200, {
  description:
    "The source's own id of the record that it is from, as the uuid of a HealthKit object or the id of a Health Connect record: DELETE " +
    'takes it. UUIDs are the same in upper and lower case. The latest push that names a record says whose the sample is; one without leaves ' +
    'that as it is. Kept as a keyed hash, and shown nowhere.',
});

/** Checked beyond their types by `sampleBreaches`. */
export const SampleInput = Type.Object(
  {
    resource: oneOf(
      SERIES.map(({ name }) => name),
      { description: 'The series, as its path names it.' },
    ),
    provider: oneOf(PROVIDER_SLUGS, { description: 'Slug of whom the sample comes from.' }),
    source_type: Type.Optional(oneOf(SOURCE_TYPES, { default: 'unknown', description: 'Kind of device.' })),
    app_id: maybe(Text(200, { description: 'Id of the app that recorded it.' })),
    device_id: maybe(Uuid),
    record_id: maybe(RecordId),
    user_id: maybe(Type.String({ format: 'uuid', description: 'If given, the user of the path.' })),
    timestamp: maybe(PastMoment),
    start: maybe(PastMoment),
    end: maybe(Timestamp),
    timezone_offset: maybe(
      Type.Integer({
        minimum: -FURTHEST_OFFSET_S,
        maximum: FURTHEST_OFFSET_S,
        description: 'Seconds east of UTC where it was taken; left out or null where that is not known.',
      }),
    ),
    unit: Text(20, { description: "The series' unit, or one that is converted into it." }),
    value: Type.Optional(
      Type.Union(
        [
          Type.Number({ minimum: -Number.MAX_VALUE, maximum: Number.MAX_VALUE }),
          Type.String({ minLength: 1, maxLength: LONGEST_NOTE }),
        ],
        {
          description: 'A number; of a note its text. Not for blood pressure.',
        },
      ),
    ),
    systolic: maybe(Type.Number({ minimum: 0, maximum: Number.MAX_VALUE })),
    diastolic: maybe(Type.Number({ minimum: 0, maximum: Number.MAX_VALUE })),
    type: maybe(Text(100, { description: 'The kind of sample, where its series has kinds.' })),
    sensor_location: maybe(oneOf(words('sensor_location'))),
    intensity: maybe(oneOf(words('intensity'))),
    tags: Type.Optional(
      Type.Unsafe<string[] | null>({ type: ['array', 'null'], items: oneOf(words('tags')), maxItems: 4 }),
    ),
    delivery_mode: maybe(oneOf(words('delivery_mode'))),
    delivery_form: maybe(oneOf(words('delivery_form'))),
    bolus_purpose: maybe(oneOf(words('bolus_purpose'))),
  },
  {
    fulfils: {
      check: (value: Record<string, unknown>) => sampleBreaches(value),
      words:
        'Series of intervals need `start` and `end`, others `timestamp`. Blood pressure needs `systolic` and `diastolic`, ' +
        'a note a text as its `value`, every other series a number within its range. Nothing may begin before 1900 or in the future.',
    },
  },
);

export type SampleInputValue = Static<typeof SampleInput>;

/** Values per sample that a batch may hold: every key once, and the tags. */
export const VALUES_EACH = Object.keys(SampleInput.properties).length + 4;

const isAbsent = (value: unknown): boolean => value === undefined || value === null;

/** Everything of a sample that its series does not allow; what has a wrong type is listed elsewhere. */
function sampleBreaches(value: Record<string, unknown>): Breach[] {
  const series = typeof value['resource'] === 'string' ? seriesOrNull(value['resource']) : null;
  if (!series) return [];
  return [...timeBreaches(series, value), ...valueBreaches(series, value), ...typeBreaches(series, value)];
}

function timeBreaches({ interval }: Series, value: Record<string, unknown>): Breach[] {
  const tooEarly = (name: string): Breach[] =>
    (value[name] as string) < FIRST_DAY ? [wrong(name, `Value should not be before ${FIRST_DAY}`)] : [];
  if (!interval) return isAbsent(value['timestamp']) ? [missing('timestamp')] : tooEarly('timestamp');
  const breaches = ['start', 'end'].filter((name) => isAbsent(value[name])).map(missing);
  if (breaches.length > 0) return breaches;
  const early = tooEarly('start');
  if (early.length > 0) return early;
  const [start, end] = [momentOf(value['start']), momentOf(value['end'])];
  if (end < start) return [wrong('end', 'Value should not be before start')];
  if (end - start > LONGEST_MS) return [wrong('end', 'Value should be at most 7 days after start')];
  if (end > Date.now() + DAY_MS) return [wrong('end', 'Value should be at most a day in the future')];
  return [];
}

function valueBreaches(series: Series, value: Record<string, unknown>): Breach[] {
  const breaches: Breach[] = [];
  const { unit } = value;
  if (typeof unit === 'string' && unit !== '' && unit !== series.unit && !Object.hasOwn(series.units, unit)) {
    const taken = [series.unit, ...Object.keys(series.units)].map((each) => `'${each}'`).join(' or ');
    breaches.push(wrong('unit', `Unit of ${series.name} should be ${taken}`));
  }
  if (series.value === 'blood_pressure') return [...breaches, ...pressureBreaches(series, value)];
  if (isAbsent(value['value'])) return [...breaches, missing('value')];
  const wanted = series.value === 'text' ? 'string' : 'number';
  if (typeof value['value'] !== wanted) {
    const [type, msg] = wanted === 'string' ? ['string_type', 'string'] : ['float_type', 'number'];
    breaches.push({ at: ['value'], type, msg: `Input should be a valid ${msg}` });
  } else if (series.only !== null && value['value'] !== series.only) {
    breaches.push(wrong('value', `Value of ${series.name} should be ${series.only}`));
  } else if (wanted === 'number') breaches.push(...rangeBreaches(series, value, 'value'));
  return breaches;
}

/** In the unit of the series, whichever it came in; of an unknown unit nothing can be said. */
function rangeBreaches(series: Series, value: Record<string, unknown>, name: string): Breach[] {
  const { unit, type } = value;
  const convert = unit === series.unit ? (given: number) => given : ownOf(series.units, String(unit));
  const given = value[name];
  if (!convert || typeof given !== 'number') return [];
  const converted = convert(given, typeof type === 'string' ? type : null);
  if (isPlausible(series, converted)) return [];
  if (isFraction(series, converted)) {
    const hint = 'is in percent, and nobody has 1 % or less: send 100 times a fraction, as 97 for 0.97';
    return [wrong(name, `Value of ${series.name} ${hint}`)];
  }
  const [least, most] = series.range;
  return [wrong(name, `Value of ${series.name} should be between ${least} and ${most} ${series.unit}`)];
}

function pressureBreaches(series: Series, value: Record<string, unknown>): Breach[] {
  const names = ['systolic', 'diastolic'];
  const breaches = names.flatMap((name) =>
    isAbsent(value[name]) ? [missing(name)] : rangeBreaches(series, value, name),
  );
  const [systolic, diastolic] = names.map((name) => value[name]);
  const areSwapped = typeof systolic === 'number' && typeof diastolic === 'number' && systolic <= diastolic;
  return areSwapped ? [...breaches, wrong('systolic', 'Value should be above diastolic')] : breaches;
}

function typeBreaches(series: Series, value: Record<string, unknown>): Breach[] {
  if (series.type === null) return [];
  if (isAbsent(value['type'])) return series.typeOptional ? [] : [missing('type')];
  if (series.type === 'any' || series.type.includes(value['type'] as string)) return [];
  return [{ at: ['type'], type: 'enum', msg: `Input should be ${series.type.map((each) => `'${each}'`).join(', ')}` }];
}

const missing = (name: string): Breach => ({ at: [name], type: 'missing', msg: 'Field required' });
const wrong = (name: string, msg: string): Breach => ({ at: [name], type: 'value_error', msg });

/** Milliseconds since 1970; NaN of what its format has not let through. */
export const momentOf = (text: unknown): number => (typeof text === 'string' ? millisecondsOf(text) : NaN);
