import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { Ctx, TeamCtx, TxCtx } from '../../../context.ts';
import { inTransaction } from '../../../db/transaction.ts';
import type { queryErasureKind } from './delete.ts';
import type { Exports } from '../../../privacy/export-rows.ts';

const TABLES = ['continuous_query_results', 'continuous_query_tasks'] as const;

export const EXPORTS: Exports = {
  ofTeam: [{ type: 'continuous_query', table: 'continuous_queries', key: ['id'] }],
  ofUser: [{ type: 'continuous_query_result', table: 'continuous_query_results', key: ['query_id'] }],
};

/** Erases the result tables of a user and the history of the runs for this user. */
export async function eraseUser({ db, team }: TxCtx<TeamCtx>, user: { id: string }): Promise<void> {
  for (const table of TABLES)
    await db.deleteFrom(table).where('user_id', '=', user.id).where('team_id', '=', team.id).execute();
}

/** Erases the queries of a team. The erasure of the team's users comes first and has erased the result tables. */
export async function eraseTeam({ db }: TxCtx<TeamCtx>, team: { id: string }): Promise<void> {
  await db.deleteFrom('continuous_queries').where('team_id', '=', team.id).execute();
}

/** Deletes runs that ended longer ago than the retention time of events. */
export async function dropExpired({ db, config }: Ctx): Promise<void> {
  await sql`
    delete from ${sql.table('continuous_query_tasks')}
     where ended_at < now() - make_interval(days => ${config.retentionDays})`.execute(db);
}

/** The number of rows that one step deletes. */
const BATCH = 200;

/** Erases the results of a deleted query in steps, and the query itself at the end. */
export async function eraseQuery(ctx: TeamCtx, job: Static<(typeof queryErasureKind)['payload']>): Promise<void> {
  for (const table of TABLES) while (await inTransaction(ctx, (tx) => eraseSome(tx, table, job)));
  await inTransaction(ctx, (tx) => eraseRest(tx, job));
}

/**
 * Erases the query and the last rows of its results. A transaction that read the query before its deletion may still
 * write rows after eraseSome has found none. The lock on the query waits for such transactions. Transactions that begin
 * later do not find the query, so they write no rows.
 */
async function eraseRest(ctx: TxCtx<TeamCtx>, job: { query_id: string }): Promise<void> {
  const { db, team } = ctx;
  await sql`
    select from continuous_queries
     where team_id = ${team.id} and id = ${job.query_id} and deleted_at is not null for update`.execute(db);
  for (const table of TABLES) while (await eraseSome(ctx, table, job));
  await db
    .deleteFrom('continuous_queries')
    .where('team_id', '=', team.id)
    .where('id', '=', job.query_id)
    .where('deleted_at', 'is not', null)
    .execute();
}

/**
 * Erases some rows, and returns whether there may be more. The text of the SQL statement differs each time. With one
 * text, PostgreSQL could reuse a plan from the time when the table was empty, and such a plan is slow on a full table.
 */
async function eraseSome(
  { db, team }: TxCtx<TeamCtx>,
  table: (typeof TABLES)[number],
  { query_id }: { query_id: string },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from ${sql.table(table)} where ctid = any (array (
      select t.ctid
        from ${sql.table(table)} t join continuous_queries q on q.team_id = t.team_id and q.id = t.query_id
       where t.team_id = ${team.id} and t.query_id = ${query_id} and q.deleted_at is not null limit ${BATCH}))`.execute(
    db,
  );
  return Number(numAffectedRows) === BATCH;
}
