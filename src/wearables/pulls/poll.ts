// What is new of a connection, again and again. When it is due stands in polls, where two triggers write as well: while a
// connection brings nothing (migration 0025), or its user is leaving (migration 0033), it is due at infinity.
import { sql } from 'kysely';
import type { TeamCtx } from '../../context.ts';
import { tellOfOutage } from '../connections/applications/outage.ts';
import { DAY_ENDS_HOURS } from '../../users/ingestion-bounds.ts';
import { claimPoll, holdPoll, letGo, type Claim, type Polled } from './poll-lease.ts';
import { foreseenOrNull, isGone, type PullError, type Importer, type Window } from '../providers/importer.ts';
import { grantedResources, importerOrNull } from './importers.ts';
import { storePulled, type Stored } from './store-pulled.ts';
import { together } from './together.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Between looks at a connection to a provider that is not configured any more. */
export const WITHOUT_PROVIDER_SECONDS = 3_600;
/** The least before what was held back is tried again. */
const HELD_BACK_SECONDS = 60;

/** How it went; `wait`: seconds for which the provider takes no more. What was held back was no try. */
type Outcome = { succeeded: boolean; wait: number; heldBack: boolean };

/** Polls a connection that is due, unless somebody does already. */
export async function pollConnection(ctx: TeamCtx, job: Polled): Promise<void> {
  const claim = await claimPoll(ctx, job, { whenDue: true });
  if (!claim) return;
  const outcome = await poll(ctx, claim);
  if (outcome) {
    const word = outcome.heldBack ? 'held_back' : outcome.succeeded ? 'success' : 'failure';
    ctx.count?.({ what: 'poll', provider: job.provider, outcome: word });
    await finish(ctx, claim, outcome);
  }
  await letGo(ctx, claim);
}

/** Everything that the connection brings. */
async function poll(ctx: TeamCtx, claim: Claim): Promise<(Outcome & { every: number }) | null> {
  const importer = importerOrNull(ctx, claim.connection);
  if (!importer) return { succeeded: false, wait: 0, heldBack: false, every: WITHOUT_PROVIDER_SECONDS };
  const window = lastDays(importer, claim);
  const resources = grantedResources(importer, claim.connection).filter(
    (name) => importer.resources[name]?.polled !== false,
  );
  const windows = window === null ? [] : together(importer, resources).map((asked) => ({ resources: asked, window }));
  const outcome = await pullWindows(ctx, claim, { importer, windows });
  return outcome && { ...outcome, every: importer.pollEverySeconds };
}

/**
 * The days that polls pull again: the last ones, or the last ones of which the user's data is taken, since some of it comes
 * late. Null where nothing is kept of any of them, yet or any more.
 */
export function lastDays(
  { pollDays }: Importer,
  { user, connection }: Pick<Claim, 'user' | 'connection'>,
): Window | null {
  const { ingestion_start: first, ingestion_end: last } = user;
  const now = Date.now();
  const until = last === null ? now : Math.min(now, Date.parse(last) + DAY_ENDS_HOURS * HOUR_MS);
  const dayOf = (moment: number): string => new Date(moment).toISOString().slice(0, 10);
  // Where clocks are furthest ahead it is tomorrow.
  if (connection.is_over || (first !== null && first > dayOf(until + DAY_MS))) return null;
  return { from: `${dayOf(until - pollDays * DAY_MS)}T00:00:00.000Z`, to: new Date(until).toISOString() };
}

/**
 * Pulls these windows, each of the resources that are asked for at once, by who holds the connection's poll; unchanged values
 * are told of to nobody. `stored` hears of each that came whole. Null where the user is gone, somebody else has the poll meanwhile or the process
 * stops.
 */
export async function pullWindows<T extends { resources: readonly string[]; window: Window }>(
  ctx: TeamCtx,
  claim: Claim,
  {
    importer,
    windows,
    stored,
  }: { importer: Importer; windows: T[]; stored?: (asked: T, what: ReadonlyMap<string, Stored>) => Promise<void> },
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
        tellOfOutage(ctx.log, { provider: claim.connection.provider, code: foreseen.group });
      if (foreseen?.group === 'provider_rate_limit_exceeded') refused = foreseen;
    }
    // Nothing was asked where it was held back: how it went before still stands.
    if (!refused?.wasHeldBack && !(await holdPoll(ctx, claim, { resources, window, succeeded: came, skipped })))
      return null;
    if (refused) return { succeeded, wait: refused.retryAfterSeconds ?? 0, heldBack: refused.wasHeldBack };
  }
  return { succeeded, wait: 0, heldBack: false };
}

/**
 * What fails is asked for again later and later; what was held back, once it may be. When somebody has said meanwhile when
 * it is due, as a refresh or the end of the connection does, that stands.
 */
async function finish(
  { db, team }: TeamCtx,
  { poll: { user_id, provider, held_since } }: Claim,
  { succeeded, wait, heldBack, every }: Outcome & { every: number },
): Promise<void> {
  const tried = sql`
    attempted_at = held_since, succeeded = ${succeeded}, failures = case when ${succeeded} then 0 else failures + 1 end,`;
  const least = heldBack ? HELD_BACK_SECONDS : every;
  const times = succeeded || heldBack ? sql`1` : sql`1 + least(failures, 8)`;
  await sql`
    update polls
       set ${heldBack ? sql`` : tried}
           due_at = case when due_at > held_since then due_at else now() + make_interval(secs => greatest(${wait}::float8, ${least} * (${times}))) end
     where user_id = ${user_id} and provider = ${provider} and team_id = ${team.id}
       and held_since = ${held_since}::timestamptz`.execute(db);
}
