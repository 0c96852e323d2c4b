// What a scheduler has to be asked is a row, written in the transaction of the appointment, and a job (as of orders to
// laboratories, record 180): a crash loses none, no transaction waits for anybody, and what is asked twice bears the
// same id.
import { Type } from 'typebox';
import type { TeamCtx, TxCtx } from '../../../context.ts';
import { addJob, jobKind } from '../../../db/define-job.ts';
import { newId } from '../../../ids.ts';
import { Uuid } from '../../../wire/schema.ts';
import type { LoadedAppointment } from '../sealed.ts';
import type { Slot } from '../slots/booking-key.ts';

export type CallKind = 'book' | 'reschedule' | 'cancel';

export type CallContent = {
  /** Null of a visit that is asked for without a time, and of a cancellation. */
  slot: Slot | null;
  notes: string | null;
  reason: string | null;
};

/** One request to a scheduler: it waits for somebody outside, in its team's share of the places for that. */
export const schedulerCallKind = jobKind({
  name: 'scheduler_call',
  payload: Type.Object({ team_id: Uuid, order_id: Uuid, call_id: Uuid }),
  key: ({ call_id }) => `scheduler call ${call_id}`,
  placeOf: ({ team_id }) => team_id,
});

/**
 * Asks for a request to the scheduler of an appointment, or for the operator's where that one was booked by telephone.
 */
export async function addCall(
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

/** Whether something of an appointment waits to be asked or answered. */
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
