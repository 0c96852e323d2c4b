import { Type, type TSchema } from 'typebox';
import type { Breach } from '../../wire/rule.ts';
import { nullable, oneOf, Text } from '../../wire/schema.ts';
import { SOURCE_SLUGS } from './columns/column.ts';
import { FIELD_NAMES, SERIES_NAMES } from './columns/series-columns.ts';
import { FUNCTIONS } from './functions.ts';
import { SLEEP_MACROS } from './columns/sleep-macros.ts';
import { readQuery } from './read-query.ts';
import { SUMMARY_TABLES } from './tables.ts';
import { MOST_DAYS, MOST_UNITS, timeframeBreaches } from './timeframe.ts';
import { LONGEST_WHERE } from './where/condition.ts';

const MOST_QUERIES = 10;
const MOST_SELECTED = 20;
const MOST_GROUPS = 5;
/** A year of minutes, and a little more. */
const LONGEST_GROUP = 530_000;

/** Nothing that is sent in a query is ignored: a key that it does not know is refused. */
export const closed = { additionalProperties: false } as const;

const maybe = <T extends TSchema>(schema: T) => Type.Optional(nullable(schema));

/** The tables that `index` names: those of the language, whose rows have a moment or a day each. */
const INDEX_TABLES = ['sleep', 'activity', 'workout', 'body', 'meal', 'profile', 'timeseries'] as const;

const index = maybe(
  oneOf(INDEX_TABLES, { description: 'The moment or day by which rows of that table are placed in time.' }),
);

/** A column: of one series, or of one kind of summary. */
const column = {
  timeseries: maybe(oneOf(SERIES_NAMES, { description: 'A time series, as its path or its events name it.' })),
  field: maybe(
    oneOf(FIELD_NAMES, {
      description:
        'Of a time series: value, which it is if left out; of blood pressure systolic or diastolic; and others.',
    }),
  ),
  type: maybe(
    Text(100, { description: 'Of a series whose samples have a type each, as cholesterol: only those of that type.' }),
  ),
  ...Object.fromEntries(
    SUMMARY_TABLES.map(({ name, columns }) => [
      name,
      maybe(oneOf(Object.keys(columns), { description: `A column of the table ${name}.` })),
    ]),
  ),
};

const macro = {
  value_macro: maybe(oneOf(Object.keys(SLEEP_MACROS), { description: 'What is made of a sleep.' })),
  version: maybe(oneOf(['automatic'], { description: 'Version of the value macro: the newest one.' })),
};

const SOURCES = ['source_provider', 'source_type', 'source_app_id', 'source_workout_id', 'source_sport'];

const source = {
  source: maybe(
    oneOf([...SOURCES, 'provider', 'type'], {
      description: 'Where a row is from. provider and type are older words for source_provider and source_type.',
    }),
  ),
};

const QueryArgument = Type.Object(
  { ...column, ...macro, index },
  { ...closed, description: 'What is computed with: a column, a value macro or an index.' },
);

export const QuerySelect = Type.Object(
  {
    group_key: Type.Optional(
      Type.Union([Type.Integer({ minimum: 0, maximum: MOST_GROUPS - 1 }), oneOf(['*'])], {
        description: 'What it is grouped by: its place in group_by, or * for all.',
      }),
    ),
    func: maybe(oneOf(FUNCTIONS, { description: 'How the values of a group become one.' })),
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
      description: 'Length of a group, by the local calendar.',
    }),
    value: Type.Optional(
      Type.Integer({ minimum: 1, maximum: LONGEST_GROUP, default: 1, description: 'How many of them.' }),
    ),
  },
  { ...closed, description: 'Groups by time, cut off to the beginning of a period.' },
);

