// What of an order goes out to its laboratory. Where that is connected by messages: a row of `laboratory_outbox`, written
// in the transaction of the order, and a job that is asked for in it. Where it is simulated: the job that walks the order on,
// if the sandbox is told to. What these do stands with the laboratories.
import { sql } from 'kysely';
import { Type } from 'typebox';
import type { TeamCtx, TxCtx } from '../../context.ts';
import { addJob, jobKind } from '../../db/define-job.ts';
import { newId } from '../../ids.ts';
import { startAutopilot } from './autopilot.ts';
import type { LoadedOrder } from './load.ts';
import { isCancelled, type LowLevelStatus } from './status/table.ts';

/** How a laboratory is spoken to; `simulated` ones are made up, and serve sandboxes only. */
export type LabConnection = 'simulated' | 'hl7';

/**
 * The job that sends what waits for one laboratory, oldest first; what it does stands with the laboratories. All of them
 * together have a team's share of the places: those that are silent hold up no providers.
 */
export const outboxKind = jobKind({
  name: 'laboratory_outbox',
  payload: Type.Object({ lab_id: Type.Integer() }),
  key: ({ lab_id }) => `laboratory outbox ${lab_id}`,
  placeOf: () => 'laboratories',
});

/** A laboratory that takes electronic orders needs no requisition on paper. */
export const requisitionStatus = (connection: LabConnection): LowLevelStatus =>
  connection === 'hl7' ? 'requisition_bypassed' : 'requisition_created';

/**
 * Asks for what these new statuses of an order mean for its laboratory: the order itself once it is ready and its patient
 * is known, and its cancellation where the laboratory may know of it. A simulated one is told of a kit that is to be sent, too. The
 * caller holds the order's lock.
 */
export async function sendOut(ctx: TxCtx<TeamCtx>, order: LoadedOrder, statuses: LowLevelStatus[]): Promise<void> {
  if (order.lab.connection === 'simulated') {
    const moves = statuses.some((status) => READY.has(status) || status === 'awaiting_registration');
    if (moves) await startAutopilot(ctx, order.row.id);
    return;
  }
  const action = actionOf(order, statuses);
  if (action === null) return;
  const isWritten = action === 'new' ? await askFor(ctx, order) : await takeBack(ctx, order);
  if (isWritten) await addJob(ctx.db, outboxKind, { lab_id: order.lab.id });
}

async function askFor(ctx: TxCtx<TeamCtx>, { row: { user_id, id }, lab }: LoadedOrder): Promise<boolean> {
  const { rows } = await sql`
    insert into laboratory_outbox (user_id, id, order_id, team_id, lab_id, action)
    select ${user_id}, ${newId()}, ${id}, ${ctx.team.id}, ${lab.id}, 'new'
     where not exists (select from laboratory_outbox
       where user_id = ${user_id} and order_id = ${id} and action = 'new')
    returning id`.execute(ctx.db);
  return rows.length > 0;
}

/**
 * Withdraws what waits to be told of an order. The laboratory is told of the cancellation where it may know of the order:
 * not where nothing of it was sent, and not where the laboratory itself has refused it or called it off. The sender looks at the order under
 * the lock that the caller holds and notes that it sends before it does, so that one of the two always sees the other.
 */
async function takeBack(ctx: TxCtx<TeamCtx>, { row: { user_id, id }, lab }: LoadedOrder): Promise<boolean> {
  const { rows } = await sql`
    with withdrawn as (
      update laboratory_outbox set state = 'withdrawn', last_error = 'order_cancelled', set_aside = false
       where user_id = ${user_id} and order_id = ${id} and action = 'new' and state in ('waiting', 'held')
    )
    insert into laboratory_outbox (user_id, id, order_id, team_id, lab_id, action, tests)
    select ${user_id}, ${newId()}, ${id}, ${ctx.team.id}, ${lab.id}, 'cancel',
           case when not bool_or(tests is null) then array_agg(distinct test order by test) end
      from laboratory_outbox left join unnest(tests) as test on true
     where user_id = ${user_id} and order_id = ${id} and action = 'new' and sent_at is not null
       and not (state in ('refused', 'given_up') and answered_at is not null)
    having count(*) > 0
    returning id`.execute(ctx.db);
  return rows.length > 0;
}

function actionOf(order: LoadedOrder, statuses: LowLevelStatus[]): 'new' | 'cancel' | null {
  if (statuses.includes('cancelled')) return 'cancel';
  const isReady = statuses.some((status) => READY.has(status));
  return isReady && order.row.patient_details !== null && !isCancelled(order.row.last_low_level_status) ? 'new' : null;
}

const READY: ReadonlySet<LowLevelStatus> = new Set([
  'requisition_created',
  'requisition_bypassed',
  'testkit_registered',
]);
