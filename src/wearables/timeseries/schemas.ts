// The shapes of samples in responses and events, made from the table in series.ts. Each series has a shape with a name
// of its own.
import { Type, type TObject, type TSchema } from 'typebox';
import { Cursor, nullable, oneOf, WordFilter, Timestamp, Uuid } from '../../wire/schema.ts';
import { aYearAtMost, rangeOfDays } from '../range-of-days.ts';
import { SERIES } from '../series.ts';
import type { Series } from '../series-type.ts';
import { named, shape } from '../../wire/shape.ts';
import { DataSource } from '../source.ts';

const SourceId = Type.Integer({
  description:
    'Number of the source: one for each series, provider and kind of device, whichever app sends. ' +
    'Together with its timestamp it identifies a sample.',
});

/** The version of a stream, which events about the stream contain. */
const Version = Type.Integer({
  minimum: 0,
  description:
    'Rises with each change to the samples of `source_id`, whichever app or device sends them. Of two events about ' +
    'the same sample, the one with the greater version is newer, in whatever order they arrive.',
});

/** The id of a sample is always null. Series, source and time identify a sample. */
const SampleId = nullable(Type.Integer({ deprecated: true, description: 'Always null.' }));
const Offset = nullable(
  Type.Integer({ description: 'Seconds east of UTC where the sample was taken; null where that is not known.' }),
);

const TYPE = 'What the sample measures, or how it was measured. Only some series have types.';

function sampleOf(series: Series): TObject {
  const { type, unit, interval, value, only, extras } = series;
  const kind = Array.isArray(type) ? oneOf(type as readonly string[]) : Type.String();
  const each: Record<string, TSchema> = {
    id: SampleId,
    timezone_offset: Offset,
    type: { ...(type === null || series.typeOptional ? nullable(kind) : kind), description: TYPE },
    unit: Type.Literal(unit, { description: `Always ${unit}.` }),
    timestamp: Timestamp,
  };
  if (interval) Object.assign(each, { start: Timestamp, end: Timestamp });
  if (value === 'blood_pressure') {
    each['grouping'] = Type.Array(nullable(Type.String()), {
      description: 'The kind of device, and three elements that are null.',
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
  return shape(`${series.title}Sample`, each);
}

const MomentOfSample = (which: string) =>
  Type.Unsafe<string>({ ...Timestamp, description: `Moment of the ${which} deleted sample.` });

/** The data of an event about deleted samples of a source. */
export const SamplesDeleted = shape('SamplesDeleted', {
  source: DataSource,
  source_id: SourceId,
  user_id: Uuid,
  version: Version,
  intervals: Type.Array(Type.Object({ start: MomentOfSample('first'), end: MomentOfSample('last') }), {
    maxItems: 1_000,
    description:
      'All samples of `source_id` from `start` to `end` are deleted, both included. An interval of one sample has ' +
      'the same moment twice.',
  }),
});

export type SeriesShapes = { sample: TObject; group: TObject; page: TObject; changed: TObject };

const shapes = new Map<string, SeriesShapes>(
  SERIES.map((series) => {
    const sample = sampleOf(series);
    const group = shape(`Grouped${series.title}`, {
      source: DataSource,
      data: Type.Array(sample, { description: 'Samples of this source, the oldest first.' }),
    });
    const page = shape(`Grouped${series.title}Response`, {
      groups: Type.Unsafe<Record<string, unknown>>({
        type: 'object',
        additionalProperties: Type.Array(group),
        description: 'Samples grouped by provider, and within a provider by source.',
      }),
      next: nullable(Type.String({ deprecated: true, description: 'The same as next_cursor.' })),
      next_cursor: nullable(Type.String()),
    });
    const changed = Type.Object({
      source: DataSource,
      source_id: SourceId,
      user_id: Uuid,
      version: Version,
      data: Type.Array(sample, { description: 'The samples that are new or have changed.' }),
    });
    if (series.event !== null) named(`${series.title}Changed`, changed);
    return [series.name, { sample, group, page, changed }];
  }),
);

export const shapesOf = (series: Series): SeriesShapes => shapes.get(series.name) as SeriesShapes;

const provider = Type.Optional(WordFilter({ description: 'Slug of the provider. If left out, all providers.' }));

const range = { provider, ...rangeOfDays('moment (a date without a time means its whole day)') };

export const UngroupedQuery = Type.Object(range, { fulfils: aYearAtMost });

/** Where the next page begins: the stream, and the first time that is not on this page, in milliseconds since 1970. */
export type SampleCursor = [stream: number, at: number];
export const isSampleCursor = (key: unknown): key is SampleCursor =>
  Array.isArray(key) && key.length === 2 && key.every(Number.isSafeInteger) && Math.abs(key[1] as number) < 8e15;

export const GroupedQuery = Type.Object(
  {
    ...range,
    next_cursor: Type.Optional(Cursor({ isKey: isSampleCursor })),
    cursor: Type.Optional(Cursor({ isKey: isSampleCursor, description: 'The same as next_cursor.' })),
  },
  { fulfils: aYearAtMost },
);

export const DeletedSamples = shape('DeletedSamples', {
  deleted: Type.Integer({ description: 'Number of samples that were deleted.' }),
});

export const StoredSamples = shape('StoredSamples', {
  created: Type.Integer({ description: 'Number of new samples.' }),
  updated: Type.Integer({ description: 'Number of samples that differ from the stored ones.' }),
  unchanged: Type.Integer({
    description:
      'Number of samples that were stored already, that a later one of the batch replaced, or that do not count.',
  }),
  outside_ingestion_bounds: Type.Integer({
    description: "Number of samples of days outside the user's ingestion bounds. They are not stored.",
  }),
});
