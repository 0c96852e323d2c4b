import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx, TxCtx } from '../../context.ts';
import { inTransaction } from '../../db/transaction.ts';
import { publishEvents } from '../../events/publish.ts';
import { logOutage } from '../connections/applications/log-outage.ts';
import { findUser, type UserRow } from '../../users/find.ts';
import { calendarDateOf, clockOf, dayEdges } from '../calendar-date.ts';
import { pullCompleted } from './events.ts';
import { WITHOUT_PROVIDER_SECONDS } from './poll.ts';
import {
  foreseenOrNull,
  isGone,
  isRetriable,
  PullError,
  type Importer,
  type PullErrorGroup,
  type TimeWindow,
} from '../providers/importer.ts';
import { importerOrNull } from './importers.ts';
import { addPullJobs, type pullKind } from './schedule-pulls.ts';
import { storePulled } from './store-pulled.ts';
import { companionsOf } from './companions.ts';

type Job = Static<(typeof pullKind)['payload']>;
type Claim = {
  importer: Importer;
  user: UserRow;
  /**
   * The resources of one request: the lead (the resource that others name in `with`), and resources that come with it.
   * The pulls of all of them have reached the same window.
   */
  resources: string[];
  lease: string;
  window: TimeWindow;
  range_start: string;
  isNewest: boolean;
};
/**
 * For each resource, the number of days with data, and how many records were not stored, by series and kind of summary.
 */
type PulledCounts = ReadonlyMap<string, { days: number; skipped: Record<string, number> }>;

/**
 * The time of a lease in seconds. It is the longest time that the pull of a window may take. If a process is killed,
 * another process takes the lease after this time.
 */
const LEASE_SECONDS = 300;
const MAX_ATTEMPTS = 8;
/**
 * The wait between two tries in seconds. It doubles each time, up to an hour. A longer wait that the provider asks for
 * has precedence.
 */
const FIRST_WAIT_SECONDS = 15;
const LONGEST_WAIT_SECONDS = 3_600;

/**
 * Pulls the newest window that is not pulled yet, and queues the next one. The last window ends the pull and publishes
 * its event. If a process was killed within a window, the whole window is pulled again. This stores nothing twice.
 */
export async function pullWindow(ctx: TeamCtx, job: Job): Promise<void> {
  const claim = await inTransaction(ctx, (tx) => claimWindow(tx, job));
  if (!claim) return;
  let outcome: { found: PulledCounts } | { error: PullError };
  try {
    outcome = { found: await pullFound(ctx, claim) };
  } catch (error) {
    if (ctx.stopping?.aborted || isGone(error)) return release(ctx, job, claim);
    const foreseen = foreseenOrNull(error);
    if (!foreseen) ctx.log.error({ err: error, provider: job.provider }, 'a pull failed');
    else if (foreseen.group !== 'limit_reached') logOutage(ctx.log, { provider: job.provider, code: foreseen.group });
    outcome = { error: foreseen ?? new PullError('unexpected_error') };
  }
  ctx.count?.({ what: 'pull_window', provider: job.provider, outcome: wordOf(outcome) });
  await inTransaction(ctx, (tx) =>
    'error' in outcome ? postpone(tx, job, claim, outcome.error) : continuePull(tx, job, claim, outcome.found),
  );
}

const wordOf = (outcome: { found: PulledCounts } | { error: PullError }): string => {
  if (!('error' in outcome)) return 'success';
  return outcome.error.isDeferred ? 'held_back' : outcome.error.group;
};

/** Pulls and stores the data of the window. An empty window needs no request. */
async function pullFound(ctx: TeamCtx, { importer, user, resources, window, isNewest }: Claim): Promise<PulledCounts> {
  if (window.from >= window.to) return new Map(resources.map((resource) => [resource, { days: 0, skipped: {} }]));
  const stored = await storePulled(ctx, user, importer, { resources, window, past: true });
  // Some providers also return the days around the window. Those days count with the windows to which they belong.
  const [first, end] = [window.from, window.to].map((moment) => calendarDateOf(moment, clockOf({}, user))) as [
    string,
    string,
  ];
  const isOfWindow = (day: string): boolean => day >= first && (day < end || isNewest);
  return new Map(
    [...stored].map(([resource, { days, skipped }]) => [
      resource,
      { days: [...days].filter(isOfWindow).length, skipped },
    ]),
  );
}

