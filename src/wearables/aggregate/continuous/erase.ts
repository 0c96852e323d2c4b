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

/** Tables of a person's data, and when they were computed. */
export async function eraseUser({ db, team }: TxCtx<TeamCtx>, user: { id: string }): Promise<void> {
  for (const table of TABLES)
    await db.deleteFrom(table).where('user_id', '=', user.id).where('team_id', '=', team.id).execute();
}

/** Tables have gone with the users. */
export async function eraseTeam({ db }: TxCtx<TeamCtx>, team: { id: string }): Promise<void> {
  await db.deleteFrom('continuous_queries').where('team_id', '=', team.id).execute();
}

/** Forgets runs that ended as long ago as events are kept. */
export async function dropExpired({ db, config }: Ctx): Promise<void> {
  await sql`
    delete from ${sql.table('continuous_query_tasks')}
     where ended_at < now() - make_interval(days => ${config.retentionDays})`.execute(db);
}

/** Rows of one step. */
const BATCH = 200;

/** What a deleted query has computed, some users at a time, and the query itself last. */
export async function eraseQuery(ctx: TeamCtx, job: Static<(typeof queryErasureKind)['payload']>): Promise<void> {
  for (const table of TABLES) while (await inTransaction(ctx, (tx) => eraseSome(tx, table, job)));
  await inTransaction(ctx, (tx) => eraseRest(tx, job));
}

/**
 * The query, with what was asked for or kept by transactions that had found it before it was deleted and have ended since:
 * its lock waits for them, and lets nobody begin.
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

/** Whether there may be more. No text is constant, so that none keeps a plan from when the table was empty. */
async function eraseSome(
  { db, team }: TxCtx<TeamCtx>,
  table: (typeof TABLES)[number],
  { query_id }: { query_id: string },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from ${sql.table(table)} where ctid = any (array (
      select t.ctid from ${sql.table(table)} t join continuous_queries q on q.team_id = t.team_id and q.id = t.query_id
       where t.team_id = ${team.id} and t.query_id = ${query_id} and q.deleted_at is not null limit ${BATCH}))`.execute(
    db,
  );
  return Number(numAffectedRows) === BATCH;
}
