import { sql } from 'kysely';
import type { TeamCtx, TxCtx } from '../../../context.ts';
import { newId } from '../../../ids.ts';

/** Stores a record of a bulk operation, which GET /v2/link/bulk_op returns. */
export async function recordBulkOp(
  { db, team }: TxCtx<TeamCtx>,
  op: { type: 'link_bulk_import' | 'link_bulk_historical_trigger'; provider: string; processed: number },
): Promise<void> {
  await db
    .insertInto('bulk_ops')
    .values({ ...op, team_id: team.id, id: newId(), status: 'success', pending: 0, ended_at: sql<string>`now()` })
    .execute();
}
