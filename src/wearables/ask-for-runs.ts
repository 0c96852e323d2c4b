// What came in asks for the continuous queries that read it. They are computed in a room above (aggregate/continuous): here
// is only who may have to be, which every write pays for.
import { sql } from 'kysely';
import { Type, type Static } from 'typebox';
import type { TeamCtx, TxCtx } from '../context.ts';
import { addJobs, jobKind } from '../db/define-job.ts';
import { Uuid } from '../wire/schema.ts';

/** One continuous query for one user. */
export const runKind = jobKind({
  name: 'run_continuous_query',
  payload: Type.Object({ team_id: Uuid, user_id: Uuid, query_id: Uuid }),
  key: ({ user_id, query_id }) => `run ${user_id} ${query_id}`,
  class: 'queries',
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
