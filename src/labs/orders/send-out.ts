// Sends an order to its laboratory. If the laboratory is connected by HL7, we insert a row into `laboratory_outbox` and
// add a job, both in the transaction of the order. If the laboratory is simulated and the sandbox moves orders by
// itself, we add the job that moves the order. The folder `laboratories` implements these jobs.
import { sql } from 'kysely';
import { Type } from 'typebox';
import type { TeamCtx, TxCtx } from '../../context.ts';
import { addJob, jobKind } from '../../db/define-job.ts';
import { newId } from '../../ids.ts';
import { startAutopilot } from './start-autopilot.ts';
import type { LoadedOrder } from './load-order.ts';
import { isCancelled, type LowLevelStatus } from './status/statuses.ts';

/**
 * How a laboratory is connected to this deployment. A `simulated` laboratory is part of Phial and serves only
 * sandboxes.
 */
export type LabConnection = 'simulated' | 'hl7';

/**
 * The job that sends the waiting messages for one laboratory, oldest first. The folder `laboratories` implements it.
 * The jobs of all laboratories together get only as many permits (rights to run) as one team. So laboratories that do
 * not respond leave the other permits to other jobs.
 */
export const outboxKind = jobKind({
  name: 'laboratory_outbox',
  payload: Type.Object({ lab_id: Type.Integer() }),
  key: ({ lab_id }) => `laboratory outbox ${lab_id}`,
  ownerOf: () => 'laboratories',
});

/**
 * Returns the status of an order that is ready to be sent. A laboratory that receives orders as messages does not need
 * the requisition (the order form on paper) to know the order.
 */
export const requisitionStatus = (connection: LabConnection): LowLevelStatus =>
  connection === 'hl7' ? 'requisition_bypassed' : 'requisition_created';

/**
 * Adds the messages that the new statuses of an order require. We send the order when it is ready and its patient is
 * known. We send a cancellation if the laboratory may know the order. A simulated laboratory gets the order of a kit
 * earlier, when the kit is to be sent out. The caller holds the lock on the order.
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
 * Withdraws the messages about an order that are not sent yet. If a message was sent, we also send a cancellation. But
 * we send none if the laboratory itself refused or cancelled the order.
 * The job that sends messages locks the same row as the caller of this function. It records a message as sent before it
 * sends the message. So this function sees each message that may have been sent, and the job sees the cancellation.
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
