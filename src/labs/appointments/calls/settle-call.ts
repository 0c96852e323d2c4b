import type { TeamCtx, TxCtx } from '../../../context.ts';
import { addJob } from '../../../db/define-job.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { lockOrderIfPresent, type LoadedOrder } from '../../orders/load.ts';
import type { Asked } from '../../schedulers/ask-scheduler.ts';
import { momentOrNull, type CallAnswer } from '../../schedulers/messages.ts';
import { isUnderWay, newestAppointmentOrNull } from '../find.ts';
import { changeAppointment } from '../keep.ts';
import { moveOrderIfItTakes } from '../order-rules.ts';
import type { LoadedAppointment } from '../sealed.ts';
import type { Slot } from '../slots/booking-key.ts';
import { addCall, schedulerCallKind } from './add-call.ts';
import { dropCall, handToOperator, nextCall, putOffCall, type Call } from './take-call.ts';

/**
 * From 5 seconds on, doubled each time, to 5 minutes: of a booking about ten minutes in all, of a cancellation three
 * hours.
 */
const delayOf = (attempts: number): number => Math.min(300, 5 * 2 ** Math.min(attempts - 1, 10));
const MOST_ATTEMPTS = { book: 8, reschedule: 8, cancel: 40 } as const;

/** Why a booking that was never answered is given up. */
const NO_ANSWER = 'scheduler_no_answer';

/** Has an appointment follow what its scheduler answered, in one transaction with the end of the request. */
export async function settleCall(ctx: TeamCtx, call: Call, asked: Asked<CallAnswer>): Promise<void> {
  if (asked.outcome === 'no_answer' && call.attempts < MOST_ATTEMPTS[call.kind]) return again(ctx, call, asked.code);
  await inTransaction(ctx, async (tx) => {
    if (call.kind === 'cancel') return settleCancellation(tx, call, asked);
    const order = await lockOrderIfPresent(tx, call.order_id);
    // Its user is leaving since it was asked: it is asked again, and answered alike, after an undo.
    if (!order) return putOffCall(tx, call, { seconds: 3_600, reason: 'user_scheduled_for_deletion' });
    if (!(await dropCall(tx, call))) return;
    const appointment = await newestAppointmentOrNull(tx, order.row, call.appointment_id);
    if (appointment && isUnderWay(appointment)) await follow(tx, order, appointment, { call, asked });
    await askForNext(tx, call);
  });
}

/** Of what is wanted no more. */
export function skipCall(ctx: TeamCtx, call: Call): Promise<void> {
  return inTransaction(ctx, async (tx) => {
    await dropCall(tx, call);
    await askForNext(tx, call);
  });
}

async function again(ctx: TeamCtx, call: Call, reason: string): Promise<void> {
  const seconds = delayOf(call.attempts);
  ctx.log.warn({ appointment_id: call.appointment_id, reason, seconds }, 'a scheduler gave no answer');
  await inTransaction(ctx, async (tx) => {
    await putOffCall(tx, call, { seconds, reason });
    const { order_id, id: call_id } = call;
    await addJob(tx.db, schedulerCallKind, { team_id: tx.team.id, order_id, call_id }, { delaySeconds: seconds });
  });
}

async function askForNext(tx: TxCtx<TeamCtx>, call: Call): Promise<void> {
  const call_id = await nextCall(tx, call);
  if (call_id !== null)
    await addJob(tx.db, schedulerCallKind, { team_id: tx.team.id, order_id: call.order_id, call_id });
}

/**
 * An appointment that the scheduler does not know is cancelled there; one that it keeps the operator has to call for.
 */
async function settleCancellation(tx: TxCtx<TeamCtx>, call: Call, asked: Asked<CallAnswer>): Promise<void> {
  const isDone = asked.outcome === 'answered' || (asked.outcome === 'refused' && asked.status === 404);
  if (isDone) {
    await dropCall(tx, call);
    return;
  }
  const code = asked.outcome === 'refused' ? asked.code : NO_ANSWER;
  tx.log.error({ appointment_id: call.appointment_id, reason: code }, 'a scheduler keeps a cancelled appointment');
  await handToOperator(tx, call, code);
}

type Settled = { call: Call; asked: Asked<CallAnswer> };

async function follow(
  tx: TxCtx<TeamCtx>,
  order: LoadedOrder,
  appointment: LoadedAppointment,
  { call, asked }: Settled,
): Promise<void> {
  // The scheduler's own news may come before its answer.
  if (call.kind === 'book' && appointment.status !== 'pending') return;
  if (asked.outcome !== 'answered') {
    const code = asked.outcome === 'refused' ? asked.code : NO_ANSWER;
    if (call.kind === 'book')
      return refuseBooking(tx, order, appointment, { code, isKnown: asked.outcome === 'refused' });
    // It stays where it was, and its team hears why.
    await changeAppointment(tx, order, appointment, { status: appointment.status, data: { refused: code } });
    return;
  }
  const { status, external_id } = asked.answer;
  const known = external_id ? { external_id } : {};
  const slot = slotOf(call, asked.answer, appointment);
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
 * Nothing was booked, as far as anybody knows: where no answer came, the scheduler is told so, in case it has booked.
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
    toldBy: 'scheduler',
  });
  if (!isKnown) await addCall(tx, appointment, 'cancel', { slot: null, notes: null, reason: null });
  await moveOrderIfItTakes(tx, order, 'appointment_cancelled');
}

/** When it is by the answer, else by what was asked for; null where neither says a time. */
function slotOf(
  { content: { slot } }: Call,
  { start, end }: CallAnswer,
  appointment: LoadedAppointment,
): Pick<Slot, 'by' | 'provider' | 'place' | 'start_at' | 'end_at' | 'iana_timezone'> | null {
  const start_at = momentOrNull(start) ?? slot?.start_at ?? null;
  const end_at = momentOrNull(end) ?? slot?.end_at ?? null;
  if (start_at === null || end_at === null || end_at <= start_at) return null;
  const { provider, iana_timezone } = appointment;
  return { by: 'scheduler', provider, place: slot?.place ?? appointment.place, start_at, end_at, iana_timezone };
}
