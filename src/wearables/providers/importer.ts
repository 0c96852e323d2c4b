import type { TeamCtx } from '../../context.ts';
import { AppError } from '../../errors.ts';
import type { UserRow } from '../../users/find.ts';
import type { SourceType } from '../source.ts';
import type { IncomingSummary } from '../summaries/new-summary.ts';
import type { SummaryItem, SummaryResource } from '../summaries/resource.ts';
import type { SampleOfSource } from '../timeseries/store-samples.ts';
import type { ProviderApi, Question } from './provider-api.ts';

/** A window of time for which we request the data of a resource: from `from`, up to and without `to`. */
export type TimeWindow = { from: string; to: string };

/**
 * The time limit for all requests of one window. It is longer than a provider should need, and shorter than the leases
 * of polls and pulls.
 */
export const LONGEST_PULL_MS = 4 * 60_000;

/**
 * A chunk of a response, which is stored and published in one transaction. It has at most a few thousand samples and
 * some hundred summaries.
 */
export type Pulled = {
  samples?: SampleOfSource[];
  summaries?: { resource: SummaryResource; incoming: IncomingSummary[] };
  /**
   * How many records of a series or kind of summary had impossible values. Phial does not store these values, and may
   * not store the record at all.
   */
  skipped?: { provider: string; resource: string; many: number };
  /** Summaries that the provider reports as deleted, by the provider's ids. */
  gone?: { resource: string; provider: string; provider_ids: string[] };
};

/**
 * Makes a summary from a provider's payload and from nothing else, so that stored payloads can be mapped again. If a
 * summary needs several responses, its payload contains all of them.
 */
export type Mapper = {
  resource: SummaryResource;
  /**
   * Returns null if the payload is no summary yet, for example a night that the provider is still computing. Throws
   * PullError if the payload has another shape than the provider documents.
   */
  toItem: (raw: Readonly<Record<string, unknown>>) => SummaryItem | null;
  /**
   * Set if the points of the summary come in another response. That response is not stored, so a replay of payloads
   * cannot make the points again.
   */
  withoutPoints?: true;
};

/** Fetches the data of one provider, and makes samples and summaries of it. */
export type Importer = {
  /**
   * The resources that it imports, by their names in events. `windowDays` is the length of the longest window that the
   * provider accepts. `polled: false` means that polls leave the resource out, because it changes rarely, as a profile
   * does. Only pulls of the past import it. `with` names another resource whose responses contain this one too. Then
   * both need the same scopes and have the same windows.
   */
  resources: Readonly<Record<string, { windowDays: number; polled?: false; with?: string }>>;
  /** How many of the last days each poll requests. Data may come late, and the totals of a day change. */
  pollDays: number;
  /** The number of seconds between two polls. */
  pollEverySeconds: number;
  /**
   * The source types of its samples, for a provider that reports deleted samples. A team may have pushed samples of
   * other types under the provider's name, and these must not be deleted.
   */
  sampleSources?: readonly SourceType[];
  /** The mappers of its summaries, by the kind of summary. Both `pull` and a replay of stored payloads use them. */
  mappers: Readonly<Record<string, Mapper>>;
  /** Pulls the data of a resource in a window. Throws PullError if the provider refuses. Stops if `signal` aborts. */
  pull: (source: ImportSource, resource: string, window: TimeWindow) => AsyncIterable<Pulled>;
  /**
   * Finds one summary that a notification names. Returns its data; 'gone' if the provider has deleted it; null if
   * `pull` has to bring it with a window. The function is missing if `pull` brings all summaries.
   */
  findOne?: (source: ImportSource, resource: string, id: string) => Promise<'gone' | Pulled[] | null>;
};

export type ImportSource = {
  ctx: TeamCtx;
  user: UserRow;
  signal: AbortSignal;
  /** True for a pull of the past. If few requests are left until a limit, pulls of the past stop before polls do. */
  past: boolean;
  /** All resources that this request brings: the lead (which the others name in `with`), and those others. */
  wanted: ReadonlySet<string>;
  /**
   * Sends a request with the user's access token and returns the response; null if there is no data. If the provider
   * refuses the token, renews it once. Throws PullError for any other status and for an unreadable response.
   */
  ask: (api: ProviderApi, question: Question) => Promise<unknown>;
};

/** Why a pull stops. After the first four, we try again. */
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

/** The error that ends a pull. It contains no text of the provider, because that could name people. */
export class PullError extends Error {
  readonly group: PullErrorGroup;
  /** The seconds after which the provider accepts requests again; null if the response does not state them. */
  readonly retryAfterSeconds: number | null;
  /**
   * True if we sent no request, because the application has used up its limit of requests. Such a try does not count
   * against the connection.
   */
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
 * Returns the pull error for an error that we expect, for example if a user has the most streams that are allowed; null
 * for any other error.
 */
export function foreseenOrNull(error: unknown): PullError | null {
  if (error instanceof PullError) return error;
  return error instanceof AppError && error.code === 'limit_reached' ? new PullError('limit_reached') : null;
}

/**
 * Whether the error says that the user is scheduled for deletion or was erased. If the team cancels the deletion, the
 * work continues.
 */
export const isGone = (error: unknown): boolean =>
  error instanceof AppError && ['user_scheduled_for_deletion', 'not_found'].includes(error.code);
