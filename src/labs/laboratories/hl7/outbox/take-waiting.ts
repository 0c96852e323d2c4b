import { sql } from 'kysely';
import type { Ctx } from '../../../../context.ts';
import { acrossTeams } from '../../../../db/session/bind.ts';
import { newId } from '../../../../ids.ts';
import type { Connection } from '../connections/find-connection.ts';

/** What is to be told a laboratory next. */
export type Waiting = {
  user_id: string;
  id: string;
  order_id: string;
  team_id: string;
  lab_id: number;
  action: 'new' | 'cancel';
  /** Which tests of the order, counted from 1; null: all of them. */
  tests: number[] | null;
  attempts: number;
  unanswered: number;
  last_error: string | null;
  /** When the order became ready, or was cancelled. */
  created_at: string;
  due_in_seconds: number;
};

/** Beyond the wait for an answer: for the connection before it, and what is written after it. */
const LEASE_MARGIN_SECONDS = 20;
const leaseSeconds = ({ settings }: Connection): number =>
  (settings.orders.mllp?.answer_seconds ?? 30) + LEASE_MARGIN_SECONDS;

/** The right to send to a laboratory, for one process at a time; null where another has it. */
export async function takeLease(ctx: Ctx, connection: Connection): Promise<string | null> {
  const { rows } = await sql<{ lease: string }>`
    insert into laboratory_senders as held (lab_id, lease, leased_until)
    values (${connection.lab_id}, ${newId()}, now() + make_interval(secs => ${leaseSeconds(connection)}))
        on conflict (lab_id) do update set lease = excluded.lease, leased_until = excluded.leased_until
     where held.leased_until < now()
    returning lease`.execute(ctx.db);
  return rows[0]?.lease ?? null;
}

/** False where the lease has run out and another process has it. */
export async function keepLease(ctx: Ctx, connection: Connection, lease: string): Promise<boolean> {
  const { rows } = await sql`
    update laboratory_senders set leased_until = now() + make_interval(secs => ${leaseSeconds(connection)})
     where lab_id = ${connection.lab_id} and lease = ${lease} returning lab_id`.execute(ctx.db);
  return rows.length > 0;
}

export async function giveLeaseBack(ctx: Ctx, labId: number, lease: string): Promise<void> {
  await sql`update laboratory_senders set leased_until = '-infinity' where lab_id = ${labId} and lease = ${lease}`.execute(
    ctx.db,
  );
}

/** Of processes that were killed: whoever calls it knows that no other one runs. */
export async function giveAllLeasesBack({ db }: Ctx): Promise<void> {
  await sql`update laboratory_senders set leased_until = '-infinity' where leased_until > now()`.execute(db);
}

/**
 * The first that waits, of whichever team. While it is not due it holds the others: then the laboratory is away. What was
 * set aside holds none; it waits for its own time, behind those that waited when it was set aside. Null too while the
 * operator holds everything that goes to the laboratory.
 */
export async function nextWaiting(ctx: Ctx, labId: number): Promise<Waiting | null> {
  const { rows } = await sql<Waiting>`
    select user_id, id, order_id, team_id, lab_id, action, tests, attempts, unanswered, last_error, created_at,
           greatest(0, extract(epoch from due_at - now()))::float8 as due_in_seconds
      from laboratory_outbox
     where lab_id = ${labId} and state = 'waiting' and (not set_aside or due_at <= now())
       and not exists (select from laboratory_senders where lab_id = ${labId} and held_at is not null)
     order by queued_at, id limit 1`.execute(acrossTeams(ctx).db);
  return rows[0] ?? null;
}

/** Laboratories for which something is due: a job that was lost with its process is asked for again. */
export async function laboratoriesWithWaiting(ctx: Ctx): Promise<number[]> {
  const { rows } = await sql<{ lab_id: number }>`
    select distinct lab_id from laboratory_outbox waiting where state = 'waiting' and due_at <= now()
       and not exists (select from laboratory_senders held where held.lab_id = waiting.lab_id and held.held_at is not null)`.execute(
    acrossTeams(ctx).db,
  );
  return rows.map(({ lab_id }) => lab_id);
}
