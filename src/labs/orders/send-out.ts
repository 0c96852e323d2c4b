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
 * is known, and that it is cancelled where it went out before. A simulated one is told of a kit that is to be sent, too. The
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
  const { user_id, id } = order.row;
  const { rows } = await sql`
    insert into laboratory_outbox (user_id, id, order_id, team_id, lab_id, action)
    select ${user_id}, ${newId()}, ${id}, ${ctx.team.id}, ${order.lab.id}, ${action}
     where (${action} = 'cancel') = exists (select from laboratory_outbox
       where user_id = ${user_id} and order_id = ${id} and action = 'new')
    returning id`.execute(ctx.db);
  if (rows.length > 0) await addJob(ctx.db, outboxKind, { lab_id: order.lab.id });
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
