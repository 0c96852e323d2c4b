import type { TeamCtx } from '../../context.ts';
import { AppError } from '../../errors.ts';
import type { UserRow } from '../../users/find.ts';
import type { SourceType } from '../source.ts';
import type { IncomingSummary } from '../summaries/new-summary.ts';
import type { SummaryItem, SummaryResource } from '../summaries/resource.ts';
import type { SampleOfSource } from '../timeseries/store-samples.ts';
import type { ProviderApi, Question } from './provider-api.ts';

/**
 * A period of time for which we request data: all data of a resource between two moments. The second moment is
 * excluded.
 */
export type TimeWindow = { from: string; to: string };

/**
 * The time limit for the requests of one window. It is longer than the provider should need, and shorter than the
 * leases.
 */
export const LONGEST_PULL_MS = 4 * 60_000;

/**
 * A chunk of a response that we store and publish in one transaction. It has at most a few thousand samples and some
 * hundred summaries.
 */
export type Pulled = {
  samples?: SampleOfSource[];
  summaries?: { resource: SummaryResource; incoming: IncomingSummary[] };
  /**
   * The number of records of a series or a kind of summary that we did not store, or of which we did not store a part,
   * because they are impossible.
   */
  skipped?: { provider: string; resource: string; many: number };
  /** Summaries that the provider reports as deleted, by its own ids. */
  gone?: { resource: string; provider: string; provider_ids: string[] };
};

/**
 * Makes a summary from a provider's payload. It uses only the payload, so that we can map stored payloads again.
 * Therefore, if a summary needs several responses, its payload contains all of them.
 */
export type Mapper = {
  resource: SummaryResource;
  /**
   * Returns null if the payload is not a summary, for example a night that the provider is still computing. Throws
   * PullError if the payload has another shape than the documentation says.
   */
  toItem: (raw: Readonly<Record<string, unknown>>) => SummaryItem | null;
  /**
   * Set if the points of the summary come in a separate response. We do not store that response, so a replay cannot
   * make the points again.
   */
  withoutPoints?: true;
};

/** Fetches the data of a provider, and makes samples and summaries from it. */
export type Importer = {
  /**
   * The resources that it imports, by their names in events. `windowDays` is the longest window that the provider
   * accepts, in days. If `polled` is false, the resource changes rarely, for example a profile; then only pulls of the
   * past import it. `with` names another resource whose responses contain this one too. This one then needs no other
   * scopes than that resource, and has the same windows.
   */
  resources: Readonly<Record<string, { windowDays: number; polled?: false; with?: string }>>;
  /** The number of days that each poll pulls again. Data may come late, and totals of a day change. */
  pollDays: number;
  /** The number of seconds between two polls. */
  pollEverySeconds: number;
  /**
   * The source types of its samples, if the provider reports deleted samples. We do not delete samples of other types,
   * which a team has pushed under the provider's name.
   */
  sampleSources?: readonly SourceType[];
  /**
   * The mappers of its summaries, by the kind of summary. `pull` uses them, and so does a replay of stored payloads.
   */
  mappers: Readonly<Record<string, Mapper>>;
  /**
   * Pulls the data of a resource in a window. Throws PullError if the provider refuses. Stops if `signal` is aborted.
   */
  pull: (source: ImportSource, resource: string, window: TimeWindow) => AsyncIterable<Pulled>;
  /**
   * Finds one summary that a notification names. Returns its data, 'gone' if the provider has deleted it, or null if it
   * exists and polls bring it. If this function is missing, polls bring all summaries.
   */
  findOne?: (source: ImportSource, resource: string, id: string) => Promise<'gone' | Pulled[] | null>;
};

export type ImportSource = {
  ctx: TeamCtx;
  user: UserRow;
  signal: AbortSignal;
  /** Whether this is a pull of the past. Polls come before it. */
  past: boolean;
  /** All resources that this request should bring: the lead resource, and those whose data is in the same responses. */
  wanted: ReadonlySet<string>;
  /**
   * Sends a request with the user's access token and returns the response; null if there is no data. If the provider
   * refuses the token, renews it once. Throws PullError for any other status and for an unreadable response.
   */
  ask: (api: ProviderApi, question: Question) => Promise<unknown>;
};

/** The reasons for which a pull stops. After the first four, we try again. */
export type PullErrorGroup =
  | 'provider_rate_limit_exceeded'
  | 'provider_unavailable'
  | 'transport_failure'
  | 'resource_contention'
  | 'non_retriable_error'
  | 'limit_reached'
  | 'unexpected_error'
  | 'retry_quota_exhausted';

const RETRIABLE: ReadonlySet<PullErrorGroup> = new Set([
  'provider_rate_limit_exceeded',
  'provider_unavailable',
  'transport_failure',
  'resource_contention',
]);

export const isRetriable = (group: PullErrorGroup): boolean => RETRIABLE.has(group);

/** The reason for which a pull has stopped. It contains no text of the provider, which could name people. */
export class PullError extends Error {
  readonly group: PullErrorGroup;
  /** The seconds after which the provider accepts requests again, if the response states this. */
  readonly retryAfterSeconds: number | null;
  /** True if we sent no request because the application has used up its limit. The connection is not the cause. */
  readonly isDeferred: boolean;

  constructor(
    group: PullErrorGroup,
    retryAfterSeconds: number | null = null,
    { isDeferred = false }: { isDeferred?: boolean } = {},
  ) {
    super(`A pull has stopped: ${group}.`);
    this.group = group;
    this.retryAfterSeconds = retryAfterSeconds;
    this.isDeferred = isDeferred;
  }
}

/**
 * Returns the pull error for an expected failure, for example if a user has the largest allowed number of streams; null
 * for any other error.
 */
export function foreseenOrNull(error: unknown): PullError | null {
  if (error instanceof PullError) return error;
  return error instanceof AppError && error.code === 'limit_reached' ? new PullError('limit_reached') : null;
}

/** Whether the user is scheduled for deletion or was erased. If the team cancels the deletion, the work continues. */
export const isGone = (error: unknown): boolean =>
  error instanceof AppError && ['user_scheduled_for_deletion', 'not_found'].includes(error.code);
