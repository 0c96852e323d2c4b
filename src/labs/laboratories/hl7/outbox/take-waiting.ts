import { sql } from 'kysely';
import type { Ctx } from '../../../../context.ts';
import { acrossTeams } from '../../../../db/session/bind.ts';
import { newId } from '../../../../ids.ts';
import type { Connection } from '../connections/find-connection.ts';

/** A message that waits to be sent to a laboratory. */
export type WaitingMessage = {
  user_id: string;
  id: string;
  order_id: string;
  team_id: string;
  lab_id: number;
  action: 'new' | 'cancel';
  /** The positions of its tests in the order, from 1; null for all tests. */
  tests: number[] | null;
  attempts: number;
  unanswered: number;
  last_error: string | null;
  /** The time when the order became ready, or was cancelled. */
  created_at: string;
  due_in_seconds: number;
};

/**
 * The lease lasts this much longer than we wait for a reply. Before that wait we open the connection, and after it we
 * write to the database.
 */
const LEASE_MARGIN_SECONDS = 20;
const leaseSeconds = ({ settings }: Connection): number =>
  (settings.orders.mllp?.answer_seconds ?? 30) + LEASE_MARGIN_SECONDS;

/**
 * Takes the lease of a laboratory, because only one process at a time may send to a laboratory. Returns null if another
 * process has the lease.
 */
export async function takeLease(ctx: Ctx, connection: Connection): Promise<string | null> {
  const { rows } = await sql<{ lease: string }>`
    insert into laboratory_senders as sender (lab_id, lease, leased_until)
    values (${connection.lab_id}, ${newId()}, now() + make_interval(secs => ${leaseSeconds(connection)}))
        on conflict (lab_id) do update set lease = excluded.lease, leased_until = excluded.leased_until
     where sender.leased_until < now()
    returning lease`.execute(ctx.db);
  return rows[0]?.lease ?? null;
}

/** Renews a lease. Returns false if the lease has expired and another process has taken it. */
export async function renewLease(ctx: Ctx, connection: Connection, lease: string): Promise<boolean> {
  const { rows } = await sql`
    update laboratory_senders set leased_until = now() + make_interval(secs => ${leaseSeconds(connection)})
     where lab_id = ${connection.lab_id} and lease = ${lease} returning lab_id`.execute(ctx.db);
  return rows.length > 0;
}

export async function giveLeaseBack(ctx: Ctx, labId: number, lease: string): Promise<void> {
  await sql`
    update laboratory_senders set leased_until = '-infinity' where lab_id = ${labId} and lease = ${lease}`.execute(
    ctx.db,
  );
}

/** Ends the leases that killed processes left behind. The caller must know that no other process runs. */
export async function giveAllLeasesBack({ db }: Ctx): Promise<void> {
  await sql`update laboratory_senders set leased_until = '-infinity' where leased_until > now()`.execute(db);
}

/**
 * Returns the first waiting message of a laboratory, of any team. If that message is not due yet, the laboratory is
 * down, and the messages behind it wait too. A deferred message does not delay others. It waits for its own time, and
 * then follows the messages that were already waiting when we deferred it. The function also returns null while the
 * operator has stopped all messages to the laboratory.
 */
export async function nextWaiting(ctx: Ctx, labId: number): Promise<WaitingMessage | null> {
  const { rows } = await sql<WaitingMessage>`
    select user_id, id, order_id, team_id, lab_id, action, tests, attempts, unanswered, last_error, created_at,
           greatest(0, extract(epoch from due_at - now()))::float8 as due_in_seconds
      from laboratory_outbox
     where lab_id = ${labId} and state = 'waiting' and (not set_aside or due_at <= now())
       and not exists (select from laboratory_senders where lab_id = ${labId} and held_at is not null)
     order by queued_at, id limit 1`.execute(acrossTeams(ctx).db);
  return rows[0] ?? null;
}

/**
 * Returns the laboratories that have a due message. The caller adds the send jobs of these laboratories again, because
 * a killed process may have lost the jobs.
 */
export async function laboratoriesWithWaiting(ctx: Ctx): Promise<number[]> {
  const { rows } = await sql<{ lab_id: number }>`
    select distinct lab_id from laboratory_outbox waiting where state = 'waiting' and due_at <= now()
       and not exists (select from laboratory_senders sender
                        where sender.lab_id = waiting.lab_id and sender.held_at is not null)`.execute(
    acrossTeams(ctx).db,
  );
  return rows.map(({ lab_id }) => lab_id);
}
