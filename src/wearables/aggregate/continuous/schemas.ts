import { Type, type Static } from 'typebox';
import { nullable, oneOf, optional, Text, Timestamp, Uuid, withDefault } from '../../../wire/schema.ts';
import { AggregationResult, closed, Query, QueryConfig, QueryPast } from '../schemas.ts';
import { pastBreaches } from '../timeframe.ts';
import { shape } from '../../../wire/shape.ts';

/**
 * The longest timeframe of a continuous query in days: a leap year, and a month to compare it with. The limit is low
 * because Phial computes the query after each change of data.
 */
const MAX_DAYS = 400;
/** The pattern of a slug. It excludes hyphens. A UUID has hyphens, so one part of a path can be an id or a slug. */
const SLUG = '^[a-z][a-z0-9_]{0,63}$';

const QueryType = oneOf(['team', 'platform'], {
  description: 'Who wrote the query: the team, or the platform that it runs on. For your own use.',
});

const Slug = (leftOut = '') =>
  Type.String({
    maxLength: 64,
    pattern: SLUG,
    description:
      'Name of the query in paths and events: lower-case letters, digits and underscores, beginning with a letter.' +
      leftOut,
  });
const Title = Text(200, { description: 'What the query is for, in your own words.' });

const ContinuousTimeframe = Type.Object(
  { type: Type.Optional(oneOf(['relative'], { default: 'relative' })), past: QueryPast },
  {
    ...closed,
    description: "The days up to the user's local today, as long as `past` says.",
    fulfils: {
      check: ({ past }: Record<string, unknown>) => pastBreaches('2026-01-01', past, MAX_DAYS),
      words: `At most ${MAX_DAYS} days.`,
    },
  },
);

export const ContinuousQueryInput = shape(
  'ContinuousQueryInput',
  {
    title: Title,
    slug: optional(Slug(' If left out, it is made from the title.')),
    timeframe: ContinuousTimeframe,
    query: Query,
    config: Type.Optional(nullable(QueryConfig)),
    active: optional(Type.Boolean({ default: true, description: 'Whether the query is computed when data changes.' })),
  },
  closed,
);

/** If a key is missing or null, this part of the query does not change. */
export const ContinuousQueryPatch = shape(
  'ContinuousQueryPatch',
  {
    title: optional(Title),
    slug: optional(Slug()),
    timeframe: Type.Optional(nullable(ContinuousTimeframe)),
    query: Type.Optional(nullable(Query)),
    config: Type.Optional(nullable(QueryConfig)),
    active: Type.Optional(nullable(Type.Boolean({ description: 'Whether the query is computed when data changes.' }))),
  },
  closed,
);

export const ChosenQueryType = Type.Object({ query_type: withDefault(QueryType, 'team') });

export const ContinuousQuery = shape('ContinuousQuery', {
  id: Uuid,
  team_id: Uuid,
  slug: Type.String({ description: 'Name of the query in paths and events.' }),
  title: Type.String({ description: 'What the query is for.' }),
  query_type: QueryType,
  timeframe: Type.Object({ type: Type.String(), past: QueryPast }, { description: 'The days that the query reads.' }),
  query: Type.Unsafe<Static<typeof Query>>({
    type: 'object',
    additionalProperties: {},
    description: 'The query as it was given.',
  }),
  config: nullable(QueryConfig),
  active: Type.Boolean({ description: 'Whether the query is computed when data changes.' }),
  created_at: Timestamp,
  updated_at: Timestamp,
});

export const ContinuousQueryList = shape('ContinuousQueryList', {
  data: Type.Array(ContinuousQuery, { description: 'Queries in the order of creation.' }),
});

export const ContinuousQueryValidation = shape('ContinuousQueryValidation', {
  valid: Type.Boolean({ description: 'Whether the query could be created.' }),
  columns: Type.Array(Type.String(), { description: 'Names of the columns that its tables would have.' }),
  problems: Type.Array(
    Type.Object({
      code: Type.String({ description: 'The code with which the creation would be refused.' }),
      msg: Type.String({ description: 'Why, and what to do.' }),
    }),
    { description: 'Reasons for which the creation would be refused.' },
  ),
});

const TASK_STATUSES = ['scheduled', 'started', 'completed', 'error'] as const;

export const DeletedContinuousQuery = shape('DeletedContinuousQuery', {
  success: Type.Boolean({ description: 'Always true.' }),
});

const ContinuousQueryTask = shape('ContinuousQueryTask', {
  trace_id: Type.String({ format: 'uuid', description: 'Id of the run.' }),
  query_id: Type.String({ format: 'uuid', description: 'Id of the continuous query.' }),
  user_id: Uuid,
  status: oneOf(TASK_STATUSES, {
    description:
      '`completed` also if the query was changed or a newer run ended meanwhile, so that the table was not stored.',
  }),
  scheduled_at: Type.String({ format: 'date-time', description: 'When the run was scheduled.' }),
  started_at: nullable(Type.String({ format: 'date-time', description: 'When the run began.' })),
  ended_at: nullable(Type.String({ format: 'date-time', description: 'When the run ended.' })),
  error_details: nullable(
    Type.String({
      description: 'Why the run failed: too_many_matches, took_too_long, interrupted or unexpected_error.',
    }),
  ),
});

export const ContinuousQueryTaskHistory = shape('ContinuousQueryTaskHistory', {
  data: Type.Array(ContinuousQueryTask, { description: 'Runs for this user, the newest first.' }),
  next_cursor: nullable(Type.String()),
});

export const ContinuousQueryResultTableChanges = shape('ContinuousQueryResultTableChanges', {
  query_id: Type.String({ format: 'uuid', description: 'Id of the continuous query.' }),
  query_slug: Type.String({ description: 'Slug of the continuous query.' }),
  data: { ...AggregationResult.properties.table, description: 'The rows that are new or differ, as a table.' },
});
