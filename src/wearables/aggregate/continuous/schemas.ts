import { Type, type Static } from 'typebox';
import { nullable, oneOf, optional, Text, Timestamp, Uuid, withDefault } from '../../../wire/schema.ts';
import { AggregationResult, closed, Query, QueryConfig, QueryPast } from '../schemas.ts';
import { pastBreaches } from '../timeframe.ts';

/** A year with its leap day, and a month for comparison: it is computed again and again. */
const MOST_DAYS = 400;
/** Never as long as an id, and without the hyphens of one: a path takes either. */
const SLUG = '^[a-z][a-z0-9_]{0,63}$';

const QueryType = oneOf(['team', 'platform'], {
  description: 'Whose it is, for your own order: the team has written it, or the platform that it runs on.',
});

const Slug = (leftOut = '') =>
  Type.String({
    maxLength: 64,
    pattern: SLUG,
    description: `Names it in paths and events: lower-case letters, digits and underscores, a letter first.${leftOut}`,
  });
const Title = Text(200, { description: 'What it is for, in your own words.' });

const ContinuousTimeframe = Type.Object(
  { type: Type.Optional(oneOf(['relative'], { default: 'relative' })), past: QueryPast },
  {
    ...closed,
    description: "The days up to the user's own today, as many as `past` says.",
    fulfils: {
      check: ({ past }: Record<string, unknown>) => pastBreaches('2026-01-01', past, MOST_DAYS),
      words: `At most ${MOST_DAYS} days.`,
    },
  },
);

export const ContinuousQueryInput = Type.Object(
  {
    title: Title,
    slug: optional(Slug(' Left out: it is made of the title.')),
    timeframe: ContinuousTimeframe,
    query: Query,
    config: Type.Optional(nullable(QueryConfig)),
    active: optional(Type.Boolean({ default: true, description: 'Whether it is computed when data changes.' })),
  },
  closed,
);

/** What is left out or null stays as it is. */
export const ContinuousQueryPatch = Type.Object(
  {
    title: optional(Title),
    slug: optional(Slug()),
    timeframe: Type.Optional(nullable(ContinuousTimeframe)),
    query: Type.Optional(nullable(Query)),
    config: Type.Optional(nullable(QueryConfig)),
    active: Type.Optional(nullable(Type.Boolean({ description: 'Whether it is computed when data changes.' }))),
  },
  closed,
);

export const ChosenQueryType = Type.Object({ query_type: withDefault(QueryType, 'team') });

export const ContinuousQuery = Type.Object({
  id: Uuid,
  team_id: Uuid,
  slug: Type.String({ description: 'Names it in paths and events.' }),
  title: Type.String({ description: 'What it is for.' }),
  query_type: QueryType,
  timeframe: Type.Object({ type: Type.String(), past: QueryPast }, { description: 'Which days it computes with.' }),
  query: Type.Unsafe<Static<typeof Query>>({
    type: 'object',
    additionalProperties: {},
    description: 'What is computed, as it was given.',
  }),
  config: nullable(QueryConfig),
  active: Type.Boolean({ description: 'Whether it is computed when data changes.' }),
  created_at: Timestamp,
  updated_at: Timestamp,
});

export const ContinuousQueryList = Type.Object({
  data: Type.Array(ContinuousQuery, { description: 'In the order they were made.' }),
});

export const ContinuousQueryValidation = Type.Object({
  valid: Type.Boolean({ description: 'Whether it could be created as it is.' }),
  columns: Type.Array(Type.String(), { description: 'What the columns of its tables would be called.' }),
  problems: Type.Array(
    Type.Object({
      code: Type.String({ description: 'The code with which its creation would be refused.' }),
      msg: Type.String({ description: 'Why, and what to do.' }),
    }),
    { description: 'What stands against it.' },
  ),
});

const TASK_STATUSES = ['scheduled', 'started', 'completed', 'error'] as const;

export const DeletedContinuousQuery = Type.Object({
  success: Type.Boolean({ description: 'Always true: it is not found any more.' }),
});

export const ContinuousQueryTask = Type.Object({
  trace_id: Type.String({ format: 'uuid', description: 'Names the run.' }),
  query_id: Type.String({ format: 'uuid', description: 'Id of the continuous query.' }),
  user_id: Uuid,
  status: oneOf(TASK_STATUSES, {
    description:
      'completed also where the query was changed or a newer run ended meanwhile, so that its table was not kept.',
  }),
  scheduled_at: Type.String({ format: 'date-time', description: 'When it was asked for.' }),
  started_at: nullable(Type.String({ format: 'date-time', description: 'When it began.' })),
  ended_at: nullable(Type.String({ format: 'date-time', description: 'When it ended.' })),
  error_details: nullable(
    Type.String({
      description: 'Why it failed: too_many_matches, took_too_long, interrupted or unexpected_error.',
    }),
  ),
});

export const ContinuousQueryTaskHistory = Type.Object({
  data: Type.Array(ContinuousQueryTask, { description: 'Runs for this user, the newest first.' }),
  next_cursor: nullable(Type.String()),
});

export const ContinuousQueryResultTableChanges = Type.Object({
  query_id: Type.String({ format: 'uuid', description: 'Id of the continuous query.' }),
  query_slug: Type.String({ description: 'Its slug.' }),
  data: { ...AggregationResult.properties.table, description: 'The rows that are new or differ, as a table.' },
});
