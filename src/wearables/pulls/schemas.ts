import { Type } from 'typebox';
import { SkippedOfProvider } from '../connections/schemas.ts';
import { Cursor, nullable, oneOf, withDefault, WordFilter, Timestamp, Uuid } from '../../wire/schema.ts';
import { PROVIDER_SLUGS } from '../providers/provider-catalogue.ts';
import { shape } from '../../wire/shape.ts';

export const DemoConnectionInput = shape('DemoConnectionInput', {
  user_id: Uuid,
  provider: oneOf(PROVIDER_SLUGS, { description: 'The provider that the invented data seems to come from.' }),
});

export const DemoConnection = shape('DemoConnection', {
  success: Type.Boolean({ description: 'Whether the user is connected.' }),
  detail: Type.String({ description: 'What happens next.' }),
});

const map = <T extends Parameters<typeof nullable>[0]>(of: T, description: string) =>
  Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: of, description });

const HistoricalPull = shape('HistoricalPull', {
  status: Type.String({ description: 'scheduled, in_progress, retrying, success or failure.' }),
  range_start: nullable(Type.String({ format: 'date-time', description: 'Beginning of the range that is pulled.' })),
  range_end: nullable(Type.String({ format: 'date-time', description: 'End of the range that is pulled.' })),
  timeline: Type.Object(
    {
      scheduled_at: Type.String({ format: 'date-time', description: 'When the pull was scheduled.' }),
      started_at: nullable(Type.String({ format: 'date-time', description: 'When its first window was pulled.' })),
      ended_at: nullable(Type.String({ format: 'date-time', description: 'When it succeeded or was given up.' })),
    },
    { description: 'The times of the pull.' },
  ),
  days_with_data: Type.Integer({ description: 'The number of days with data.' }),
  skipped: Type.Array(SkippedOfProvider, {
    description: 'Records that were left out, whole or in part, the most first.',
  }),
  release: Type.String({ description: 'Version of the service that pulled it.' }),
  trace_id: nullable(Type.String({ format: 'uuid', description: 'Identifies the pull in the log.' })),
  error_details: nullable(
    Type.String({
      description:
        'Why it waits for another try (provider_rate_limit_exceeded, provider_unavailable, ' +
        'transport_failure, resource_contention) or was given up (non_retriable_error, unexpected_error, ' +
        'retry_quota_exhausted; limit_reached: the user has as many streams of samples as a user can ' +
        'have).',
    }),
  ),
});

const PullsOfProvider = shape('PullsOfProvider', {
  pulled: map(HistoricalPull, 'Pulls by resource.'),
  not_pulled: Type.Array(Type.String(), {
    description: 'Resources that the connection could bring but that were never pulled.',
  }),
});

const PullsOfUser = shape('PullsOfUser', {
  user_id: Uuid,
  provider: map(PullsOfProvider, 'Pulls by provider.'),
});

const nextPage = {
  next: nullable(Type.String({ deprecated: true, description: 'The same as next_cursor.' })),
  next_cursor: nullable(Type.String()),
};

export const HistoricalPulls = shape('HistoricalPulls', {
  data: Type.Array(PullsOfUser, { description: 'Users with any pull, oldest first.' }),
  ...nextPage,
});

const ResourceStatistics = shape('ResourceStatistics', {
  last_attempt: nullable(
    Type.Object(
      {
        timestamp: Timestamp,
        status: Type.String({ description: 'success or failure.' }),
      },
      { description: 'When the last pull began; null where data is pushed.' },
    ),
  ),
  oldest_data: nullable(Type.String({ format: 'date-time', description: 'Time of the oldest value.' })),
  newest_data: nullable(Type.String({ format: 'date-time', description: 'Time of the newest value.' })),
  sent_count: nullable(
    Type.Integer({ description: 'The number of values in events. A value counts again after each change.' }),
  ),
});

const ResourcesOfUser = shape('ResourcesOfUser', {
  user_id: Uuid,
  provider: map(map(ResourceStatistics, 'By resource.'), 'By provider.'),
});

export const UserResources = shape('UserResources', {
  data: Type.Array(ResourcesOfUser, { description: 'Users with any data, oldest first.' }),
  ...nextPage,
});

export const IntrospectQuery = Type.Object({
  user_id: Type.Optional(Uuid),
  provider: Type.Optional(WordFilter({ description: 'Slug of the provider; left out, all of them.' })),
  user_limit: withDefault(
    Type.Integer({
      minimum: 1,
      maximum: 100,
      description: 'Users on a page, at most 100; fewer where they have very many entries.',
    }),
    50,
  ),
  next_cursor: Type.Optional(Cursor()),
  cursor: Type.Optional(Cursor({ description: 'The same as next_cursor.' })),
});

export const Refresh = shape('Refresh', {
  success: Type.Literal(true, { description: 'Always true.' }),
  user_id: Uuid,
  refreshed_sources: Type.Array(Type.String(), { description: 'Providers whose newest data has arrived.' }),
  in_progress_sources: Type.Array(Type.String(), { description: 'Providers whose poll is still under way.' }),
  failed_sources: Type.Array(Type.String(), { description: 'Providers that did not answer as they should.' }),
});

/** The fields of the error nothing_to_refresh, in addition to its code. */
export const UserRefreshErrorResponse = shape('UserRefreshErrorResponse', {
  success: Type.Literal(false, { description: 'Always false.' }),
  user_id: Uuid,
  error: Type.String({ description: 'Why there is nothing to refresh, for people. The same as detail.' }),
  failed_sources: Type.Array(Type.String(), { description: 'Always empty: no provider was asked.' }),
});

/** The data of the event at the end of a pull. */
export const HistoricalPullCompleted = shape('HistoricalPullCompleted', {
  user_id: Uuid,
  start_date: Type.String({ format: 'date-time', description: 'Beginning of the range that was pulled.' }),
  end_date: Type.String({ format: 'date-time', description: 'End of the range that was pulled.' }),
  is_final: Type.Literal(true, { description: 'Always true: all data of the resource has arrived.' }),
  provider: Type.String({ description: 'Slug of the provider.' }),
});
