import { sql } from 'kysely';
import type { TeamCtx, TxCtx } from '../../context.ts';
import type { Leased } from '../../files/file-queue.ts';
import type { FailureCode } from './failures.ts';
import type { FileKind } from './file-kind.ts';
import type { Skipped } from './skipped.ts';

/** An import that this process is working on. The lease ends when another process takes a new lease of the import. */
export type ClaimedImport = Leased & { kind: FileKind };

/**
 * How long a lease lasts, in seconds: the right of one process to work on the import. The process extends the lease
 * with each chunk of data that it stores. If the lease expires, another process continues the import.
 */
const LEASE_SECONDS = 120;

/** How processes lease imports. `begins` is SQL that resets the counts when an import starts, or starts again. */
export const IMPORTS = {
  table: 'imports',
  leaseSeconds: LEASE_SECONDS,
  maxAttempts: 5,
  maxAtOnce: 2,
  begins: sql`, started_at = coalesce(file.started_at, now()),
             progress = 0, unchanged = 0, outside_ingestion_bounds = 0, skipped = 0, skipped_by_type = '[]'`,
} as const;

/** Another process has leased the import, or the import was erased. This process must store no more of its data. */
export class LeaseLost extends Error {}

/**
 * Locks the import until the commit, and extends the lease. Returns how many records the import has skipped so far, by
 * type. Throws LeaseLost.
 */
export async function extendLease(ctx: TxCtx<TeamCtx>, { user_id, id, lease }: ClaimedImport): Promise<Skipped[]> {
  // Locks the user's row before the import, in the same order as an erasure, so that the two cannot deadlock. The
  // commit does not wait for the disk, so it does not slow down other commits. If PostgreSQL crashes, the last chunks
  // are lost, and the import reads them from the file again. The file is removed only after a commit that waits for the
  // disk.
  await sql`
    select set_config('synchronous_commit', 'off', true) from users
     where id = ${user_id} and team_id = ${ctx.team.id} for key share`.execute(ctx.db);
  const { rows } = await sql<{ skipped_by_type: Skipped[] }>`
    update imports set lease_until = now() + make_interval(secs => ${LEASE_SECONDS})
     where user_id = ${user_id} and id = ${id} and team_id = ${ctx.team.id} and lease = ${lease} and status = 'running'
    returning skipped_by_type`.execute(ctx.db);
  const [row] = rows;
  if (!row) throw new LeaseLost('Another process has the import, or it was erased.');
  return row.skipped_by_type;
}

/** Ends the import, if the caller still has its lease. */
export async function endImport(ctx: TeamCtx, { user_id, id, lease }: ClaimedImport, error: FailureCode | null) {
  const { numAffectedRows = 0n } = await sql`
    update imports set status = ${error === null ? 'success' : 'failure'}, error = ${error}, lease = null,
           ended_at = now(), progress = case when ${error === null} then 1 else progress end
     where user_id = ${user_id} and id = ${id} and team_id = ${ctx.team.id} and lease = ${lease}`.execute(ctx.db);
  if (numAffectedRows > 0n) ctx.count?.({ what: 'import', outcome: error ?? 'success' });
}
