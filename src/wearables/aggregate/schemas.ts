import { Type, type TSchema } from 'typebox';
import type { Breach } from '../../wire/rule.ts';
import { nullable, oneOf, Text } from '../../wire/schema.ts';
import { SOURCE_SLUGS } from './columns/column.ts';
import { FIELD_NAMES, SERIES_NAMES } from './columns/series-columns.ts';
import { FUNCTIONS } from './functions.ts';
import { SLEEP_MACROS } from './columns/sleep-macros.ts';
import { readQuery } from './read-query.ts';
import { SUMMARY_TABLES } from './query-tables.ts';
import { MAX_DAYS, MAX_UNITS, timeframeBreaches } from './timeframe.ts';
import { LONGEST_WHERE } from './where/parse-condition.ts';
import { shape } from '../../wire/shape.ts';

const MAX_QUERIES = 10;
const MAX_SELECTED = 20;
const MAX_GROUPS = 5;
/** The most units of time in one group: a few more than the minutes of a year. */
const LONGEST_GROUP = 530_000;

/** Refuses unknown keys. Otherwise Phial would ignore a misspelt condition, and the response would be wrong. */
export const closed = { additionalProperties: false } as const;

const maybe = <T extends TSchema>(schema: T) => Type.Optional(nullable(schema));

/** The tables of which a query can select the `index`. */
const INDEX_TABLES = ['sleep', 'activity', 'workout', 'body', 'meal', 'profile', 'timeseries'] as const;

const index = maybe(oneOf(INDEX_TABLES, { description: 'The moment or day that is the time of a row of this table.' }));

/** A column of one series or of one kind of summary. */
const column = {
  timeseries: maybe(oneOf(SERIES_NAMES, { description: 'A time series, under its name in paths or in events.' })),
  field: maybe(
    oneOf(FIELD_NAMES, {
      description:
        'The field of a time series: value, which is the default; systolic or diastolic of blood pressure; and others.',
    }),
  ),
  type: maybe(
    Text(100, { description: 'Only samples of this type, of a series that is keyed by type, such as cholesterol.' }),
  ),
  ...Object.fromEntries(
    SUMMARY_TABLES.map(({ name, columns }) => [
      name,
      maybe(oneOf(Object.keys(columns), { description: `A column of the table ${name}.` })),
    ]),
  ),
};

const macro = {
  value_macro: maybe(oneOf(Object.keys(SLEEP_MACROS), { description: 'A value that is computed from a sleep.' })),
  version: maybe(oneOf(['automatic'], { description: 'Version of the value macro. `automatic` is the newest one.' })),
};

const SOURCES = ['source_provider', 'source_type', 'source_app_id', 'source_workout_id', 'source_sport'];

const source = {
  source: maybe(
    oneOf([...SOURCES, 'provider', 'type'], {
      description: 'The source of a row. provider and type are older names of source_provider and source_type.',
    }),
  ),
};

const QueryArgument = Type.Object(
  { ...column, ...macro, index },
  { ...closed, description: 'The argument of the function: a column, a value macro or an index.' },
);

const QuerySelect = shape(
  'QuerySelect',
  {
    group_key: Type.Optional(
      Type.Union([Type.Integer({ minimum: 0, maximum: MAX_GROUPS - 1 }), oneOf(['*'])], {
        description: 'The key of a group: its index in group_by, or * for all keys.',
      }),
    ),
    func: maybe(oneOf(FUNCTIONS, { description: 'The function that makes one value of the values of a group.' })),
    arg: Type.Optional(nullable(QueryArgument)),
    ...column,
    ...macro,
    index,
    ...source,
  },
  closed,
);

const Period = Type.Object(
  {
    unit: oneOf(['minute', 'hour', 'day', 'week', 'month', 'year'], {
      description: 'Unit of the length of a group, by the local calendar.',
    }),
    value: Type.Optional(
      Type.Integer({ minimum: 1, maximum: LONGEST_GROUP, default: 1, description: 'Number of units.' }),
    ),
  },
  { ...closed, description: 'Groups by time, truncated to the beginning of a period.' },
);

