import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx, TxCtx } from '../../context.ts';
import { inTransaction } from '../../db/transaction.ts';
import { publishEvent } from '../../events/publish.ts';
import { tellOfOutage } from '../connections/providers/outage.ts';
import { findUser, type UserRow } from '../../users/find.ts';
import { calendarDateOf, clockOf, dayEdges } from '../calendar-date.ts';
import { pullCompleted } from './events.ts';
import { WITHOUT_PROVIDER_SECONDS } from './poll.ts';
import { isGone, isRetriable, PullError, type Puller, type PullErrorGroup, type Window } from './puller.ts';
import { pullerOrNull } from './pullers.ts';
import { addPullJobs, type pullKind } from './schedule.ts';
import { storePulled } from './store-pulled.ts';

type Job = Static<(typeof pullKind)['payload']>;
type Claim = { puller: Puller; user: UserRow; lease: string; window: Window; range_start: string; isNewest: boolean };

/** As long as a window may take; whoever was killed meanwhile is followed by another. */
const LEASE_SECONDS = 300;
const MOST_ATTEMPTS = 8;
/** Between tries, doubled each time, at most an hour; longer where the provider asks for more. */
const FIRST_WAIT_SECONDS = 15;
const LONGEST_WAIT_SECONDS = 3_600;

/**
 * Pulls the newest window that is not pulled yet, and asks for the next one; the last one ends the pull and tells of it.
 * What a kill cut off is pulled again whole, which stores nothing twice.
 */
export async function pullWindow(ctx: TeamCtx, job: Job): Promise<void> {
  const claim = await inTransaction(ctx, (tx) => claimWindow(tx, job));
  if (!claim) return;
  let outcome: { days: number } | { error: PullError };
  try {
    outcome = { days: await pullDays(ctx, job, claim) };
  } catch (error) {
    if (ctx.stopping?.aborted || isGone(error)) return release(ctx, job, claim);
    if (!(error instanceof PullError)) ctx.log.error({ err: error, provider: job.provider }, 'a pull failed');
    else tellOfOutage(ctx.log, { provider: job.provider, code: error.group });
    outcome = { error: error instanceof PullError ? error : new PullError('unexpected_error') };
  }
  ctx.count?.({ what: 'pull_window', provider: job.provider, outcome: wordOf(outcome) });
  await inTransaction(ctx, (tx) =>
    'error' in outcome ? putOff(tx, job, claim, outcome.error) : goOn(tx, job, claim, outcome.days),
  );
}

const wordOf = (outcome: { days: number } | { error: PullError }): string => {
  if (!('error' in outcome)) return 'success';
  return outcome.error.wasHeldBack ? 'held_back' : outcome.error.group;
};

/** Stores what the window has; how many days of data that are. Of no time at all nobody is asked. */
async function pullDays(ctx: TeamCtx, { resource }: Job, { puller, user, window, isNewest }: Claim): Promise<number> {
  if (window.from >= window.to) return 0;
  const { days } = await storePulled(ctx, user, puller, { resource, window, past: true });
  // Some providers answer the days around as well: those are counted with the windows that they lie in.
  const [first, end] = [window.from, window.to].map((moment) => calendarDateOf(moment, clockOf({}, user))) as [
    string,
    string,
  ];
  return [...days].filter((day) => day >= first && (day < end || isNewest)).length;
}

/**
 * Where a window of at most so many days begins: with a day of the user, so that no day lies in two windows, of which each
 * would count it or neither.
 */
function beginOf(user: UserRow, to: string, days: number): string {
  const earliest = new Date(Date.parse(to) - days * 86_400_000).toISOString();
  const clock = clockOf({}, user);
  const { start, end } = dayEdges(calendarDateOf(earliest, clock), clock);
  const begin = start === earliest ? start : end;
  return begin < to ? begin : earliest;
}

/**
 * Takes the next window for a while; null where somebody has it, the pull is over, or nothing may be pulled. The try is
 * counted before it is made: one that ends the process is not made for ever.
 */