export const QueryGroup = Type.Object(
  {
    date_trunc: Type.Optional(nullable(Period)),
    date_part: maybe(
      oneOf(['minute', 'hour', 'day', 'week', 'month', 'year', 'weekday', 'week_of_year', 'day_of_year'], {
        description: 'Groups by a part of the local time. Weeks are those of ISO 8601; a weekday is 1, Monday, to 7.',
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
            description: 'Which time date_trunc and date_part read; left out, the index of the table.',
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

export const Query = Type.Object(
  {
    select: Type.Array(QuerySelect, { minItems: 1, maxItems: MOST_SELECTED, description: 'Columns of the answer.' }),
    group_by: Type.Optional(
      Type.Unsafe<object[] | null>({
        type: ['array', 'null'],
        items: QueryGroup,
        maxItems: MOST_GROUPS,
        default: [],
        description: 'Left out or null: all is one group, or rows are listed.',
      }),
    ),
    where: maybe(
      Type.String({
        maxLength: LONGEST_WHERE,
        description:
          "Which rows are taken, before they are grouped, as in `type = 'long_sleep' AND NOT (score < 60)`: columns of the table, " +
          'numbers, quoted texts, TRUE, FALSE, NULL, the operators >, >=, <, <=, =, !=, and AND, OR, NOT and parentheses.',
      }),
    ),
  },
  {
    ...closed,
    fulfils: {
      check: (query: Record<string, unknown>): Breach[] => readQuery(query).breaches,
      words:
        'All columns of a query are of one series, and of one type of it, or of one kind of summary. Each of `select` is a ' +
        '`group_key`, a `func` of an `arg`, or, in a query without funcs and groups, a column, a value macro, an `index` or a ' +
        '`source`; each of `group_by` is a `date_trunc`, a `date_part`, a column, a value macro or a `source`.',
    },
  },
);

/** How long a timeframe is. */
export const QueryPast = Type.Object(
  {
    unit: oneOf(['minute', 'hour', 'day', 'week', 'month', 'year'], { description: 'What it is counted in.' }),
    value: Type.Optional(
      Type.Integer({ minimum: 1, maximum: MOST_UNITS, default: 1, description: 'How many of them.' }),
    ),
  },
  { ...closed, description: 'How long it is.' },
);

export const QueryConfig = Type.Object(
  {
    week_starts_on: Type.Optional(
      oneOf(['monday', 'sunday'], { default: 'monday', description: 'First day of a week.' }),
    ),
    provider_priority_overrides: maybe(
      Type.Unsafe<string[]>({
        type: 'array',
        items: oneOf(SOURCE_SLUGS),
        maxItems: 100,
        description:
          'Providers and laboratories that count first, the best one at the beginning; after them those of the team.',
      }),
    ),
  },
  { ...closed, description: 'How it is computed.' },
);

export const QueryBatch = Type.Object(
  {
    timeframe: Type.Object(
      {
        type: Type.Optional(oneOf(['relative'], { default: 'relative' })),
        anchor: Type.String({
          maxLength: 40,
          description: 'The last day, by the local calendar, as 2026-01-05; or the moment at which it ends.',
        }),
        past: QueryPast,
      },
      {
        ...closed,
        description: 'What ends with the anchor, as long as `past` says.',
        fulfils: { check: timeframeBreaches, words: `At most ${MOST_DAYS.toLocaleString('en')} days.` },
      },
    ),
    queries: Type.Array(Query, { minItems: 1, maxItems: MOST_QUERIES, description: 'Each is answered by a table.' }),
    config: Type.Optional(nullable(QueryConfig)),
  },
  closed,
);

type Value = number | string | boolean | string[] | null;

export const AggregationResult = Type.Object({
  table: Type.Unsafe<Record<string, Value[]>>({
    type: 'object',
    additionalProperties: Type.Array(
      Type.Unsafe<Value>({ type: ['number', 'array', 'string', 'boolean', 'null'], items: Type.String() }),
    ),
    description: 'A list of values a column, all of one length: row n is the nth of each.',
  }),
});

export const AggregationResponse = Type.Object({
  results: Type.Array(AggregationResult, { description: 'A table a query, in their order.' }),
});
