// A sample in a request. All series have the same shape. The table in series.ts has the rules of each.
import { Type, type Static } from 'typebox';
import { millisecondsOf } from '../../wire/moment.ts';
import type { Breach } from '../../wire/rule.ts';
import { nullable, oneOf, PastMoment, Text, Timestamp, Uuid } from '../../wire/schema.ts';
import { PROVIDER_SLUGS } from '../providers/provider-catalogue.ts';
import { ownProperty } from '../../wire/own-property.ts';
import { isFraction, isPlausible, SERIES, seriesOrNull } from '../series.ts';
import type { Series } from '../series-type.ts';
import { SOURCE_TYPES } from '../source.ts';
import { shape } from '../../wire/shape.ts';

const DAY_MS = 86_400_000;
/** The longest interval of a sample: a week. Longer data is a summary. */
export const LONGEST_MS = 7 * DAY_MS;
const LONGEST_NOTE = 4_000;
/** No device that stores health data existed before this day, so an earlier time is a mistake. */
export const FIRST_DAY = '1900-01-01';
/**
 * The largest offset from UTC in seconds. Today's time zones are at most 14 hours ahead of UTC and 12 hours behind.
 * Some of the past were a little further.
 */
export const FURTHEST_OFFSET_S = 15 * 3_600;

const words = (name: string): readonly string[] => [
  ...new Set(SERIES.flatMap(({ extras }) => extras[name]?.words ?? [])),
];
const maybe = <T extends Parameters<typeof nullable>[0]>(schema: T) => Type.Optional(nullable(schema));

export const RecordId = Text(200, {
  description:
    "The source's own id of the record that the sample is from, as the uuid of a HealthKit object or the id of a " +
    'Health Connect record. DELETE accepts it. UUIDs are compared without regard to case. The latest push that names ' +
    'a record decides which record the sample is from. A push without one does not change it. Only a keyed hash of ' +
    'it is stored, and no answer contains it.',
});

/** A sample in a request. `sampleBreaches` checks the rules that the JSON schemas of its fields cannot express. */
export const SampleInput = shape(
  'SampleInput',
  {
    resource: oneOf(
      SERIES.map(({ name }) => name),
      { description: 'The series, under the name that it has in the paths.' },
    ),
    provider: oneOf(PROVIDER_SLUGS, { description: 'Slug of the provider that the sample comes from.' }),
    source_type: Type.Optional(oneOf(SOURCE_TYPES, { default: 'unknown', description: 'Kind of device.' })),
    app_id: maybe(Text(200, { description: 'Id of the app that recorded it.' })),
    device_id: maybe(Uuid),
    record_id: maybe(RecordId),
    user_id: maybe(Type.String({ format: 'uuid', description: 'If given, it must be the user of the path.' })),
    timestamp: maybe(PastMoment),
    start: maybe(PastMoment),
    end: maybe(Timestamp),
    timezone_offset: maybe(
      Type.Integer({
        minimum: -FURTHEST_OFFSET_S,
        maximum: FURTHEST_OFFSET_S,
        description: 'Seconds east of UTC where the sample was taken; null or left out if not known.',
      }),
    ),
    unit: Text(20, { description: 'The unit of the series, or one that is converted into it.' }),
    value: Type.Optional(
      Type.Union(
        [
          Type.Number({ minimum: -Number.MAX_VALUE, maximum: Number.MAX_VALUE }),
          Type.String({ minLength: 1, maxLength: LONGEST_NOTE }),
        ],
        {
          description: 'A number, or the text of a note. Blood pressure does not have it.',
        },
      ),
    ),
    systolic: maybe(Type.Number({ minimum: 0, maximum: Number.MAX_VALUE })),
    diastolic: maybe(Type.Number({ minimum: 0, maximum: Number.MAX_VALUE })),
    type: maybe(Text(100, { description: 'The type of the sample, if its series has types.' })),
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
        'Series of intervals need `start` and `end`, others need `timestamp`. Blood pressure needs `systolic` and ' +
        '`diastolic`. A note needs a text as its `value`, every other series a number within its range. Nothing may ' +
        'begin before 1900 or in the future.',
    },
  },
);

export type SampleInputValue = Static<typeof SampleInput>;

/** How many values a batch may contain for each sample: one for every member, and four tags. */
export const VALUES_EACH = Object.keys(SampleInput.properties).length + 4;

const isAbsent = (value: unknown): boolean => value === undefined || value === null;

/**
 * Returns a breach for each part of a sample that its series does not allow. The JSON schema reports values of a wrong
 * type.
 */
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

/** Checks the value in the unit of the series. A value in an unknown unit cannot be converted, so it is not checked. */
function rangeBreaches(series: Series, value: Record<string, unknown>, name: string): Breach[] {
  const { unit, type } = value;
  const convert = unit === series.unit ? (given: number) => given : ownProperty(series.units, String(unit));
  const given = value[name];
  if (!convert || typeof given !== 'number') return [];
  const converted = convert(given, typeof type === 'string' ? type : null);
  if (isPlausible(series, converted)) return [];
  if (isFraction(series, converted)) {
    const advice = 'is in percent, and nobody has 1 % or less: send 100 times a fraction, as 97 for 0.97';
    return [wrong(name, `Value of ${series.name} ${advice}`)];
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

/** Returns milliseconds since 1970; NaN if the value is not a moment. */
export const momentOf = (text: unknown): number => (typeof text === 'string' ? millisecondsOf(text) : NaN);
