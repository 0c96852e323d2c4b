// The shapes of samples on the wire, made from the table of resources: a shape a series, each under its own name.
import { Type, type TObject, type TSchema } from 'typebox';
import { Cursor, nullable, oneOf, WordFilter, Timestamp, Uuid } from '../../wire/schema.ts';
import { aYearAtMost, rangeOfDays } from '../range.ts';
import { SERIES, type Series } from '../resources.ts';
import { DataSource } from '../source.ts';

const SourceId = Type.Integer({
  description:
    'Number of the source: one a series, provider and kind of device, whichever app tells; with its timestamp it is what a sample is known by.',
});

/** Of a stream, in its events. */
const Version = Type.Integer({
  minimum: 0,
  description:
    'Rises with each change to the samples of `source_id`, whichever app or device tells of them: of two events that tell of the same ' +
    'sample, the one with the greater version is the newer, in whatever order they arrive.',
});

/** Always null: samples are known by their series, source and time. */
const SampleId = nullable(Type.Integer({ deprecated: true, description: 'Always null.' }));
const Offset = nullable(
  Type.Integer({ description: 'Seconds east of UTC where the sample was taken; null where that is not known.' }),
);

function sampleOf(series: Series): TObject {
  const { type, unit, interval, value, only, extras } = series;
  const kind = Array.isArray(type) ? oneOf(type as readonly string[]) : Type.String();
  const each: Record<string, TSchema> = {
    id: SampleId,
    timezone_offset: Offset,
    type: type === null || series.typeOptional ? nullable(kind) : kind,
    unit: Type.Literal(unit, { description: `Always ${unit}.` }),
    timestamp: Timestamp,
  };
  if (interval) Object.assign(each, { start: Timestamp, end: Timestamp });
  if (value === 'blood_pressure') {
    each['grouping'] = Type.Array(nullable(Type.String()), {
      description: 'Kind of device, and three places that are null.',
    });
    each['systolic'] = Type.Number();
    each['diastolic'] = Type.Number();
  } else if (only !== null) each['value'] = Type.Literal(only, { description: `Always ${only}.` });
  else each['value'] = value === 'text' ? Type.String({ examples: ['Porridge with berries'] }) : Type.Number();
  for (const [name, { words, list }] of Object.entries(extras)) {
    each[name] = list
      ? Type.Unsafe({ type: ['array', 'null'], items: oneOf(words) })
      : (nullable(oneOf(words)) as TSchema);
  }
  return Type.Object(each);
}

const MomentOfSample = (which: string) =>
  Type.Unsafe<string>({ ...Timestamp, description: `Moment of the ${which} of them.` });

/** Samples of a source that are gone. */
export const SamplesDeleted = Type.Object({
  source: DataSource,
  source_id: SourceId,
  user_id: Uuid,
  version: Version,
  intervals: Type.Array(Type.Object({ start: MomentOfSample('first'), end: MomentOfSample('last') }), {
    maxItems: 1_000,
    description:
      'All samples of `source_id` from the first moment to the last are gone, both included; those of one have it twice.',
  }),
});

export type SeriesShapes = { sample: TObject; group: TObject; page: TObject; told: TObject };

const shapes = new Map<string, SeriesShapes>(
  SERIES.map((series) => {
    const sample = sampleOf(series);
    const group = Type.Object({ source: DataSource, data: Type.Array(sample) });
    const page = Type.Object({
      groups: Type.Unsafe<Record<string, unknown>>({
        type: 'object',
        additionalProperties: Type.Array(group),
        description: 'Samples by provider, and within a provider by source.',
      }),
      next: nullable(Type.String({ deprecated: true, description: 'The same as next_cursor.' })),
      next_cursor: nullable(Type.String()),
    });
    const told = Type.Object({
      source: DataSource,
      source_id: SourceId,
      user_id: Uuid,
      version: Version,
      data: Type.Array(sample),
    });
    return [series.name, { sample, group, page, told }];
  }),
);

export const shapesOf = (series: Series): SeriesShapes => shapes.get(series.name) as SeriesShapes;

/** Every shape by the name that the reference gives it. */
export const seriesSchemas: Record<string, TSchema> = Object.fromEntries([
  ['SamplesDeleted', SamplesDeleted],
  ...SERIES.flatMap((series) => {
    const { sample, group, page, told } = shapesOf(series);
    return [
      [`${series.title}Sample`, sample],
      [`Grouped${series.title}`, group],
      [`Grouped${series.title}Response`, page],
      ...(series.event === null ? [] : [[`${series.title}Changed`, told] as const]),
    ];
  }),
]);

const provider = Type.Optional(WordFilter({ description: 'Slug of the provider; left out, all of them.' }));

const range = { provider, ...rangeOfDays('moment, of a date alone all of it') };

export const UngroupedQuery = Type.Object(range, { fulfils: aYearAtMost });

/** Where the next page begins: the stream, and the milliseconds since 1970 of the first sample that was not shown. */
export type Place = [stream: number, at: number];
export const isPlace = (key: unknown): key is Place =>
  Array.isArray(key) && key.length === 2 && key.every(Number.isSafeInteger) && Math.abs(key[1] as number) < 8e15;

export const GroupedQuery = Type.Object(
  {
    ...range,
    next_cursor: Type.Optional(Cursor({ isKey: isPlace })),
    cursor: Type.Optional(Cursor({ isKey: isPlace, description: 'The same as next_cursor.' })),
  },
  { fulfils: aYearAtMost },
);

export const DeletedSamples = Type.Object({
  deleted: Type.Integer({ description: 'Samples that were there, and are gone.' }),
});

export const StoredSamples = Type.Object({
  created: Type.Integer({ description: 'Samples that were not there.' }),
  updated: Type.Integer({ description: 'Samples that differ from what was there.' }),
  unchanged: Type.Integer({ description: 'Samples that were there already, and those that a later one replaced.' }),
  outside_ingestion_bounds: Type.Integer({ description: "Samples of days that the user's data is not taken of." }),
});