async function claimWindow(ctx: TxCtx<TeamCtx>, job: Job): Promise<Claim | null> {
  const { user_id, provider, resource } = job;
  const connection = await ctx.db
    .selectFrom('connections')
    .innerJoin('users', 'users.id', 'connections.user_id')
    .select(['connections.demo', 'connections.credential_id'])
    .where('connections.user_id', '=', user_id)
    .where('connections.provider', '=', provider)
    .where('connections.team_id', '=', ctx.team.id)
    .where('connections.status', '=', 'connected')
    .where('users.deleted_at', 'is', null)
    .executeTakeFirst();
  if (!connection) return null;
  const isFree = sql`
    user_id = ${user_id} and provider = ${provider} and resource = ${resource} and team_id = ${ctx.team.id}
    and ended_at is null and (leased_until is null or leased_until < now())`;
  const puller = pullerOrNull(ctx, { provider, ...connection });
  const days = puller?.resources[resource]?.windowDays;
  if (!puller || days === undefined) {
    await sql`
      update pulls set due_at = now() + make_interval(secs => ${WITHOUT_PROVIDER_SECONDS})
       where ${isFree} and due_at <> 'infinity'`.execute(ctx.db);
    return null;
  }
  await sql`
    update pulls
       set status = 'failure', error_details = ${'retry_quota_exhausted' satisfies PullErrorGroup}, leased_until = null,
           ended_at = now()
     where ${isFree} and attempts >= ${MOST_ATTEMPTS}`.execute(ctx.db);
  const {
    rows: [row],
  } = await sql<{ pulled_from: string; range_start: string; range_end: string; lease: string }>`
    update pulls
       set status = 'in_progress', error_details = null, started_at = coalesce(started_at, now()),
           attempts = attempts + 1, leased_until = now() + make_interval(secs => ${LEASE_SECONDS})
     where ${isFree}
    returning pulled_from, range_start, range_end, leased_until::text as lease`.execute(ctx.db);
  if (!row) return null;
  const user = await findUser(ctx, user_id);
  const from = beginOf(user, row.pulled_from, days);
  return {
    puller,
    user,
    lease: row.lease,
    range_start: row.range_start,
    isNewest: row.pulled_from === row.range_end,
    window: { from: from > row.range_start ? from : row.range_start, to: row.pulled_from },
  };
}

/** The window is stored: on to the one before it, or the end. Nothing happens where the lease was lost meanwhile. */
async function goOn(
  ctx: TxCtx<TeamCtx>,
  job: Job,
  { user, lease, window, range_start }: Claim,
  days: number,
): Promise<void> {
  const isLast = window.from <= range_start;
  const {
    rows: [row],
  } = await sql<{ range_start: string; range_end: string }>`
    update pulls
       set pulled_from = ${window.from}, days_with_data = days_with_data + ${days}, attempts = 0, leased_until = null,
           due_at = case when due_at = 'infinity' then due_at else now() end, status = ${isLast ? 'success' : 'in_progress'}, ended_at = case when ${isLast} then now() end
     where user_id = ${job.user_id} and provider = ${job.provider} and resource = ${job.resource}
       and team_id = ${ctx.team.id} and leased_until = ${lease}::timestamptz
    returning range_start, range_end`.execute(ctx.db);
  if (!row) return;
  if (!isLast) return addPullJobs(ctx, job, [job.resource]);
  await publishEvent(ctx, pullCompleted(job.resource), {
    user,
    data: {
      user_id: user.id,
      start_date: row.range_start,
      end_date: row.range_end,
      is_final: true,
      provider: job.provider,
    } as never,
  });
}

/** Tried again later where that may help, and not more than eight times in a row; what was held back was no try. */
async function putOff(
  ctx: TxCtx<TeamCtx>,
  job: Job,
  { lease }: Claim,
  { group, retryAfterSeconds, wasHeldBack }: PullError,
): Promise<void> {
  const {
    rows: [row],
  } = await sql<{ attempts: number }>`
    update pulls set attempts = attempts - ${wasHeldBack ? 1 : 0}
     where user_id = ${job.user_id} and provider = ${job.provider} and resource = ${job.resource}
       and team_id = ${ctx.team.id} and leased_until = ${lease}::timestamptz
    returning attempts`.execute(ctx.db);
  if (!row) return;
  const again = isRetriable(group) && row.attempts < MOST_ATTEMPTS;
  const told: PullErrorGroup = again || !isRetriable(group) ? group : 'retry_quota_exhausted';
  const wait = Math.min(FIRST_WAIT_SECONDS * 2 ** Math.max(row.attempts - 1, 0), LONGEST_WAIT_SECONDS);
  const seconds = Math.max(retryAfterSeconds ?? 0, wait);
  await sql`
    update pulls
       set status = ${again ? 'retrying' : 'failure'}, error_details = ${told}, leased_until = null,
           due_at = case when due_at = 'infinity' then due_at else now() + make_interval(secs => ${seconds}) end,
           ended_at = case when ${!again} then now() end
     where user_id = ${job.user_id} and provider = ${job.provider} and resource = ${job.resource}
       and team_id = ${ctx.team.id}`.execute(ctx.db);
  if (again) await addPullJobs(ctx, job, [job.resource], seconds);
}

/** A process that stops leaves the window to the next, and has not tried. */
async function release(ctx: TeamCtx, job: Job, { lease }: Claim): Promise<void> {
  await sql`
    update pulls set leased_until = null, attempts = attempts - 1
     where user_id = ${job.user_id} and provider = ${job.provider} and resource = ${job.resource}
       and team_id = ${ctx.team.id} and leased_until = ${lease}::timestamptz`.execute(ctx.db);
}
