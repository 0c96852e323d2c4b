import { sql } from 'kysely';
import { Type } from 'typebox';
import type { TeamCtx } from '../../../context.ts';
import { addJob, jobKind } from '../../../db/define-job.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { notFound } from '../../../errors.ts';
import { Uuid } from '../../../wire/schema.ts';
import { forgetQueries } from '../../ask-for-runs.ts';

/** The job that erases all results of a deleted query. */
export const queryErasureKind = jobKind({
  name: 'erase_continuous_query',
  payload: Type.Object({ team_id: Uuid, query_id: Uuid }),
  key: ({ query_id }) => `erase ${query_id}`,
});

/**
 * Marks the query as deleted. Each user of the team may have a result table of the query, so a job erases the tables
 * later. Throws not_found.
 */
export function deleteContinuousQuery(ctx: TeamCtx, id: string): Promise<void> {
  return inTransaction(ctx, async ({ db, team }) => {
    const { numUpdatedRows } = await db
      .updateTable('continuous_queries')
      .set({ deleted_at: sql<string>`now()`, spread_after: null })
      .where('team_id', '=', team.id)
      .where('id', '=', id)
      .where('deleted_at', 'is', null)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) throw notFound('Continuous query');
    await addJob(db, queryErasureKind, { team_id: team.id, query_id: id });
    forgetQueries(team.id);
  });
}
