import { sql } from 'kysely';
import type { Ctx, TeamCtx, TxCtx } from '../../../context.ts';
import { acrossTeams } from '../../../db/session/bind.ts';
import type { CallContent, CallKind } from './add-call.ts';

/** A request to a scheduler that is due, with what it says. */
export type Call = {
  user_id: string;
  order_id: string;
  id: string;
  appointment_id: string;
  provider: string;
  kind: CallKind;
  attempts: number;
  content: CallContent;
};

/** Longer than a scheduler may take to answer: until then no other job takes it. */
const LEASE_SECONDS = 60;

/** Takes a request for a while, if it is due and nothing of its appointment comes before it; null otherwise. */
export async function takeCall(ctx: TeamCtx, orderId: string, callId: string): Promise<Call | null> {
  const { rows } = await sql<Omit<Call, 'content'> & { content: Buffer }>`
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

/** False where another job has settled it. */
export async function dropCall(ctx: TxCtx<TeamCtx>, { order_id, id }: Call): Promise<boolean> {
  const { rows } = await sql`
    delete from scheduler_calls where team_id = ${ctx.team.id} and order_id = ${order_id}
      and id = ${id} returning id`.execute(ctx.db);
  return rows.length > 0;
}

/** Puts a request off that got no answer. */
export async function putOffCall(
  ctx: TeamCtx | TxCtx<TeamCtx>,
  { order_id, id }: Call,
  { seconds, reason }: { seconds: number; reason: string },
): Promise<void> {
  await sql`
    update scheduler_calls set due_at = now() + make_interval(secs => ${seconds}), last_error = ${reason}
     where team_id = ${ctx.team.id} and order_id = ${order_id} and id = ${id}`.execute(ctx.db);
}

/** The operator calls by telephone what the scheduler does not take. */
export async function handToOperator(ctx: TxCtx<TeamCtx>, { order_id, id }: Call, reason: string): Promise<void> {
  await sql`
    update scheduler_calls set by_hand = true, last_error = ${reason}
     where team_id = ${ctx.team.id} and order_id = ${order_id} and id = ${id}`.execute(ctx.db);
}

/** The next request of an appointment, whose turn it is now. */
export async function nextCall(ctx: TxCtx<TeamCtx>, { order_id, appointment_id }: Call): Promise<string | null> {
  const { rows } = await sql<{ id: string }>`
    select id from scheduler_calls
     where team_id = ${ctx.team.id} and order_id = ${order_id} and appointment_id = ${appointment_id} and not by_hand
     order by id limit 1`.execute(ctx.db);
  return rows[0]?.id ?? null;
}

const MOST_RESUMED = 500;

/** Requests of all teams that are due, as those whose job was lost with its process. */
export async function dueCalls(ctx: Ctx): Promise<{ team_id: string; order_id: string; call_id: string }[]> {
  const { rows } = await sql<{ team_id: string; order_id: string; call_id: string }>`
    select team_id, order_id, id as call_id from scheduler_calls
     where not by_hand and due_at < now() - interval '30 seconds' order by due_at limit ${MOST_RESUMED}`.execute(
    acrossTeams(ctx).db,
  );
  return rows;
}
