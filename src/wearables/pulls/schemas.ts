import { Type } from 'typebox';
import { SkippedOfProvider } from '../connections/schemas.ts';
import { Cursor, nullable, oneOf, withDefault, WordFilter, Timestamp, Uuid } from '../../wire/schema.ts';
import { PROVIDER_SLUGS } from '../providers/catalogue.ts';

export const DemoConnectionInput = Type.Object({
  user_id: Uuid,
  provider: oneOf(PROVIDER_SLUGS, { description: 'Which provider the invented data seems to be of.' }),
});

export const DemoConnection = Type.Object({
  success: Type.Boolean({ description: 'Whether it is connected.' }),
  detail: Type.String({ description: 'What happens next.' }),
});

const map = <T extends Parameters<typeof nullable>[0]>(of: T, description: string) =>
  Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: of, description });

export const HistoricalPull = Type.Object({
  status: Type.String({ description: 'scheduled, in_progress, retrying, success or failure.' }),
  range_start: nullable(Type.String({ format: 'date-time', description: 'Beginning of what is pulled.' })),
  range_end: nullable(Type.String({ format: 'date-time', description: 'End of what is pulled.' })),
  timeline: Type.Object(
    {
      scheduled_at: Type.String({ format: 'date-time', description: 'When it was asked for.' }),
      started_at: nullable(Type.String({ format: 'date-time', description: 'When its first window was pulled.' })),
      ended_at: nullable(Type.String({ format: 'date-time', description: 'When it succeeded or was given up.' })),
    },
    { description: 'When what happened.' },
  ),
  days_with_data: Type.Integer({ description: 'Days of which there was something.' }),
  skipped: Type.Array(SkippedOfProvider, { description: 'What was left out, whole or in part, the most first.' }),
  release: Type.String({ description: 'Version of the service that pulled it.' }),
  trace_id: nullable(Type.String({ format: 'uuid', description: 'Names the pull in the log.' })),
  error_details: nullable(
    Type.String({
      description:
        'Why it waits for another try (provider_rate_limit_exceeded, provider_unavailable, transport_failure, ' +
        'resource_contention) or was given up (non_retriable_error, unexpected_error, retry_quota_exhausted; ' +
        'limit_reached: the user has as many streams of samples as a user can have).',
    }),
  ),
});

export const PullsOfProvider = Type.Object({
  pulled: map(HistoricalPull, 'Pulls by resource.'),
  not_pulled: Type.Array(Type.String(), {
    description: 'Resources that the connection could bring and none was asked for.',
  }),
});

export const PullsOfUser = Type.Object({ user_id: Uuid, provider: map(PullsOfProvider, 'Pulls by provider.') });

const nextPage = {
  next: nullable(Type.String({ deprecated: true, description: 'The same as next_cursor.' })),
  next_cursor: nullable(Type.String()),
};

export const HistoricalPulls = Type.Object({
  data: Type.Array(PullsOfUser, { description: 'Users who have any, in the order they were made.' }),
  ...nextPage,
});

export const ResourceStatistics = Type.Object({
  last_attempt: nullable(
    Type.Object(
      {
        timestamp: Timestamp,
        status: Type.String({ description: 'success or failure.' }),
      },
      { description: 'When it was last begun to be pulled; null of what is pushed.' },
    ),
  ),
  oldest_data: nullable(Type.String({ format: 'date-time', description: 'Time of the oldest value.' })),
  newest_data: nullable(Type.String({ format: 'date-time', description: 'Time of the newest value.' })),
  sent_count: nullable(
    Type.Integer({ description: 'How many values events told of, the same one again after each change.' }),
  ),
});

export const ResourcesOfUser = Type.Object({
  user_id: Uuid,
  provider: map(map(ResourceStatistics, 'By resource.'), 'By provider.'),
});

export const UserResources = Type.Object({
  data: Type.Array(ResourcesOfUser, { description: 'Users who have any, in the order they were made.' }),
  ...nextPage,
});

export const IntrospectQuery = Type.Object({
  user_id: Type.Optional(Uuid),
  provider: Type.Optional(WordFilter({ description: 'Slug of the provider; left out, all of them.' })),
  user_limit: withDefault(
    Type.Integer({
      minimum: 1,
      maximum: 100,
      description: 'Users on a page, at most 100; fewer where they have very much.',
    }),
    50,
  ),
  next_cursor: Type.Optional(Cursor()),
  cursor: Type.Optional(Cursor({ description: 'The same as next_cursor.' })),
});

export const Refresh = Type.Object({
  success: Type.Literal(true, { description: 'Always true.' }),
  user_id: Uuid,
  refreshed_sources: Type.Array(Type.String(), { description: 'Providers whose newest data has come.' }),
  in_progress_sources: Type.Array(Type.String(), { description: 'Providers whose data still comes.' }),
  failed_sources: Type.Array(Type.String(), { description: 'Providers that did not answer as they should.' }),
});

/** What a refresh that finds nothing to pull answers beside its code. */
export const UserRefreshErrorResponse = Type.Object({
  success: Type.Literal(false, { description: 'Always false.' }),
  user_id: Uuid,
  error: Type.String({ description: 'Why there is nothing to refresh, for a person. The same as detail.' }),
  failed_sources: Type.Array(Type.String(), { description: 'Always empty: nobody was asked.' }),
});

/** What an event tells at the end of a pull. */
export const HistoricalPullCompleted = Type.Object({
  user_id: Uuid,
  start_date: Type.String({ format: 'date-time', description: 'Beginning of what was pulled.' }),
  end_date: Type.String({ format: 'date-time', description: 'End of what was pulled.' }),
  is_final: Type.Literal(true, { description: 'Always true: everything of the resource has come.' }),
  provider: Type.String({ description: 'Slug of the provider.' }),
});
