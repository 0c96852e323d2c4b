import type { TeamCtx } from '../../context.ts';
import { AppError } from '../../errors.ts';
import type { UserRow } from '../../users/find.ts';
import type { SourceType } from '../source.ts';
import type { Incoming } from '../summaries/candidate.ts';
import type { SummaryItem, SummaryResource } from '../summaries/resource.ts';
import type { SampleOfSource } from '../timeseries/store-samples.ts';
import type { ProviderApi, Question } from './provider-api.ts';

/** What a provider is asked for: everything of a resource between two moments, the second one excluded. */
export type Window = { from: string; to: string };

/** Of what a provider is asked at once: longer than any answer should take, and shorter than what leases give it. */
export const LONGEST_PULL_MS = 4 * 60_000;

/** A piece of an answer, stored and told of in one transaction: at most a few thousand samples and some hundred summaries. */
export type Pulled = {
  samples?: SampleOfSource[];
  summaries?: { resource: SummaryResource; incoming: Incoming[] };
  /** How many of a series or a kind of summary were left out, whole or in part, since nobody can have measured them. */
  skipped?: { provider: string; resource: string; many: number };
  /** Summaries that the provider says to be deleted, by its own ids. */
  gone?: { resource: string; provider: string; provider_ids: string[] };
};

/**
 * What a provider's payload is as a summary of a kind. It knows nothing but the payload: what was kept raw can be mapped again,
 * so a summary that is made of several answers has them all in its raw payload.
 */
export type Mapper = {
  resource: SummaryResource;
  /** Null where it is none, as a night that is still being worked out. Throws PullError for another shape than promised. */
  toItem: (raw: Readonly<Record<string, unknown>>) => SummaryItem | null;
  /** Its points come in an answer of their own, which is not kept: they cannot be made again. */
  withoutPoints?: true;
};

/** How the data of a provider is fetched and mapped to samples and summaries. */
export type Importer = {
  /**
   * What it brings, by the names of events, each with the longest window that the provider answers, in days. What changes
   * as seldom as a profile is not `polled` and comes with the past only. What comes `with` another resource is in the answers
   * to the same questions: it needs no more scopes than that one, and has the same windows.
   */
  resources: Readonly<Record<string, { windowDays: number; polled?: false; with?: string }>>;
  /** Days that are pulled again by each poll, since data comes late and running totals change. */
  pollDays: number;
  /** Seconds between polls. */
  pollEverySeconds: number;
  /**
   * The kinds of device that its samples are of, where it tells of samples that were deleted: what a team has pushed of another
   * kind under the provider's name stays.
   */
  sampleSources?: readonly SourceType[];
  /** How its summaries are made, by the name of their kind: by `pull`, and by a replay of what is kept. */
  mappers: Readonly<Record<string, Mapper>>;
  /** Throws PullError for what a provider refuses; stops when `signal` is aborted. */
  pull: (source: ImportSource, resource: string, window: Window) => AsyncIterable<Pulled>;
  /**
   * What has become of one summary of which a notification tells: it is gone, it is this, or null, where it is there and
   * polls bring it. Left out: polls bring everything.
   */
  findOne?: (source: ImportSource, resource: string, id: string) => Promise<'gone' | Pulled[] | null>;
};

export type ImportSource = {
  ctx: TeamCtx;
  user: UserRow;
  signal: AbortSignal;
  /** Whether this is a pull of the past, which waits for what happens now. */
  past: boolean;
  /** Everything that is asked for at once: the resource itself, and what comes with it. */
  wanted: ReadonlySet<string>;
  /**
   * The provider's answer, by a token of the user; null where there is nothing. A token that is refused is renewed, once.
   * Throws PullError for everything else that is no answer.
   */
  ask: (api: ProviderApi, question: Question) => Promise<unknown>;
};

/** Why a pull did not go on. The first four are tried again. */
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

/** What a provider refused, without a word of its own: answers can name people. */
export class PullError extends Error {
  readonly group: PullErrorGroup;
  /** When the provider takes requests again, if it says so. */
  readonly retryAfterSeconds: number | null;
  /** Nothing was asked: the application has used up its share, for which no connection can do anything. */
  readonly wasHeldBack: boolean;

  constructor(
    group: PullErrorGroup,
    retryAfterSeconds: number | null = null,
    { heldBack = false }: { heldBack?: boolean } = {},
  ) {
    super(`A pull did not go on: ${group}.`);
    this.group = group;
    this.retryAfterSeconds = retryAfterSeconds;
    this.wasHeldBack = heldBack;
  }
}

/** Why a pull did not go on, where that was foreseen, as that its user has all the streams that a user can have; null elsewhere. */
export function foreseenOrNull(error: unknown): PullError | null {
  if (error instanceof PullError) return error;
  return error instanceof AppError && error.code === 'limit_reached' ? new PullError('limit_reached') : null;
}

/** The user is scheduled for deletion, or was erased: an undo goes on where it stood. */
export const isGone = (error: unknown): boolean =>
  error instanceof AppError && ['user_scheduled_for_deletion', 'not_found'].includes(error.code);
