// What came in asks for the continuous queries that read it. They are computed in a room above (aggregate/continuous): here
// is only who may have to be, which every write pays for.
import { sql, type RawBuilder } from 'kysely';
import { Type, type Static } from 'typebox';
import type { TeamCtx, TxCtx } from '../context.ts';
import { addJobs, jobKind } from '../db/define-job.ts';
import { LEAST_ID } from '../ids.ts';
import { Uuid } from '../wire/schema.ts';
import { becomeWriter } from './one-writer.ts';

/** One continuous query for one user. */
export const runKind = jobKind({
  name: 'run_continuous_query',
  payload: Type.Object({ team_id: Uuid, user_id: Uuid, query_id: Uuid }),
  key: ({ user_id, query_id }) => `run ${user_id} ${query_id}`,
  class: 'queries',
});

/** The runs of a query for all users, asked for in steps. */
export const spreadKind = jobKind({
  name: 'spread_continuous_query',
  payload: Type.Object({ team_id: Uuid, query_id: Uuid }),
  key: ({ query_id }) => `spread ${query_id}`,
});

/** What comes in within this time of the first change is computed at once. */
const GATHER_SECONDS = 5;
/** What a team has many of waits longer for more, behind those of others. */
const GATHER_MORE_SECONDS = 0.1;
const MOST_COUNTED = 200;

/**
 * How long a process may believe what a team's queries read. A new query is first computed later than that (runs/spread.ts),
 * and each run waits for whoever is writing: nothing that came in meanwhile is missed.
 */
export const BELIEVED_MS = 5_000;
const MOST_TEAMS = 10_000;

const believed = new Map<string, { until: number; resources: ReadonlySet<string> }>();

/** This process looks anew: the team's queries have changed. */
export const forgetQueries = (teamId: string): boolean => believed.delete(teamId);

/**
 * Asks for a run of each query of the team that reads one of these series or kinds of summaries of the user, unless one
 * waits already. A query that is erased meanwhile is waited for and left out: its lock finds it gone. In the transaction that stores what came in, whose writer has the user to itself (one-writer.ts).
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
               select from continuous_query_tasks where team_id = ${ctx.team.id} and status = 'scheduled' limit ${MOST_COUNTED}
             ) as counted
           ) as under`.execute(ctx.db);
  const jobs = rows.map(({ way, ...payload }) => ({
    payload,
    delaySeconds: GATHER_SECONDS + way * GATHER_MORE_SECONDS,
  }));
  await addJobs(ctx.db, runKind, jobs);
}

/**
 * Asks for a run of each query of the team that reads something the user has: what all of them depend on is another now, as the
 * user's time zone. The writer of the user is waited for, so that a run that begins meanwhile is not taken for one that waits.
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

/** Whether a user has something of a series or of a kind of summary. */
export const hasAny = (userId: RawBuilder<unknown>, resource: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  (exists (select from streams s where s.user_id = ${userId} and s.resource = ${resource})
   or exists (select from summaries s where s.user_id = ${userId} and s.resource = ${resource}))`;

/**
 * Asks for the runs of the team's queries that fulfil a condition, for all users: a row of each query says that its spread begins
 * anew, however many users there are. One that waits already keeps its moment, or, where processes have to know of the query
 * first, is put off to the given one.
 */
export async function askForRunsOfTeam(
  { db, team }: TxCtx<TeamCtx>,
  { which, waitSeconds }: { which: RawBuilder<unknown>; waitSeconds?: number },
): Promise<void> {
  const { rows } = await sql<Static<typeof spreadKind.payload>>`
    update continuous_queries set spread_after = ${LEAST_ID}
     where team_id = ${team.id} and id = any (array (
       select id from continuous_queries
        where team_id = ${team.id} and active and deleted_at is null and ${which}
        order by id for no key update))
    returning team_id, id as query_id`.execute(db);
  const when =
    waitSeconds === undefined
      ? { delaySeconds: GATHER_SECONDS, keepsMoment: true as const }
      : { delaySeconds: waitSeconds };
  await addJobs(
    db,
    spreadKind,
    rows.map((payload) => ({ payload, ...when })),
  );
}

async function resourcesRead({ db, team }: TxCtx<TeamCtx>): Promise<ReadonlySet<string>> {
  const known = believed.get(team.id);
  if (known && known.until > performance.now()) return known.resources;
  const rows = await db
    .selectFrom('continuous_queries')
    .select('resource')
    .where('team_id', '=', team.id)
    .where('active', '=', true)
    .where('deleted_at', 'is', null)
    .execute();
  if (believed.size >= MOST_TEAMS) believed.clear();
  const resources = new Set(rows.map(({ resource }) => resource));
  believed.set(team.id, { until: performance.now() + BELIEVED_MS, resources });
  return resources;
}