const QueryGroup = shape(
  'QueryGroup',
  {
    date_trunc: Type.Optional(nullable(Period)),
    date_part: maybe(
      oneOf(['minute', 'hour', 'day', 'week', 'month', 'year', 'weekday', 'week_of_year', 'day_of_year'], {
        description: 'Groups by a part of the local time. Weeks are those of ISO 8601. A weekday is 1, Monday, to 7.',
      }),
    ),
    arg: Type.Optional(
      nullable(
        Type.Object(
          {
            index,
            placeholder: Type.Optional(
              Type.Unsafe<true>({ type: 'boolean', enum: [true], description: 'The index of the table of the query.' }),
            ),
          },
          {
            ...closed,
            description: 'The time that date_trunc and date_part read. If left out, the index of the table.',
          },
        ),
      ),
    ),
    ...column,
    ...macro,
    ...source,
  },
  closed,
);

export const Query = shape(
  'Query',
  {
    select: Type.Array(QuerySelect, { minItems: 1, maxItems: MAX_SELECTED, description: 'Columns of the response.' }),
    group_by: Type.Optional(
      Type.Unsafe<object[] | null>({
        type: ['array', 'null'],
        items: QueryGroup,
        maxItems: MAX_GROUPS,
        default: [],
        description: 'If left out or null, all rows are one group, or the rows are listed.',
      }),
    ),
    where: maybe(
      Type.String({
        maxLength: LONGEST_WHERE,
        description:
          "A condition for rows, applied before they are grouped, as `type = 'long_sleep' AND NOT (score < 60)`. It " +
          'consists of columns of the table, numbers, quoted texts, TRUE, FALSE, NULL, the operators >, >=, <, <=, ' +
          '=, !=, and AND, OR, NOT and parentheses.',
      }),
    ),
  },
  {
    ...closed,
    fulfils: {
      check: (query: Record<string, unknown>): Breach[] => readQuery(query).breaches,
      words:
        'All columns of a query are of one series, and of one type of it, or of one kind of summary. Each entry of ' +
        '`select` is a `group_key` or a `func` with an `arg`. In a query without funcs and groups it is a column, a ' +
        'value macro, an `index` or a `source`. Each entry of `group_by` is a `date_trunc`, a `date_part`, a column, ' +
        'a value macro or a `source`.',
    },
  },
);

/** The length of a timeframe. */
export const QueryPast = shape(
  'QueryPast',
  {
    unit: oneOf(['minute', 'hour', 'day', 'week', 'month', 'year'], { description: 'Unit of the length.' }),
    value: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_UNITS, default: 1, description: 'Number of units.' })),
  },
  { ...closed, description: 'The length of the timeframe.' },
);

export const QueryConfig = shape(
  'QueryConfig',
  {
    week_starts_on: Type.Optional(
      oneOf(['monday', 'sunday'], { default: 'monday', description: 'First day of a week.' }),
    ),
    provider_priority_overrides: maybe(
      Type.Unsafe<string[]>({
        type: 'array',
        items: oneOf(SOURCE_SLUGS),
        maxItems: 100,
        description: "Providers and laboratories that come before the team's order of providers, the best one first.",
      }),
    ),
  },
  { ...closed, description: 'Settings of the computation.' },
);

export const QueryBatch = shape(
  'QueryBatch',
  {
    timeframe: Type.Object(
      {
        type: Type.Optional(oneOf(['relative'], { default: 'relative', description: 'Always relative to `anchor`.' })),
        anchor: Type.String({
          maxLength: 40,
          description: 'The last day by the local calendar, as 2026-01-05, or the moment at which the timeframe ends.',
        }),
        past: QueryPast,
      },
      {
        ...closed,
        description: 'A timeframe that ends with the anchor and is as long as `past` says.',
        fulfils: { check: timeframeBreaches, words: `At most ${MAX_DAYS.toLocaleString('en')} days.` },
      },
    ),
    queries: Type.Array(Query, {
      minItems: 1,
      maxItems: MAX_QUERIES,
      description: 'Each query is answered with a table.',
    }),
    config: Type.Optional(nullable(QueryConfig)),
  },
  closed,
);

type Value = number | string | boolean | string[] | null;

export const AggregationResult = shape('AggregationResult', {
  table: Type.Unsafe<Record<string, Value[]>>({
    type: 'object',
    additionalProperties: Type.Array(
      Type.Unsafe<Value>({ type: ['number', 'array', 'string', 'boolean', 'null'], items: Type.String() }),
    ),
    description:
      'A list of values for each column. All lists have the same length, and row n has the nth value of each.',
  }),
});

export const AggregationResponse = shape('AggregationResponse', {
  results: Type.Array(AggregationResult, { description: 'A table for each query, in the order of the queries.' }),
});
