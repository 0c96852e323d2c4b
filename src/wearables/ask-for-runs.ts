// When data of a user arrives, this file requests a run of each continuous query that reads such data. It only finds
// the queries, so that writes of data stay fast. aggregate/continuous computes the runs.
import { sql, type RawBuilder } from 'kysely';
import { Type, type Static } from 'typebox';
import type { TeamCtx, TxCtx } from '../context.ts';
import { addJobs, jobKind } from '../db/define-job.ts';
import { MIN_ID } from '../ids.ts';
import { Uuid } from '../wire/schema.ts';
import { becomeWriter } from './user-writer.ts';

/** The job that runs one continuous query for one user. */
export const runKind = jobKind({
  name: 'run_continuous_query',
  payload: Type.Object({ team_id: Uuid, user_id: Uuid, query_id: Uuid }),
  key: ({ user_id, query_id }) => `run ${user_id} ${query_id}`,
  class: 'queries',
});

/** The job that requests the runs of a query for all users, in steps. */
export const spreadKind = jobKind({
  name: 'spread_continuous_query',
  payload: Type.Object({ team_id: Uuid, query_id: Uuid }),
  key: ({ query_id }) => `spread ${query_id}`,
});

/** The delay before a run, in seconds. Changes that arrive in this time need no run of their own. */
const GATHER_SECONDS = 5;
/**
 * For each waiting run of a team, this number of seconds is added to the delay. So a team with many runs does not delay
 * other teams.
 */
const GATHER_MORE_SECONDS = 0.1;
const MAX_COUNTED = 200;

/**
 * A process caches the list of the resources that a team's queries read. This is the longest age of that list in
 * milliseconds. No change of data is missed with an old list: the first run of a new query begins later than this time
 * (runs/spread-query.ts), and each run waits for the transactions that are writing data.
 */
export const CACHE_MS = 5_000;
const MAX_TEAMS = 10_000;

const cachedResources = new Map<string, { until: number; resources: ReadonlySet<string> }>();

/** Deletes the team's resources from this process's cache, because the team's queries have changed. */
export const forgetQueries = (teamId: string): boolean => cachedResources.delete(teamId);

/**
 * Requests a run for this user of each of the team's queries that reads one of these series or kinds of summaries. If a
 * run of the query waits already, requests none. Call it in the transaction that stores the data, after the transaction
 * has become the user's only writer (user-writer.ts). If another transaction is erasing a query, the statement waits
 * for the lock of its row. Then the row is gone and no run is requested.
 */
export async function askForRuns(
  ctx: TxCtx<TeamCtx>,
  user: { id: string },
  resources: Iterable<string>,
): Promise<void> {
  const read = await resourcesRead(ctx);
  if (read.size === 0) return;
  const changed = [...new Set(resources)].filter((resource) => read.has(resource));
  if (changed.length === 0) return;
  const { rows } = await sql<Static<typeof runKind.payload> & { way: number }>`
    with asked as (
      insert into continuous_query_tasks (user_id, query_id, team_id)
      select ${user.id}, id, team_id from continuous_queries
       where team_id = ${ctx.team.id} and active and deleted_at is null and resource = any (${changed}::text[])
       order by id for key share
      on conflict (user_id, query_id) where status = 'scheduled' do nothing
      returning team_id, user_id, query_id
    )
    select asked.*, under.way
      from asked, (
             select count(*)::integer as way from (
               select from continuous_query_tasks where team_id = ${ctx.team.id} and status = 'scheduled' limit
                 ${MAX_COUNTED}
             ) as counted
           ) as under`.execute(ctx.db);
  const jobs = rows.map(({ way, ...payload }) => ({
    payload,
    delaySeconds: GATHER_SECONDS + way * GATHER_MORE_SECONDS,
  }));
  await addJobs(ctx.db, runKind, jobs);
}

/**
 * Requests a run for this user of each of the team's queries that reads any data of the user. Call it when something
 * changes that affects all runs, for example the user's time zone. First this transaction becomes the user's only
 * writer, so that a waiting run begins only after the commit. Otherwise the waiting run could miss the change, and this
 * transaction would request no other run.
 */
export async function askForAllRuns(ctx: TxCtx<TeamCtx>, user: { id: string }): Promise<void> {
  const read = await resourcesRead(ctx);
  if (read.size === 0) return;
  await becomeWriter(ctx, user.id);
  const { rows } = await sql<{ resource: string }>`
    select resource from unnest(${[...read]}::text[]) as resource
     where ${hasAny(sql`${user.id}::uuid`, sql`resource`)}`.execute(ctx.db);
  await askForRuns(
    ctx,
    user,
    rows.map(({ resource }) => resource),
  );
}

/** Returns SQL that is true if a user has any data of a series or of a kind of summary. */
export const hasAny = (userId: RawBuilder<unknown>, resource: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  (exists (select from streams s where s.user_id = ${userId} and s.resource = ${resource})
   or exists (select from summaries s where s.user_id = ${userId} and s.resource = ${resource}))`;

/**
 * Requests the runs of some of the team's queries for all users. `which` is the SQL condition that chooses the queries.
 * This function only marks the queries and starts their spreads (spread-query.ts), which request the runs in steps. So
 * it takes the same time for any number of users. Without `waitSeconds`, a spread that waits already keeps its time.
 * With `waitSeconds`, the spread begins after that time, so that all processes know the query by then.
 */
export async function askForRunsOfTeam(
  { db, team }: TxCtx<TeamCtx>,
  { which, waitSeconds }: { which: RawBuilder<unknown>; waitSeconds?: number },
): Promise<void> {
  const { rows } = await sql<Static<typeof spreadKind.payload>>`
    update continuous_queries set spread_after = ${MIN_ID}
     where team_id = ${team.id} and id = any (array (
       select id from continuous_queries
        where team_id = ${team.id} and active and deleted_at is null and ${which}
        order by id for no key update))
    returning team_id, id as query_id`.execute(db);
  const when =
    waitSeconds === undefined
      ? { delaySeconds: GATHER_SECONDS, shouldPreserveRunAt: true as const }
      : { delaySeconds: waitSeconds };
  await addJobs(
    db,
    spreadKind,
    rows.map((payload) => ({ payload, ...when })),
  );
}

async function resourcesRead({ db, team }: TxCtx<TeamCtx>): Promise<ReadonlySet<string>> {
  const known = cachedResources.get(team.id);
  if (known && known.until > performance.now()) return known.resources;
  const rows = await db
    .selectFrom('continuous_queries')
    .select('resource')
    .where('team_id', '=', team.id)
    .where('active', '=', true)
    .where('deleted_at', 'is', null)
    .execute();
  if (cachedResources.size >= MAX_TEAMS) cachedResources.clear();
  const resources = new Set(rows.map(({ resource }) => resource));
  cachedResources.set(team.id, { until: performance.now() + CACHE_MS, resources });
  return resources;
}
