import { sql } from 'kysely';
import type { TeamCtx, TxCtx } from '../../context.ts';
import type { Leased } from '../../files/file-queue.ts';
import type { FailureCode } from './failures.ts';
import type { FileKind } from './file-kind.ts';
import type { Skipped } from './skipped.ts';

/** An import that this process works on as long as nobody else has another lease of it. */
export type Claimed = Leased & { kind: FileKind };

/** Each stored piece makes the lease new; after so long without one another process takes over. */
const LEASE_SECONDS = 120;

/** How imports are leased: one that begins anew counts anew. */
export const IMPORTS = {
  table: 'imports',
  leaseSeconds: LEASE_SECONDS,
  mostAttempts: 5,
  mostAtOnce: 2,
  begins: sql`, started_at = coalesce(file.started_at, now()),
             progress = 0, unchanged = 0, outside_ingestion_bounds = 0, skipped = 0, skipped_by_type = '[]'`,
} as const;

/** Somebody else has the import now, or it was erased: nothing more of it may be stored. */
export class LeaseLost extends Error {}

/**
 * Keeps the import for the caller until the commit, and for another while after it; answers what it has counted as skipped.
 * Throws LeaseLost.
 */
export async function holdLease(ctx: TxCtx<TeamCtx>, { user_id, id, lease }: Claimed): Promise<Skipped[]> {
  // The user's row first, as whoever erases takes it first, too. The commit does not wait for the disk, which is others' to
  // wait for: what a crash of PostgreSQL takes is read from the file again, which goes after a commit that does wait.
  await sql`
    select set_config('synchronous_commit', 'off', true) from users
     where id = ${user_id} and team_id = ${ctx.team.id} for key share`.execute(ctx.db);
  const { rows } = await sql<{ skipped_by_type: Skipped[] }>`
    update imports set lease_until = now() + make_interval(secs => ${LEASE_SECONDS})
     where user_id = ${user_id} and id = ${id} and team_id = ${ctx.team.id} and lease = ${lease} and status = 'running'
    returning skipped_by_type`.execute(ctx.db);
  const [row] = rows;
  if (!row) throw new LeaseLost('The import is no longer this process’s.');
  return row.skipped_by_type;
}

/** Ends the import, if it is still the caller's. */
export async function endImport(ctx: TeamCtx, { user_id, id, lease }: Claimed, error: FailureCode | null) {
  const { numAffectedRows = 0n } = await sql`
    update imports set status = ${error === null ? 'success' : 'failure'}, error = ${error}, lease = null, ended_at = now(),
           progress = case when ${error === null} then 1 else progress end
     where user_id = ${user_id} and id = ${id} and team_id = ${ctx.team.id} and lease = ${lease}`.execute(ctx.db);
  if (numAffectedRows > 0n) ctx.count?.({ what: 'import', outcome: error ?? 'success' });
}
