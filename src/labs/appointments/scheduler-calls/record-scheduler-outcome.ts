import type { TeamCtx, TxCtx } from '../../../context.ts';
import { addJob } from '../../../db/define-job.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { lockOrderIfPresent, type LoadedOrder } from '../../orders/load-order.ts';
import type { SchedulerOutcome } from '../../schedulers/ask-scheduler.ts';
import { momentOrNull, type CallResponse } from '../../schedulers/scheduler-messages.ts';
import { isUnderWay, newestAppointmentOrNull } from '../find.ts';
import { changeAppointment } from '../change-appointment.ts';
import { moveOrderIfItTakes } from '../order-rules.ts';
import type { LoadedAppointment } from '../sealed.ts';
import type { Slot } from '../slots/booking-key.ts';
import { addSchedulerCall, schedulerCallKind } from './add-scheduler-call.ts';
import {
  dropCall,
  handToOperator,
  nextCall,
  postponeSchedulerCall,
  type SchedulerCall,
} from './take-scheduler-call.ts';

/**
 * Returns the seconds until the next attempt. The delay starts at 5 seconds and doubles each time, up to 5 minutes. So
 * we repeat a booking for about ten minutes in all, and a cancellation for about three hours.
 */
const delayOf = (attempts: number): number => Math.min(300, 5 * 2 ** Math.min(attempts - 1, 10));
const MAX_ATTEMPTS = { book: 8, reschedule: 8, cancel: 40 } as const;

/** The reason that we record if we give up a booking because the scheduler never responded. */
const NO_ANSWER = 'scheduler_no_answer';

/** Applies a scheduler's response to the appointment, and ends the request in the same transaction. */
export async function recordSchedulerOutcome(
  ctx: TeamCtx,
  call: SchedulerCall,
  asked: SchedulerOutcome<CallResponse>,
): Promise<void> {
  if (asked.outcome === 'no_answer' && call.attempts < MAX_ATTEMPTS[call.kind]) return again(ctx, call, asked.code);
  await inTransaction(ctx, async (tx) => {
    if (call.kind === 'cancel') return recordCancellationOutcome(tx, call, asked);
    const order = await lockOrderIfPresent(tx, call.order_id);
    // The user was scheduled for deletion after we sent the request. If somebody undoes the deletion, we send the
    // request again, and the scheduler repeats its response.
    if (!order) return postponeSchedulerCall(tx, call, { seconds: 3_600, reason: 'user_scheduled_for_deletion' });
    if (!(await dropCall(tx, call))) return;
    const appointment = await newestAppointmentOrNull(tx, order.row, call.appointment_id);
    if (appointment && isUnderWay(appointment)) await follow(tx, order, appointment, { call, asked });
    await askForNext(tx, call);
  });
}

/** Ends a request that is not needed, without sending it. */
export function skipCall(ctx: TeamCtx, call: SchedulerCall): Promise<void> {
  return inTransaction(ctx, async (tx) => {
    await dropCall(tx, call);
    await askForNext(tx, call);
  });
}

async function again(ctx: TeamCtx, call: SchedulerCall, reason: string): Promise<void> {
  const seconds = delayOf(call.attempts);
  ctx.log.warn({ appointment_id: call.appointment_id, reason, seconds }, 'a scheduler gave no answer');
  await inTransaction(ctx, async (tx) => {
    await postponeSchedulerCall(tx, call, { seconds, reason });
    const { order_id, id: call_id } = call;
    await addJob(tx.db, schedulerCallKind, { team_id: tx.team.id, order_id, call_id }, { delaySeconds: seconds });
  });
}

async function askForNext(tx: TxCtx<TeamCtx>, call: SchedulerCall): Promise<void> {
  const call_id = await nextCall(tx, call);
  if (call_id !== null)
    await addJob(tx.db, schedulerCallKind, { team_id: tx.team.id, order_id: call.order_id, call_id });
}

/**
 * Ends a cancellation that succeeded. If the scheduler does not know the appointment, it has booked nothing, so that is
 * a success too. If the scheduler refuses to cancel, the operator has to call.
 */