/**
 * Returns the beginning of a window of at most `days` days. It is the beginning of one of the user's days, so that no
 * day is in two windows and counts twice.
 */
function beginOf(user: UserRow, to: string, days: number): string {
  const earliest = new Date(Date.parse(to) - days * 86_400_000).toISOString();
  const clock = clockOf({}, user);
  const { start, end } = dayEdges(calendarDateOf(earliest, clock), clock);
  const begin = start === earliest ? start : end;
  return begin < to ? begin : earliest;
}

/**
 * Leases the next window. Returns null if another process has the lease, if the pull is over, or if nothing may be
 * pulled. If one request brings several resources, leases their pulls together, as long as these have reached the same
 * window. Counts the try before the work begins. If it were counted afterwards, a try that crashes the process would be
 * repeated forever.
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
  const importer = importerOrNull(ctx, { provider, ...connection });
  const days = importer?.resources[resource]?.windowDays;
  if (!importer || days === undefined) {
    await sql`
      update pulls set due_at = now() + make_interval(secs => ${WITHOUT_PROVIDER_SECONDS})
       where ${isFree(ctx, job, [resource])} and due_at <> 'infinity'`.execute(ctx.db);
    return null;
  }
  const found = await claimRows(ctx, job, companionsOf(importer, resource));
  const own = found.find((row) => row.resource === resource);
  if (!own) return null;
  const { rows } = await sql<{ lease: string }>`
    update pulls
       set status = 'in_progress', error_details = null, started_at = coalesce(started_at, now()),
           attempts = attempts + 1, leased_until = now() + make_interval(secs => ${LEASE_SECONDS})
     where ${isFree(ctx, job, own.at_once)}
    returning leased_until::text as lease`.execute(ctx.db);
  const user = await findUser(ctx, user_id);
  const from = beginOf(user, own.pulled_from, days);
  return {
    importer,
    user,
    resources: own.at_once,
    lease: (rows[0] as { lease: string }).lease,
    range_start: own.range_start,
    isNewest: own.pulled_from === own.range_end,
    window: { from: from > own.range_start ? from : own.range_start, to: own.pulled_from },
  };
}

const isFree = ({ team }: TeamCtx, { user_id, provider }: Job, resources: readonly string[]) => sql`
  user_id = ${user_id} and provider = ${provider} and resource = any (${resources}::text[]) and team_id = ${team.id}
  and ended_at is null and (leased_until is null or leased_until < now())`;

type PullRow = { resource: string; pulled_from: string; range_start: string; range_end: string };

/**
 * Locks and returns the pulls of these resources that no process has leased. Ends pulls that were tried too often, and
 * leaves them out. `at_once` has the resources of one request, the lead first.
 */
async function claimRows(
  ctx: TxCtx<TeamCtx>,
  job: Job,
  resources: string[],
): Promise<(PullRow & { at_once: string[] })[]> {
  await sql`
    update pulls
       set status = 'failure', error_details = ${'retry_quota_exhausted' satisfies PullErrorGroup}, leased_until = null,
           ended_at = now()
     where ${isFree(ctx, job, resources)} and attempts >= ${MAX_ATTEMPTS}`.execute(ctx.db);
  // All claims lock rows in this order. Otherwise two claims could deadlock.
  const { rows } = await sql<PullRow>`
    select resource, pulled_from, range_start, range_end from pulls
     where ${isFree(ctx, job, resources)} order by resource for no key update`.execute(ctx.db);
  const windowKeyOf = ({ pulled_from, range_start, range_end }: PullRow): string =>
    [pulled_from, range_start, range_end].join(' ');
  return rows.map((row) => {
    const same = new Set(rows.filter((each) => windowKeyOf(each) === windowKeyOf(row)).map((each) => each.resource));
    const hasLead = same.has(resources[0] as string);
    return { ...row, at_once: hasLead ? resources.filter((name) => same.has(name)) : [row.resource] };
  });
}

