// Files that were sent wait in a table until a process reads them: imports and lab reports are queues of one kind. A process
// leases a row, one of a team at a time; what a killed process has left comes again when its lease has run out.
import { randomUUID } from 'node:crypto';
import { sql, type RawBuilder } from 'kysely';
import type { Ctx, TeamCtx } from '../context.ts';
import type { Db } from '../db/open.ts';
import { acrossTeams } from '../db/session/bind.ts';
import { lockName } from '../db/session/named-lock.ts';
import { inTransaction } from '../db/transaction.ts';
import { findTeamScopeOrNull, forTeam } from '../tenancy/teams/scope.ts';
import { BY_TURN, joinTurns, takeTurn } from './turn-order.ts';

/** A row that this process works on as long as nobody else has another lease of it. */
export type Leased = { user_id: string; id: string; team_id: string; lease: string; attempts: number };

export type FileQueue<R extends Leased = Leased> = {
  table: 'imports' | 'lab_report_jobs';
  leaseSeconds: number;
  mostAttempts: number;
  /** Of one process: other background work needs places too. */
  mostAtOnce: number;
  /** What else is written when it is leased: it begins anew. */
  begins: RawBuilder<unknown>;
  work: (ctx: TeamCtx, leased: R) => Promise<void>;
  /** Ends what has been leased too often. */
  giveUp: (ctx: TeamCtx, leased: R) => Promise<void>;
};

/** The row whose turn it is, now the caller's; null where there is none. */
export function claimNext<R extends Leased>(
  ctx: Ctx,
  { table, leaseSeconds, begins }: Pick<FileQueue<R>, 'table' | 'leaseSeconds' | 'begins'>,
): Promise<R | null> {
  return inTransaction(acrossTeams(ctx), async ({ db }) => {
    // Two that look at once would each find the same team free.
    await lockName(db, 'claim of a file', table);
    const { rows } = await sql<R & { org_id: string }>`
      update ${sql.table(table)} as file set status = 'running', lease = ${randomUUID()},
             lease_until = now() + make_interval(secs => ${leaseSeconds}), attempts = file.attempts + 1${begins}
        from (
          select waiting.user_id, waiting.id, teams.org_id
            from ${sql.table(table)} as waiting ${joinTurns(table)}
           where (waiting.status = 'queued' or (waiting.status = 'running' and waiting.lease_until < now()))
             and teams.deleted_at is null
             and not exists (select from ${sql.table(table)} as other where other.team_id = waiting.team_id
                               and other.status = 'running' and other.lease_until >= now())
           order by ${BY_TURN}
           limit 1
        ) as next
       where file.user_id = next.user_id and file.id = next.id
      returning file.*, next.org_id`.execute(db);
    const [row] = rows;
    if (row) await takeTurn(db, table, row);
    return row ?? null;
  });
}

const underWay = new WeakMap<Ctx['config'], Map<string, number>>();

/** Reads what waits, one file after the other, until nothing does or the process stops. */
export async function workQueue<R extends Leased>(ctx: Ctx, queue: FileQueue<R>): Promise<void> {
  const counts = underWay.get(ctx.config) ?? new Map<string, number>();
  underWay.set(ctx.config, counts);
  const others = counts.get(queue.table) ?? 0;
  if (others >= queue.mostAtOnce) return;
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

/** What the database does not let through is thrown: the file then comes again when its lease has run out. */
async function workOne<R extends Leased>(ctx: Ctx, queue: FileQueue<R>, leased: R): Promise<void> {
  const team = await findTeamScopeOrNull(ctx, leased.team_id);
  if (!team) return; // and with it everything of its users
  const scoped = forTeam(ctx, team);
  if (leased.attempts > queue.mostAttempts) return queue.giveUp(scoped, leased);
  return queue.work(scoped, leased);
}

/** Ends the leases of processes that are known to be gone. */
export async function endLeases(db: Db, { table }: Pick<FileQueue, 'table'>): Promise<void> {
  await sql`
    update ${sql.table(table)} set lease_until = now() - interval '1 second' where status = 'running'`.execute(db);
}

/** Puts it back in the queue, as a process does that stops. */
export async function giveBack(
  ctx: TeamCtx,
  { table }: Pick<FileQueue, 'table'>,
  { user_id, id, lease }: Leased,
): Promise<void> {
  await sql`
    update ${sql.table(table)} set status = 'queued', lease = null, attempts = attempts - 1
     where user_id = ${user_id} and id = ${id} and team_id = ${ctx.team.id} and lease = ${lease}`.execute(ctx.db);
}
