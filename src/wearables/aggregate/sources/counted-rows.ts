// Chooses which of the stored rows a query uses. If several sources report the same sleep or the same hour, the query
// uses one of them. See docs/decisions/aggregate-sources.md.
import type { RawBuilder } from 'kysely';
import type { TeamCtx, TxCtx } from '../../../context.ts';
import type { Series } from '../../series-type.ts';
import type { QueryScope } from '../query-scope.ts';
import { countedSamples } from './counted-samples.ts';
import { countedSummaries } from './counted-summaries.ts';

/** The columns that distinguish sources. `kind` is the type of a sample, for those series that have types. */
export type SourceColumn = 'provider' | 'source_type' | 'app_id' | 'device_id' | 'workout_id' | 'sport' | 'kind';

type SourceSelection = {
  /**
   * The source columns by which the query groups. The query uses all rows that differ in these columns, because they
   * are in different groups.
   */
  apart: SourceColumn[];
  /**
   * A condition that chooses the sources to read. It can use `provider`, `source_type`, `app_id`, `device_id`, and the
   * row of a summary.
   */
  sourceFilter: RawBuilder<unknown> | null;
};

/**
 * The samples of a series that a query asks for. `type` is empty if the series has no types. It is null if the query
 * asks for all types; then we choose sources for each type separately.
 */
export type SampleSelection = SourceSelection & {
  series: Series;
  type: string | null;
  /**
   * The length of a time slot in minutes. In each slot the query uses one source. Only for series that do not add up.
   */
  slotMinutes: number;
};

export type SummarySelection = SourceSelection & { summary: string };

/**
 * Returns common table expressions. The last one, `counted`, has the rows that the query uses. All rows have
 * `local_at`, `provider`, `source_type`, `app_id` and `device_id`. Samples also have `stream_id`, `kind`, `at`,
 * `value`, `duration_ms`, `timezone_offset` and `extra`. Summaries also have `id`, `provider_id`, `calendar_date`,
 * `start_at`, `end_at`, `created_at`, `updated_at` and `values`. Throws too_many_matches if there are too many
 * sessions, meals or sources to compare.
 */
export const countedRows = (
  ctx: TeamCtx | TxCtx<TeamCtx>,
  asked: SampleSelection | SummarySelection,
  scope: QueryScope,
): Promise<RawBuilder<unknown>> =>
  'series' in asked ? countedSamples(ctx, asked, scope) : countedSummaries(ctx, asked, scope);
