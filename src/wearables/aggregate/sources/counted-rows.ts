// What stands between the rows as they are stored and the rows that a query counts: where several sources tell of the same,
// one of them is taken.
import type { RawBuilder } from 'kysely';
import type { TeamCtx, TxCtx } from '../../../context.ts';
import type { Series } from '../../resources.ts';
import type { QueryScope } from '../scope.ts';
import { countedSamples } from './samples.ts';
import { countedSummaries } from './summaries.ts';

/** What tells one source from another; `kind` is the type of a series that is keyed by it. */
export type SourceColumn = 'provider' | 'source_type' | 'app_id' | 'device_id' | 'workout_id' | 'sport' | 'kind';

/** `apart` are columns by which a query groups: what differs there is no rival. */
type Asked = {
  apart: SourceColumn[];
  /** Which sources take part: on `provider`, `source_type`, `app_id`, `device_id` and, of a summary, its own row. */
  sourceFilter: RawBuilder<unknown> | null;
};

/** Of a series: of one type, empty where it has none, null for all, each by itself. */
export type SamplesAsked = Asked & {
  series: Series;
  type: string | null;
  /** How long the slots are in which one source counts, where samples do not add up, in minutes. */
  slotMinutes: number;
};

export type SummariesAsked = Asked & { summary: string };

/**
 * Common table expressions, the last of them `counted`: a row for each that is counted. All have `local_at`, `provider`,
 * `source_type`, `app_id` and `device_id`; samples `stream_id`, `kind`, `at`, `value`, `duration_ms`, `timezone_offset` and
 * `extra`; summaries `id`, `provider_id`, `calendar_date`, `start_at`, `end_at`, `created_at`, `updated_at` and `values`.
 * Throws too_many_matches where more sessions would be compared than may be.
 */
export const countedRows = (
  ctx: TeamCtx | TxCtx<TeamCtx>,
  asked: SamplesAsked | SummariesAsked,
  scope: QueryScope,
): Promise<RawBuilder<unknown>> =>
  'series' in asked ? countedSamples(ctx, asked, scope) : countedSummaries(ctx, asked, scope);
