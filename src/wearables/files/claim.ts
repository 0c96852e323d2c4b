import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Ctx, TeamCtx, TxCtx } from '../../context.ts';
import type { Db } from '../../db/open.ts';
import { acrossTeams } from '../../db/session/bind.ts';
import { inTransaction } from '../../db/transaction.ts';
import { lockName } from '../../db/session/named-lock.ts';
import type { FailureCode } from './failures.ts';
import type { FileKind } from './file-kind.ts';

/** An import that this process works on as long as nobody else has another lease of it. */
export type Claimed = { user_id: string; id: string; team_id: string; kind: FileKind; lease: string };

/** Each stored piece makes it new; after so long without one another process takes over. */
const LEASE_SECONDS = 120;
const MOST_ATTEMPTS = 5;

/**
 * The import whose turn it is, now the caller's; null where there is none. Teams take turns, the one first that has waited
 * longest since its last import, and a team has one import under way. What a process left when it was killed comes again.
 */
export function claimNext(ctx: Ctx): Promise<Claimed | null> {
  return inTransaction(acrossTeams(ctx), async ({ db }) => {
    // Two that look at once would each find the same team free.
    await lockName(db, 'claim of an import');
    const { numAffectedRows: interrupted = 0n } = await sql`
      update imports set status = 'failure', error = ${'interrupted' satisfies FailureCode}, lease = null, ended_at = now()
       where status = 'running' and lease_until < now() and attempts >= ${MOST_ATTEMPTS}`.execute(db);
    for (let n = 0; n < interrupted; n += 1) ctx.count?.({ what: 'import', outcome: 'interrupted' });
    const { rows } = await sql<Claimed>`
      update imports set status = 'running', lease = ${randomUUID()}, lease_until = now() + make_interval(secs => ${LEASE_SECONDS}),
             attempts = imports.attempts + 1, started_at = coalesce(imports.started_at, now()),
             progress = 0, unchanged = 0, outside_ingestion_bounds = 0, skipped = 0
        from (
          select user_id, id from imports as waiting
           where (status = 'queued' or (status = 'running' and lease_until < now()))
             and not exists (select from imports as other where other.team_id = waiting.team_id
                               and other.status = 'running' and other.lease_until >= now())
           order by (select max(ended_at) from imports as ended where ended.team_id = waiting.team_id) nulls first, created_at, id
           limit 1
        ) as next
       where imports.user_id = next.user_id and imports.id = next.id
      returning imports.user_id, imports.id, imports.team_id, imports.kind, imports.lease`.execute(db);
    return rows[0] ?? null;
  });
}

/** Ends the leases of processes that are known to be gone. */
export async function takeBackImports(db: Db): Promise<void> {
  await sql`update imports set lease_until = now() - interval '1 second' where status = 'running'`.execute(db);
}

/** Somebody else has the import now, or it was erased: nothing more of it may be stored. */
export class LeaseLost extends Error {}

/** Keeps the import for the caller until the commit, and for another while after it. Throws LeaseLost. */
export async function holdLease(ctx: TxCtx<TeamCtx>, { user_id, id, lease }: Claimed): Promise<void> {
  // The user's row first, as whoever erases takes it first, too. The commit does not wait for the disk, which is others' to
  // wait for: what a crash of PostgreSQL takes is read from the file again, which goes after a commit that does wait.
  await sql`
    select set_config('synchronous_commit', 'off', true) from users
     where id = ${user_id} and team_id = ${ctx.team.id} for key share`.execute(ctx.db);
  const { rows } = await sql`
    update imports set lease_until = now() + make_interval(secs => ${LEASE_SECONDS})
     where user_id = ${user_id} and id = ${id} and team_id = ${ctx.team.id} and lease = ${lease} and status = 'running'
    returning id`.execute(ctx.db);
  if (rows.length === 0) throw new LeaseLost('The import is no longer this process’s.');
}

/** Ends the import, if it is still the caller's. */
export async function endImport(ctx: TeamCtx, { user_id, id, lease }: Claimed, error: FailureCode | null) {
  const { numAffectedRows = 0n } = await sql`
    update imports set status = ${error === null ? 'success' : 'failure'}, error = ${error}, lease = null, ended_at = now(),
           progress = case when ${error === null} then 1 else progress end
     where user_id = ${user_id} and id = ${id} and team_id = ${ctx.team.id} and lease = ${lease}`.execute(ctx.db);
  if (numAffectedRows > 0n) ctx.count?.({ what: 'import', outcome: error ?? 'success' });
}

/** Puts it back in the queue, as a process does that stops. */
export async function giveBack(ctx: TeamCtx, { user_id, id, lease }: Claimed): Promise<void> {
  await sql`
    update imports set status = 'queued', lease = null, attempts = attempts - 1
     where user_id = ${user_id} and id = ${id} and team_id = ${ctx.team.id} and lease = ${lease}`.execute(ctx.db);
}
