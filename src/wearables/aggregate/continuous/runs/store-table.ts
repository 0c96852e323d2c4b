import { sql } from 'kysely';
import type { TeamCtx, TxCtx } from '../../../../context.ts';
import { publishEvents } from '../../../../events/publish.ts';
import { becomeWriter } from '../../../user-writer.ts';
import { resultTableChanged } from '../events.ts';
import type { Table } from '../../query-result.ts';
import { changedRows, splitIntoChunks } from './changed-rows.ts';
import type { Claim } from './run-continuous-query.ts';

/**
 * Replaces the user's result table, and publishes the rows that are new or have changed. Stores nothing and returns
 * `superseded` in three cases: the query was changed, a run that began later has ended, or the user was erased.
 */
export async function storeTable(
  ctx: TxCtx<TeamCtx>,
  { user, query_id, slug, number, revision }: Claim,
  table: Table,
): Promise<'success' | 'superseded'> {
  await becomeWriter(ctx, user.id);
  if (!(await isWanted(ctx, { user, query_id, revision }))) return 'superseded';
  const rowKey = { team_id: ctx.team.id, id: `${user.id}/${query_id}` };
  const known = await ctx.db
    .selectFrom('continuous_query_results')
    .select(['revision', 'task_number', 'result'])
    .where('user_id', '=', user.id)
    .where('query_id', '=', query_id)
    .where('team_id', '=', ctx.team.id)
    .executeTakeFirst();
  if (known && Number(known.task_number) > number) return 'superseded';
  const before =
    known?.revision === revision
      ? ctx.cipher.openJson<Table>('continuous_query_results.result', rowKey, known.result)
      : null;
  const row = {
    revision,
    task_number: number,
    result: ctx.cipher.sealJson('continuous_query_results.result', rowKey, table),
    computed_at: sql<string>`now()`,
  };
  await ctx.db
    .insertInto('continuous_query_results')
    .values({ user_id: user.id, query_id, team_id: ctx.team.id, ...row })
    .onConflict((oc) => oc.columns(['user_id', 'query_id']).doUpdateSet(row))
    .execute();
  const chunks = splitIntoChunks(changedRows(before, table));
  await publishEvents(
    ctx,
    chunks.map((data) => ({ type: resultTableChanged, user, data: [{ query_id, query_slug: slug, data }] })),
  );
  return 'success';
}

/**
 * Whether the table may still be stored. Locks the query and the user until the commit, so that a deletion cannot
 * happen in between. This check sees an earlier deletion. A later deletion erases the table too.
 */
async function isWanted(
  { db, team }: TxCtx<TeamCtx>,
  { user, query_id, revision }: Pick<Claim, 'user' | 'query_id' | 'revision'>,
): Promise<boolean> {
  const query = await sql`
    select from continuous_queries
     where team_id = ${team.id} and id = ${query_id} and revision = ${revision}
       and deleted_at is null for share`.execute(db);
  const users = await sql`select from users where id = ${user.id} and team_id = ${team.id} for key share`.execute(db);
  return query.rows.length > 0 && users.rows.length > 0;
}