/** SQL for those pulls of a claim for which this process still has the lease. */
const isLeased = ({ team }: TeamCtx, { user_id, provider }: Job, { resources, lease }: Claim) => sql`
  user_id = ${user_id} and provider = ${provider} and resource = any (${resources}::text[]) and team_id = ${team.id}
  and leased_until = ${lease}::timestamptz`;

/**
 * Continues a pull after its window was stored: queues the window before it in time, or ends the pull. Does nothing if
 * this process has lost the lease.
 */
async function continuePull(ctx: TxCtx<TeamCtx>, job: Job, claim: Claim, found: PulledCounts): Promise<void> {
  const { user, window, range_start } = claim;
  const isLast = window.from <= range_start;
  const byResource = JSON.stringify(Object.fromEntries(found));
  const { rows } = await sql<{ resource: string; range_start: string; range_end: string }>`
    update pulls
       set pulled_from = ${window.from}, attempts = 0, leased_until = null,
           days_with_data = days_with_data + (${byResource}::jsonb -> resource ->> 'days')::integer,
           skipped = (
             select coalesce(jsonb_object_agg(type, many), '{}') from (
               select key as type, sum(value::bigint) as many from (
                 select * from jsonb_each_text(skipped)
                  union all
                 select * from jsonb_each_text(${byResource}::jsonb -> resource -> 'skipped')) as each
                group by key) as sums),
           due_at = case when due_at = 'infinity' then due_at else now() end,
           status = ${isLast ? 'success' : 'in_progress'}, ended_at = case when ${isLast} then now() end
     where ${isLeased(ctx, job, claim)}
    returning resource, range_start, range_end`.execute(ctx.db);
  if (rows.length === 0) return;
  if (!isLast) return addPullJobs(ctx, job, [leadIn(claim, rows)]);
  await publishEvents(
    ctx,
    rows.map(({ resource, range_start: start_date, range_end: end_date }) => ({
      type: pullCompleted(resource),
      user,
      data: { user_id: user.id, start_date, end_date, is_final: true, provider: job.provider } as never,
    })),
  );
}

/** Returns the first resource of a claim for which this process still has the lease. */
const leadIn = ({ resources }: Claim, rows: { resource: string }[]): string =>
  resources.find((name) => rows.some(({ resource }) => resource === name)) as string;

/** Schedules another try if one may succeed, at most eight in a row. A deferred window does not count as a try. */
async function postpone(
  ctx: TxCtx<TeamCtx>,
  job: Job,
  claim: Claim,
  { group, retryAfterSeconds, isDeferred }: PullError,
): Promise<void> {
  const { rows } = await sql<{ resource: string; attempts: number }>`
    update pulls set attempts = attempts - ${isDeferred ? 1 : 0}
     where ${isLeased(ctx, job, claim)}
    returning resource, attempts`.execute(ctx.db);
  if (rows.length === 0) return;
  const attempts = Math.max(...rows.map((row) => row.attempts));
  const again = isRetriable(group) && attempts < MAX_ATTEMPTS;
  const errorGroup: PullErrorGroup = again || !isRetriable(group) ? group : 'retry_quota_exhausted';
  const wait = Math.min(FIRST_WAIT_SECONDS * 2 ** Math.max(attempts - 1, 0), LONGEST_WAIT_SECONDS);
  const seconds = Math.max(retryAfterSeconds ?? 0, wait);
  await sql`
    update pulls
       set status = ${again ? 'retrying' : 'failure'}, error_details = ${errorGroup}, leased_until = null,
           due_at = case when due_at = 'infinity' then due_at else now() + make_interval(secs => ${seconds}) end,
           ended_at = case when ${!again} then now() end
     where ${isLeased(ctx, job, claim)}`.execute(ctx.db);
  if (again) await addPullJobs(ctx, job, [leadIn(claim, rows)], seconds);
}

/**
 * Ends the lease when the process stops, so that another process can pull the window at once. The try does not count.
 */
async function release(ctx: TeamCtx, job: Job, claim: Claim): Promise<void> {
  await sql`
    update pulls set leased_until = null, attempts = attempts - 1 where ${isLeased(ctx, job, claim)}`.execute(ctx.db);
}
