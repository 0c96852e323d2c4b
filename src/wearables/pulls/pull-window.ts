import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx, TxCtx } from '../../context.ts';
import { inTransaction } from '../../db/transaction.ts';
import { publishEvents } from '../../events/publish.ts';
import { tellOfOutage } from '../connections/applications/outage.ts';
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
  type Window,
} from '../providers/importer.ts';
import { importerOrNull } from './importers.ts';
import { addPullJobs, type pullKind } from './schedule.ts';
import { storePulled } from './store-pulled.ts';
import { companionsOf } from './together.ts';

type Job = Static<(typeof pullKind)['payload']>;
type Claim = {
  importer: Importer;
  user: UserRow;
  /** What is asked for at once: the resource that the provider is asked for, and those whose pulls stand where its does. */
  resources: string[];
  lease: string;
  window: Window;
  range_start: string;
  isNewest: boolean;
};
/** By resource, on how many days there was data, and how many records were left out, by series and kind of summary. */
type Found = ReadonlyMap<string, { days: number; skipped: Record<string, number> }>;

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
  let outcome: { found: Found } | { error: PullError };
  try {
    outcome = { found: await pullFound(ctx, claim) };
  } catch (error) {
    if (ctx.stopping?.aborted || isGone(error)) return release(ctx, job, claim);
    const foreseen = foreseenOrNull(error);
    if (!foreseen) ctx.log.error({ err: error, provider: job.provider }, 'a pull failed');
    else if (foreseen.group !== 'limit_reached')
      tellOfOutage(ctx.log, { provider: job.provider, code: foreseen.group });
    outcome = { error: foreseen ?? new PullError('unexpected_error') };
  }
  ctx.count?.({ what: 'pull_window', provider: job.provider, outcome: wordOf(outcome) });
  await inTransaction(ctx, (tx) =>
    'error' in outcome ? putOff(tx, job, claim, outcome.error) : goOn(tx, job, claim, outcome.found),
  );
}

const wordOf = (outcome: { found: Found } | { error: PullError }): string => {
  if (!('error' in outcome)) return 'success';
  return outcome.error.wasHeldBack ? 'held_back' : outcome.error.group;
};

/** Stores what the window has. Of no time at all nobody is asked. */
async function pullFound(ctx: TeamCtx, { importer, user, resources, window, isNewest }: Claim): Promise<Found> {
  if (window.from >= window.to) return new Map(resources.map((resource) => [resource, { days: 0, skipped: {} }]));
  const stored = await storePulled(ctx, user, importer, { resources, window, past: true });
  // Some providers answer the days around as well: those are counted with the windows that they lie in.
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
 * Takes the next window for a while; null where somebody has it, the pull is over, or nothing may be pulled. Pulls whose data
 * the same questions bring are taken together while they stand at the same place. The try is counted before it is made: one that
 * ends the process is not made for ever.
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

type Place = { resource: string; pulled_from: string; range_start: string; range_end: string };

/**
 * Locks those of these pulls that are free, without those that have been tried too often, which end here. Each with what it is
 * asked for with: `resources` begin with the lead.
 */
async function claimRows(
  ctx: TxCtx<TeamCtx>,
  job: Job,
  resources: string[],
): Promise<(Place & { at_once: string[] })[]> {
  await sql`
    update pulls
       set status = 'failure', error_details = ${'retry_quota_exhausted' satisfies PullErrorGroup}, leased_until = null,
           ended_at = now()
     where ${isFree(ctx, job, resources)} and attempts >= ${MOST_ATTEMPTS}`.execute(ctx.db);
  // In one order, so that two claims wait for each other and not both for both.
  const { rows } = await sql<Place>`
    select resource, pulled_from, range_start, range_end from pulls
     where ${isFree(ctx, job, resources)} order by resource for no key update`.execute(ctx.db);
  const placeOf = ({ pulled_from, range_start, range_end }: Place): string =>
    [pulled_from, range_start, range_end].join(' ');
  return rows.map((row) => {
    const same = new Set(rows.filter((each) => placeOf(each) === placeOf(row)).map((each) => each.resource));
    const hasLead = same.has(resources[0] as string);
    return { ...row, at_once: hasLead ? resources.filter((name) => same.has(name)) : [row.resource] };
  });
}

/** The pulls of a claim, as long as nobody else has them. */
const isHeld = ({ team }: TeamCtx, { user_id, provider }: Job, { resources, lease }: Claim) => sql`
  user_id = ${user_id} and provider = ${provider} and resource = any (${resources}::text[]) and team_id = ${team.id}
  and leased_until = ${lease}::timestamptz`;

/** The window is stored: on to the one before it, or the end. Nothing happens where the lease was lost meanwhile. */
async function goOn(ctx: TxCtx<TeamCtx>, job: Job, claim: Claim, found: Found): Promise<void> {
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
                 select * from jsonb_each_text(${byResource}::jsonb -> resource -> 'skipped')) as each group by key) as sums),
           due_at = case when due_at = 'infinity' then due_at else now() end, status = ${isLast ? 'success' : 'in_progress'}, ended_at = case when ${isLast} then now() end
     where ${isHeld(ctx, job, claim)}
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

/** The first of a claim's resources that it still has. */
const leadIn = ({ resources }: Claim, rows: { resource: string }[]): string =>
  resources.find((name) => rows.some(({ resource }) => resource === name)) as string;

/** Tried again later where that may help, and not more than eight times in a row; what was held back was no try. */
async function putOff(
  ctx: TxCtx<TeamCtx>,
  job: Job,
  claim: Claim,
  { group, retryAfterSeconds, wasHeldBack }: PullError,
): Promise<void> {
  const { rows } = await sql<{ resource: string; attempts: number }>`
    update pulls set attempts = attempts - ${wasHeldBack ? 1 : 0}
     where ${isHeld(ctx, job, claim)}
    returning resource, attempts`.execute(ctx.db);
  if (rows.length === 0) return;
  const attempts = Math.max(...rows.map((row) => row.attempts));
  const again = isRetriable(group) && attempts < MOST_ATTEMPTS;
  const told: PullErrorGroup = again || !isRetriable(group) ? group : 'retry_quota_exhausted';
  const wait = Math.min(FIRST_WAIT_SECONDS * 2 ** Math.max(attempts - 1, 0), LONGEST_WAIT_SECONDS);
  const seconds = Math.max(retryAfterSeconds ?? 0, wait);
  await sql`
    update pulls
       set status = ${again ? 'retrying' : 'failure'}, error_details = ${told}, leased_until = null,
           due_at = case when due_at = 'infinity' then due_at else now() + make_interval(secs => ${seconds}) end,
           ended_at = case when ${!again} then now() end
     where ${isHeld(ctx, job, claim)}`.execute(ctx.db);
  if (again) await addPullJobs(ctx, job, [leadIn(claim, rows)], seconds);
}

/** A process that stops leaves the window to the next, and has not tried. */
async function release(ctx: TeamCtx, job: Job, claim: Claim): Promise<void> {
  await sql`
    update pulls set leased_until = null, attempts = attempts - 1 where ${isHeld(ctx, job, claim)}`.execute(ctx.db);
}