async function recordCancellationOutcome(
  tx: TxCtx<TeamCtx>,
  call: SchedulerCall,
  asked: SchedulerOutcome<CallResponse>,
): Promise<void> {
  const isDone = asked.outcome === 'answered' || (asked.outcome === 'refused' && asked.status === 404);
  if (isDone) {
    await dropCall(tx, call);
    return;
  }
  const code = asked.outcome === 'refused' ? asked.code : NO_ANSWER;
  tx.log.error(
    { appointment_id: call.appointment_id, reason: code },
    'a cancelled appointment may still be booked at its scheduler',
  );
  await handToOperator(tx, call, code);
}

type AskedCall = { call: SchedulerCall; asked: SchedulerOutcome<CallResponse> };

async function follow(
  tx: TxCtx<TeamCtx>,
  order: LoadedOrder,
  appointment: LoadedAppointment,
  { call, asked }: AskedCall,
): Promise<void> {
  // The scheduler may confirm or cancel the booking by an update of its own before it responds to our request.
  if (call.kind === 'book' && appointment.status !== 'pending') return;
  if (asked.outcome !== 'answered') {
    const code = asked.outcome === 'refused' ? asked.code : NO_ANSWER;
    if (call.kind === 'book')
      return refuseBooking(tx, order, appointment, { code, isKnown: asked.outcome === 'refused' });
    // The appointment keeps its time. The event gives the team the reason.
    await changeAppointment(tx, order, appointment, { status: appointment.status, data: { refused: code } });
    return;
  }
  const { status, external_id } = asked.response;
  const known = external_id ? { external_id } : {};
  const slot = slotOf(call, asked.response, appointment);
  if (status === 'confirmed' && slot) {
    const notes = call.kind === 'reschedule' ? { notes: call.content.notes } : {};
    await changeAppointment(tx, order, appointment, { status: 'confirmed', slot, ...notes, ...known });
    await moveOrderIfItTakes(tx, order, 'appointment_scheduled');
  } else if (status === 'cancelled') {
    await refuseBooking(tx, order, appointment, { code: 'refused', isKnown: true });
  } else if (status === 'reserved' && slot && call.kind === 'book') {
    await changeAppointment(tx, order, appointment, { status: 'reserved', slot, ...known });
  } else if (external_id && external_id !== appointment.external_id) {
    await changeAppointment(tx, order, appointment, { status: appointment.status, external_id });
  }
}

/**
 * Cancels the appointment because the booking failed. A scheduler that did not respond may still have booked it, so we
 * also send a cancellation to that scheduler.
 */
async function refuseBooking(
  tx: TxCtx<TeamCtx>,
  order: LoadedOrder,
  appointment: LoadedAppointment,
  { code, isKnown }: { code: string; isKnown: boolean },
): Promise<void> {
  await changeAppointment(tx, order, appointment, {
    status: 'cancelled',
    data: { refused: code },
    reportedBy: 'scheduler',
  });
  if (!isKnown) await addSchedulerCall(tx, appointment, 'cancel', { slot: null, notes: null, reason: null });
  await moveOrderIfItTakes(tx, order, 'appointment_cancelled');
}

/**
 * Returns the slot that the appointment gets. Its time is the time in the scheduler's response, or else the requested
 * time. Returns null if we know no time.
 */
function slotOf(
  { content: { slot } }: SchedulerCall,
  { start, end }: CallResponse,
  appointment: LoadedAppointment,
): Pick<Slot, 'by' | 'provider' | 'site' | 'start_at' | 'end_at' | 'iana_timezone'> | null {
  const start_at = momentOrNull(start) ?? slot?.start_at ?? null;
  const end_at = momentOrNull(end) ?? slot?.end_at ?? null;
  if (start_at === null || end_at === null || end_at <= start_at) return null;
  const { provider, iana_timezone } = appointment;
  return { by: 'scheduler', provider, site: slot?.site ?? appointment.site, start_at, end_at, iana_timezone };
}
