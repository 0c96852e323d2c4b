// A request to a scheduler is a row and a job. We write both in the transaction of the appointment. So a crash loses no
// request, and no transaction waits for a scheduler. A repeated request has the same id, by which the scheduler
// recognises it.
import { Type } from 'typebox';
import type { TeamCtx, TxCtx } from '../../../context.ts';
import { addJob, jobKind } from '../../../db/define-job.ts';
import { newId } from '../../../ids.ts';
import { Uuid } from '../../../wire/schema.ts';
import type { LoadedAppointment } from '../sealed.ts';
import type { Slot } from '../slots/booking-key.ts';

export type CallKind = 'book' | 'reschedule' | 'cancel';

export type CallContent = {
  /** Null for a cancellation, and for a visit that the client requested without a time. */
  slot: Slot | null;
  notes: string | null;
  reason: string | null;
};

/**
 * The kind of the jobs that send one request to a scheduler. Such a job waits for the scheduler, so we limit how many
 * jobs of a team run at a time.
 */
export const schedulerCallKind = jobKind({
  name: 'scheduler_call',
  payload: Type.Object({ team_id: Uuid, order_id: Uuid, call_id: Uuid }),
  key: ({ call_id }) => `scheduler call ${call_id}`,
  ownerOf: ({ team_id }) => team_id,
});

/**
 * Adds a request to the scheduler that booked the appointment. If the operator booked it by telephone, the request
 * waits in the operator's list of calls.
 */
export async function addSchedulerCall(
  ctx: TxCtx<TeamCtx>,
  appointment: LoadedAppointment,
  kind: CallKind,
  content: CallContent,
): Promise<void> {
  const row = { team_id: ctx.team.id, id: newId() };
  const by_hand = appointment.booked_by === 'operator';
  await ctx.db
    .insertInto('scheduler_calls')
    .values({
      ...row,
      user_id: appointment.user_id,
      order_id: appointment.order_id,
      appointment_id: appointment.id,
      provider: appointment.provider,
      kind,
      content: ctx.cipher.sealJson('scheduler_calls.content', row, content),
      by_hand,
    })
    .execute();
  if (by_hand) return;
  await addJob(ctx.db, schedulerCallKind, { team_id: ctx.team.id, order_id: appointment.order_id, call_id: row.id });
}

/** Returns whether a request about this appointment is still to be sent, or is still without a response. */
export async function hasOpenCall(ctx: TeamCtx, { user_id, order_id, id }: LoadedAppointment): Promise<boolean> {
  const found = await ctx.db
    .selectFrom('scheduler_calls')
    .select('id')
    .where('user_id', '=', user_id)
    .where('order_id', '=', order_id)
    .where('appointment_id', '=', id)
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}
