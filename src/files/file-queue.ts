// Uploaded files wait in a table until a process reads them. Imports and lab reports are two such queues. A process
// leases the file that it reads, one of a team at a time. If the process is killed, another process takes the file when
// the lease ends.
import { randomUUID } from 'node:crypto';
import { sql, type RawBuilder } from 'kysely';
import type { Ctx, TeamCtx } from '../context.ts';
import type { Db } from '../db/open-database.ts';
import { acrossTeams } from '../db/session/bind.ts';
import { lockName } from '../db/session/named-lock.ts';
import { inTransaction } from '../db/transaction.ts';
import { findTeamScopeOrNull, forTeam } from '../tenancy/teams/team-scope.ts';
import { BY_ROUND_ROBIN, joinLastServed, moveToEnd } from './round-robin-order.ts';

/** A row that this process has leased. If another process leases the row later, this lease is invalid. */
export type Leased = { user_id: string; id: string; team_id: string; lease: string; attempts: number };

export type FileQueue<R extends Leased = Leased> = {
  table: 'imports' | 'lab_report_jobs';
  leaseSeconds: number;
  maxAttempts: number;
  /** The most files that one process reads at the same time. Other background jobs need resources too. */
  maxAtOnce: number;
  /**
   * SQL assignments to further columns of the row, made when a process leases the file. The work starts from the
   * beginning, so they clear the results of an earlier try.
   */
  begins: RawBuilder<unknown>;
  work: (ctx: TeamCtx, leased: R) => Promise<void>;
  /** Records that we give up a file, because too many processes have leased it without finishing it. */
  giveUp: (ctx: TeamCtx, leased: R) => Promise<void>;
};

/** Leases the next row in round robin. Returns null if there is none. */
export function claimNext<R extends Leased>(
  ctx: Ctx,
  { table, leaseSeconds, begins }: Pick<FileQueue<R>, 'table' | 'leaseSeconds' | 'begins'>,
): Promise<R | null> {
  return inTransaction(acrossTeams(ctx), async ({ db }) => {
    // Two processes do not see each other's uncommitted leases, so without this lock both could choose the same team.
    await lockName(db, 'claim of a file', table);
    const { rows } = await sql<R & { org_id: string }>`
      update ${sql.table(table)} as file set status = 'running', lease = ${randomUUID()},
             lease_until = now() + make_interval(secs => ${leaseSeconds}), attempts = file.attempts + 1${begins}
        from (
          select waiting.user_id, waiting.id, teams.org_id
            from ${sql.table(table)} as waiting ${joinLastServed(table)}
           where (waiting.status = 'queued' or (waiting.status = 'running' and waiting.lease_until < now()))
             and teams.deleted_at is null
             and not exists (select from ${sql.table(table)} as other where other.team_id = waiting.team_id
                               and other.status = 'running' and other.lease_until >= now())
           order by ${BY_ROUND_ROBIN}
           limit 1
        ) as next
       where file.user_id = next.user_id and file.id = next.id
      returning file.*, next.org_id`.execute(db);
    const [row] = rows;
    if (row) await moveToEnd(db, table, row);
    return row ?? null;
  });
}

const underWay = new WeakMap<Ctx['config'], Map<string, number>>();

/** Reads waiting files one after the other, until no file waits or the process stops. */
export async function workQueue<R extends Leased>(ctx: Ctx, queue: FileQueue<R>): Promise<void> {
  const counts = underWay.get(ctx.config) ?? new Map<string, number>();
  underWay.set(ctx.config, counts);
  const others = counts.get(queue.table) ?? 0;
  if (others >= queue.maxAtOnce) return;
  counts.set(queue.table, others + 1);
  try {
    while (!ctx.stopping?.aborted) {
      const leased = await claimNext<R>(ctx, queue);
      if (!leased) return;
      await workOne(ctx, queue, leased);
    }
  } finally {
    counts.set(queue.table, (counts.get(queue.table) ?? 1) - 1);
  }
}

/** Works on one file. Throws if the database fails. The file then waits again when its lease ends. */
async function workOne<R extends Leased>(ctx: Ctx, queue: FileQueue<R>, leased: R): Promise<void> {
  const team = await findTeamScopeOrNull(ctx, leased.team_id);
  if (!team) return; // The team is erased, with all its files.
  const scoped = forTeam(ctx, team);
  if (leased.attempts > queue.maxAttempts) return queue.giveUp(scoped, leased);
  return queue.work(scoped, leased);
}

/** Ends the leases of all processes. Call it only if those processes are known to be dead. */
export async function endLeases(db: Db, { table }: Pick<FileQueue, 'table'>): Promise<void> {
  await sql`
    update ${sql.table(table)} set lease_until = now() - interval '1 second' where status = 'running'`.execute(db);
}

/** Returns a file to the queue. A process calls it when it stops. */
export async function returnJob(
  ctx: TeamCtx,
  { table }: Pick<FileQueue, 'table'>,
  { user_id, id, lease }: Leased,
): Promise<void> {
  await sql`
    update ${sql.table(table)} set status = 'queued', lease = null, attempts = attempts - 1
     where user_id = ${user_id} and id = ${id} and team_id = ${ctx.team.id} and lease = ${lease}`.execute(ctx.db);
}
