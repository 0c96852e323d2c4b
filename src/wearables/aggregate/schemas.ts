import { Type, type TSchema } from 'typebox';
import type { Breach } from '../../wire/rule.ts';
import { nullable, oneOf, Text } from '../../wire/schema.ts';
import { PROVIDER_SLUGS } from '../providers.ts';
import { queryBreaches } from './query-rules.ts';
import { SERIES_TABLES, SUMMARY_TABLES } from './tables.ts';
import { MOST_UNITS, timeframeBreaches } from './timeframe.ts';

const MOST_QUERIES = 10;
const MOST_SELECTED = 20;
const MOST_GROUPS = 3;

export const FUNCTIONS = ['min', 'max', 'mean', 'sum', 'count', 'median', 'stddev', 'oldest', 'newest'] as const;

const maybe = <T extends TSchema>(schema: T) => Type.Optional(nullable(schema));

/** A column: of one series, or of one kind of summary. */
export const QueryColumn = Type.Object({
  timeseries: maybe(
    oneOf(
      SERIES_TABLES.map(({ name }) => name),
      { description: 'A time series, as its path names it.' },
    ),
  ),
  field: maybe(
    oneOf(['value', 'systolic', 'diastolic'], {
      description: 'Of a time series: value; of blood pressure systolic or diastolic.',
    }),
  ),
  type: maybe(Text(100, { description: 'Of a series whose samples have a type each, as cholesterol: which one.' })),
  ...Object.fromEntries(
    SUMMARY_TABLES.map(({ name, columns }) => [
      name,
      maybe(oneOf(columns, { description: `A number of a summary: ${name}.` })),
    ]),
  ),
});

export const QuerySelect = Type.Object({
  group_key: Type.Optional(
    Type.Union([Type.Integer({ minimum: 0, maximum: MOST_GROUPS - 1 }), oneOf(['*'])], {
      description: 'What it is grouped by: its place in group_by, or * for all.',
    }),
  ),
  func: maybe(oneOf(FUNCTIONS, { description: 'How the values of a group become one.' })),
  arg: Type.Optional(nullable(Type.Object(QueryColumn.properties, { description: 'What is computed with.' }))),
});

export const QueryGroup = Type.Object({
  date_trunc: Type.Optional(
    nullable(
      Type.Object(
        {
          unit: oneOf(['hour', 'day', 'week', 'month'], { description: 'Length of a group, by the local calendar.' }),
          value: Type.Optional(
            Type.Integer({ minimum: 1, maximum: 366, default: 1, description: 'How many of them.' }),
          ),
        },
        { description: 'Groups by time.' },
      ),
    ),
  ),
  source: maybe(oneOf(['provider', 'type'], { description: 'Groups by the provider, or by the kind of device.' })),
});

export const Query = Type.Object(
  {
    select: Type.Array(QuerySelect, { minItems: 1, maxItems: MOST_SELECTED, description: 'Columns of the answer.' }),
    group_by: Type.Optional(
      Type.Array(QueryGroup, { maxItems: MOST_GROUPS, default: [], description: 'Left out, all is one group.' }),
    ),
  },
  {
    fulfils: {
      check: (query: Record<string, unknown>): Breach[] => queryBreaches(query),
      words:
        'All columns of a query are of one series, and of one type of it, or of one kind of summary. Each of `select` is a `group_key`, or a `func` of ' +
        'an `arg`; each of `group_by` is a `date_trunc` or a `source`.',
    },
  },
);

/** Days that end with another one. */
export const QueryPast = Type.Object(
  {
    unit: oneOf(['day', 'week', 'month', 'year'], { description: 'What it is counted in.' }),
    value: Type.Optional(
      Type.Integer({ minimum: 1, maximum: MOST_UNITS, default: 1, description: 'How many of them.' }),
    ),
  },
  { description: 'How many days, weeks, months or years it has.' },
);

export const QueryConfig = Type.Object(
  {
    week_starts_on: Type.Optional(
      oneOf(['monday', 'sunday'], { default: 'monday', description: 'First day of a week.' }),
    ),
    provider_priority_overrides: maybe(
      Type.Unsafe<string[]>({
        type: 'array',
        items: oneOf(PROVIDER_SLUGS),
        maxItems: 50,
        description: 'Providers that count first, the best one at the beginning.',
      }),
    ),
  },
  { description: 'How it is computed.' },
);

export const QueryBatch = Type.Object({
  timeframe: Type.Object(
    {
      type: Type.Optional(oneOf(['relative'], { default: 'relative' })),
      anchor: Type.String({ format: 'date', description: 'The last day, by the local calendar.' }),
      past: QueryPast,
    },
    {
      description: 'The days that end with the anchor, as many as `past` says.',
      fulfils: { check: timeframeBreaches, words: 'At most 1,100 days.' },
    },
  ),
  queries: Type.Array(Query, { minItems: 1, maxItems: MOST_QUERIES, description: 'Each is answered by a table.' }),
  config: Type.Optional(nullable(Type.Object(QueryConfig.properties, { description: 'How it is computed.' }))),
});

export const AggregationResult = Type.Object({
  table: Type.Unsafe<Record<string, (number | string | null)[]>>({
    type: 'object',
    additionalProperties: Type.Array(Type.Union([Type.Number(), Type.String(), Type.Null()])),
    description: 'A list of values a column, all of one length: row n is the nth of each.',
  }),
});

export const AggregationResponse = Type.Object({
  results: Type.Array(AggregationResult, { description: 'A table a query, in their order.' }),
});
