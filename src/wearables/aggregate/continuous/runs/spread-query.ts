// A spread schedules the runs of one query for all users who have data. It goes in steps, because a team may have very
// many users.
import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx, TxCtx } from '../../../../context.ts';
import { addJob, addJobs } from '../../../../db/define-job.ts';
import { inTransaction } from '../../../../db/transaction.ts';
import { askForRunsOfTeam, CACHE_MS, forgetQueries, hasAny, runKind, spreadKind } from '../../../ask-for-runs.ts';

/**
 * The wait before the first step. Processes cache the list of queries for CACHE_MS. After this wait every process knows
 * the new query, and each write of data schedules runs of it.
 */
const FIRST_SECONDS = (CACHE_MS / 1_000) * 2;
const NEXT_SECONDS = 2;
/** The number of users in one step. */
const USERS = 500;
/** The most scheduled runs of a team. While a team has this many, its spread waits. */
const MAX_WAITING = 1_000;
/** Lowers the priority of the runs of a spread, so that other runs come first. */
const BEHIND = 400;

/** Starts the spread at the first user. Call it in the transaction that creates or changes the query. */
export async function spreadQuery(ctx: TxCtx<TeamCtx>, queryId: string): Promise<void> {
  forgetQueries(ctx.team.id);
  await askForRunsOfTeam(ctx, { which: sql`id = ${queryId}`, waitSeconds: FIRST_SECONDS });
}

/**
 * Does one step of the spread. The row of the query stores the last user of the step (`spread_after`). So a step that
 * runs twice, or is lost and started again, does no harm.
 */
export async function spreadSome(ctx: TeamCtx, job: Static<(typeof spreadKind)['payload']>): Promise<void> {
  const { team } = ctx;
  await inTransaction(ctx, async (tx) => {
    const { rows } = await sql<{ spread_after: string; resource: string }>`
      select spread_after, resource from continuous_queries
       where team_id = ${team.id} and id = ${job.query_id} and spread_after is not null and active
         and deleted_at is null for no key update`.execute(tx.db);
    const [query] = rows;
    if (!query) return;
    if (!(await hasCapacity(tx))) return askAgain(tx, job);
    const last = await askForUsers(tx, job.query_id, query);
    await tx.db
      .updateTable('continuous_queries')
      .set({ spread_after: last })
      .where('team_id', '=', team.id)
      .where('id', '=', job.query_id)
      .execute();
    if (last !== null) await askAgain(tx, job);
  });
}

const askAgain = ({ db }: TxCtx<TeamCtx>, job: Static<(typeof spreadKind)['payload']>): Promise<void> =>
  addJob(db, spreadKind, job, { delaySeconds: NEXT_SECONDS });

async function hasCapacity({ db, team }: TxCtx<TeamCtx>): Promise<boolean> {
  const { rows } = await sql`
    select from continuous_query_tasks
     where team_id = ${team.id} and status = 'scheduled' limit ${MAX_WAITING}`.execute(db);
  return rows.length < MAX_WAITING;
}

/**
 * Schedules runs for the next users who have data that the query reads. Returns the last of these users; null if no
 * users are left.
 */
async function askForUsers(
  { db, team }: TxCtx<TeamCtx>,
  queryId: string,
  { spread_after, resource }: { spread_after: string; resource: string },
): Promise<string | null> {
  const {
    rows: [found],
  } = await sql<{ last: string | null; many: number; asked: Static<typeof runKind.payload>[] }>`
    with page as (
      select id from users where team_id = ${team.id} and id > ${spread_after} order by id limit ${USERS}
    ), asked as (
      insert into continuous_query_tasks (user_id, query_id, team_id)
      select id, ${queryId}::uuid, ${team.id}::uuid from page
       where ${hasAny(sql`page.id`, sql`${resource}`)}
       order by id
      on conflict (user_id, query_id) where status = 'scheduled' do nothing
      returning team_id, user_id, query_id
    )
    select (select id from page order by id desc limit 1) as last, (select count(*)::integer from page) as many,
           (select coalesce(json_agg(asked), '[]') from asked) as asked`.execute(db);
  if (!found) return null;
  const jobs = found.asked.map((payload) => ({ payload, behind: BEHIND }));
  await addJobs(db, runKind, jobs);
  return found.many === USERS ? found.last : null;
}
