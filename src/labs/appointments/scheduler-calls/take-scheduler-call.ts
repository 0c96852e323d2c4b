import { sql } from 'kysely';
import type { Ctx, TeamCtx, TxCtx } from '../../../context.ts';
import { acrossTeams } from '../../../db/session/bind.ts';
import type { CallContent, CallKind } from './add-scheduler-call.ts';

/** A request to a scheduler that is due, with its content. */
export type SchedulerCall = {
  user_id: string;
  order_id: string;
  id: string;
  appointment_id: string;
  provider: string;
  kind: CallKind;
  attempts: number;
  content: CallContent;
};

/** The time for which no other job can take the request. It is longer than a scheduler may take to respond. */
const LEASE_SECONDS = 60;

/**
 * Takes a request, so that no other job can take it for LEASE_SECONDS. Returns null if the request is not due, or if an
 * earlier request of the same appointment still waits.
 */
export async function takeSchedulerCall(ctx: TeamCtx, orderId: string, callId: string): Promise<SchedulerCall | null> {
  const { rows } = await sql<Omit<SchedulerCall, 'content'> & { content: Buffer }>`
    update scheduler_calls c
       set attempts = attempts + 1, due_at = now() + make_interval(secs => ${LEASE_SECONDS})
     where c.team_id = ${ctx.team.id} and c.order_id = ${orderId} and c.id = ${callId} and not c.by_hand
       and c.due_at <= now()
       and not exists (select from scheduler_calls e where e.user_id = c.user_id and e.order_id = c.order_id
             and e.appointment_id = c.appointment_id and not e.by_hand and e.id < c.id)
    returning user_id, order_id, id, appointment_id, provider, kind, attempts, content`.execute(ctx.db);
  const [row] = rows;
  if (!row) return null;
  const content = ctx.cipher.openJson<CallContent>(
    'scheduler_calls.content',
    { team_id: ctx.team.id, id: row.id },
    row.content,
  );
  return { ...row, content };
}

/** Deletes a request. Returns false if another job has already recorded its outcome. */
export async function dropCall(ctx: TxCtx<TeamCtx>, { order_id, id }: SchedulerCall): Promise<boolean> {
  const { rows } = await sql`
    delete from scheduler_calls where team_id = ${ctx.team.id} and order_id = ${order_id}
      and id = ${id} returning id`.execute(ctx.db);
  return rows.length > 0;
}

/** Defers a request that we cannot send now, or to which the scheduler did not respond. */
export async function postponeSchedulerCall(
  ctx: TeamCtx | TxCtx<TeamCtx>,
  { order_id, id }: SchedulerCall,
  { seconds, reason }: { seconds: number; reason: string },
): Promise<void> {
  await sql`
    update scheduler_calls set due_at = now() + make_interval(secs => ${seconds}), last_error = ${reason}
     where team_id = ${ctx.team.id} and order_id = ${order_id} and id = ${id}`.execute(ctx.db);
}

/** Gives a request that the scheduler did not accept to the operator, who makes it by telephone. */
export async function handToOperator(
  ctx: TxCtx<TeamCtx>,
  { order_id, id }: SchedulerCall,
  reason: string,
): Promise<void> {
  await sql`
    update scheduler_calls set by_hand = true, last_error = ${reason}
     where team_id = ${ctx.team.id} and order_id = ${order_id} and id = ${id}`.execute(ctx.db);
}

/** Returns the id of the oldest request about this appointment that is still to be sent; null if there is none. */
export async function nextCall(
  ctx: TxCtx<TeamCtx>,
  { order_id, appointment_id }: SchedulerCall,
): Promise<string | null> {
  const { rows } = await sql<{ id: string }>`
    select id from scheduler_calls
     where team_id = ${ctx.team.id} and order_id = ${order_id} and appointment_id = ${appointment_id} and not by_hand
     order by id limit 1`.execute(ctx.db);
  return rows[0]?.id ?? null;
}

const MAX_RESUMED = 500;

/** Returns the overdue requests of all teams. Their jobs may have been lost with the process that ran them. */
export async function dueCalls(ctx: Ctx): Promise<{ team_id: string; order_id: string; call_id: string }[]> {
  const { rows } = await sql<{ team_id: string; order_id: string; call_id: string }>`
    select team_id, order_id, id as call_id from scheduler_calls
     where not by_hand and due_at < now() - interval '30 seconds' order by due_at limit ${MAX_RESUMED}`.execute(
    acrossTeams(ctx).db,
  );
  return rows;
}
