// Polls pull the new data of a connection at intervals. The table `polls` has the time at which the next poll is due.
// Two triggers also set this time, to infinity: for a connection that can bring nothing (migration 0025), and for a
// user who is scheduled for deletion (migration 0033).
import { sql } from 'kysely';
import type { TeamCtx } from '../../context.ts';
import { logOutage } from '../connections/applications/log-outage.ts';
import { DAY_ENDS_HOURS } from '../../users/ingestion-bounds.ts';
import { claimPoll, extendPoll, endPollLease, type Claim, type Polled } from './poll-lease.ts';
import { foreseenOrNull, isGone, type PullError, type Importer, type TimeWindow } from '../providers/importer.ts';
import { grantedResources, importerOrNull } from './importers.ts';
import { storePulled, type StoredResource } from './store-pulled.ts';
import { groupByRequest } from './companions.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** The seconds between two polls if the provider is no longer configured. It may be configured again. */
export const WITHOUT_PROVIDER_SECONDS = 3_600;
/** The shortest wait in seconds before a deferred poll is tried again. */
const DEFERRED_SECONDS = 60;

/**
 * The outcome of a poll. `wait` is for how many seconds the provider accepts no requests. `isDeferred` means that no
 * request was sent, so the poll does not count as a try.
 */
type Outcome = { succeeded: boolean; wait: number; isDeferred: boolean };

/** Polls a connection if its poll is due and no other process has its lease. */
export async function pollConnection(ctx: TeamCtx, job: Polled): Promise<void> {
  const claim = await claimPoll(ctx, job, { whenDue: true });
  if (!claim) return;
  const outcome = await poll(ctx, claim);
  if (outcome) {
    const word = outcome.isDeferred ? 'held_back' : outcome.succeeded ? 'success' : 'failure';
    ctx.count?.({ what: 'poll', provider: job.provider, outcome: word });
    await finish(ctx, claim, outcome);
  }
  await endPollLease(ctx, claim);
}

/** Polls every resource of the connection. Returns null if the process has lost the lease or is stopping. */
async function poll(ctx: TeamCtx, claim: Claim): Promise<(Outcome & { every: number }) | null> {
  const importer = importerOrNull(ctx, claim.connection);
  if (!importer) return { succeeded: false, wait: 0, isDeferred: false, every: WITHOUT_PROVIDER_SECONDS };
  const window = lastDays(importer, claim);
  const resources = grantedResources(importer, claim.connection).filter(
    (name) => importer.resources[name]?.polled !== false,
  );
  const windows =
    window === null ? [] : groupByRequest(importer, resources).map((asked) => ({ resources: asked, window }));
  const outcome = await pullWindows(ctx, claim, { importer, windows });
  return outcome && { ...outcome, every: importer.pollEverySeconds };
}

/**
 * Returns the last days, which every poll pulls again because some data comes late. If the user's last day of ingestion
 * (of storing data) has passed, returns the days up to this day. Returns null if Phial would store nothing of these
 * days, because ingestion has not begun or is over.
 */
export function lastDays(
  { pollDays }: Importer,
  { user, connection }: Pick<Claim, 'user' | 'connection'>,
): TimeWindow | null {
  const { ingestion_start: first, ingestion_end: last } = user;
  const now = Date.now();
  const until = last === null ? now : Math.min(now, Date.parse(last) + DAY_ENDS_HOURS * HOUR_MS);
  const dayOf = (moment: number): string => new Date(moment).toISOString().slice(0, 10);
  // In time zones ahead of UTC, the date may already be one day later.
  if (connection.is_over || (first !== null && first > dayOf(until + DAY_MS))) return null;
  return { from: `${dayOf(until - pollDays * DAY_MS)}T00:00:00.000Z`, to: new Date(until).toISOString() };
}

/**
 * Pulls windows under the lease of the connection's poll. A window is for the resources that one request brings. Values
 * that have not changed cause no events. Calls `stored` for each window that was stored completely. Returns null if the
 * user does not exist any more, if another process has taken the lease, or if this process stops.
 */
export async function pullWindows<T extends { resources: readonly string[]; window: TimeWindow }>(
  ctx: TeamCtx,
  claim: Claim,
  {
    importer,
    windows,
    stored,
  }: {
    importer: Importer;
    windows: T[];
    stored?: (asked: T, what: ReadonlyMap<string, StoredResource>) => Promise<void>;
  },
): Promise<Outcome | null> {
  let succeeded = true;
  for (const asked of windows) {
    const { resources, window } = asked;
    let came = true;
    let skipped: Record<string, Record<string, number>> = {};
    let refused: PullError | null = null;
    try {
      const what = await storePulled(ctx, claim.user, importer, { resources, window, past: false });
      skipped = Object.fromEntries(
        [...what].filter(([, of]) => Object.keys(of.skipped).length > 0).map(([name, of]) => [name, of.skipped]),
      );
      await stored?.(asked, what);
    } catch (error) {
      if (isGone(error) || ctx.stopping?.aborted) return null;
      came = succeeded = false;
      const foreseen = foreseenOrNull(error);
      if (!foreseen) ctx.log.error({ err: error, resource: resources[0] }, 'a poll failed');
      else if (foreseen.group !== 'limit_reached')
        logOutage(ctx.log, { provider: claim.connection.provider, code: foreseen.group });
      if (foreseen?.group === 'provider_rate_limit_exceeded') refused = foreseen;
    }
    // If the poll was deferred, no request was sent, so the stored outcome stays.
    if (!refused?.isDeferred && !(await extendPoll(ctx, claim, { resources, window, succeeded: came, skipped })))
      return null;
    if (refused) return { succeeded, wait: refused.retryAfterSeconds ?? 0, isDeferred: refused.isDeferred };
  }
  return { succeeded, wait: 0, isDeferred: false };
}

/**
 * Records the outcome of a poll. Each failure in a row makes the wait until the next poll longer. A deferred poll is
 * due as soon as it may run. If a refresh, or the end of the connection, has set another due time meanwhile, that time
 * stays.
 */
async function finish(
  { db, team }: TeamCtx,
  { poll: { user_id, provider, leased_since } }: Claim,
  { succeeded, wait, isDeferred, every }: Outcome & { every: number },
): Promise<void> {
  const tried = sql`
    attempted_at = leased_since, succeeded = ${succeeded},
    failures = case when ${succeeded} then 0 else failures + 1 end,`;
  const least = isDeferred ? DEFERRED_SECONDS : every;
  const times = succeeded || isDeferred ? sql`1` : sql`1 + least(failures, 8)`;
  await sql`
    update polls
       set ${isDeferred ? sql`` : tried}
           due_at = case when due_at > leased_since then due_at
                    else now() + make_interval(secs => greatest(${wait}::float8, ${least} * (${times}))) end
     where user_id = ${user_id} and provider = ${provider} and team_id = ${team.id}
       and leased_since = ${leased_since}::timestamptz`.execute(db);
}
