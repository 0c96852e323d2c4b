import { Type } from 'typebox';
import type { TeamCtx } from '../../../context.ts';
import { addJobs, defineJob } from '../../../db/define-job.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { AppError } from '../../../errors.ts';
import { defineTeamJob } from '../../../tenancy/teams/define-team-job.ts';
import { loadOrder, type LoadedOrder } from '../../orders/load.ts';
import { askScheduler, type Asked } from '../../schedulers/ask-scheduler.ts';
import { findSchedulerOrNull } from '../../schedulers/find-schedulers.ts';
import { CallAnswer } from '../../schedulers/messages.ts';
import { isUnderWay, newestAppointmentOrNull } from '../find.ts';
import type { LoadedAppointment } from '../sealed.ts';
import { schedulerCallKind } from './add-call.ts';
import { settleCall, skipCall } from './settle-call.ts';
import { dueCalls, putOffCall, takeCall, type Call } from './take-call.ts';

/** While the user is leaving: nothing is booked for somebody who may be gone. */
const WHILE_LEAVING_SECONDS = 3_600;

/** Asks a scheduler, and has the appointment follow its answer. */
export const schedulerCalls = defineTeamJob({
  ...schedulerCallKind,
  run: (ctx, { order_id, call_id }) => makeCall(ctx, order_id, call_id),
});

/** Looks each minute for what is due and whose job was lost. */
export const schedulerCallResumption = defineJob({
  name: 'scheduler_call_resumption',
  payload: Type.Object({}),
  cron: { at: '* * * * *', payload: {} },
  run: async (ctx) => {
    const due = await dueCalls(ctx);
    await inTransaction(ctx, ({ db }) =>
      addJobs(
        db,
        schedulerCallKind,
        due.map((payload) => ({ payload })),
      ),
    );
  },
});

async function makeCall(ctx: TeamCtx, orderId: string, callId: string): Promise<void> {
  const call = await takeCall(ctx, orderId, callId);
  if (!call) return;
  const order = await orderOrNull(ctx, orderId);
  if (!order && call.kind !== 'cancel')
    return putOffCall(ctx, call, { seconds: WHILE_LEAVING_SECONDS, reason: 'user_scheduled_for_deletion' });
  const appointment = order && (await newestAppointmentOrNull(ctx, order.row, call.appointment_id));
  // What was cancelled meanwhile is not booked or moved any more; that it is cancelled is told next.
  if (call.kind !== 'cancel' && (!appointment || !isUnderWay(appointment))) return skipCall(ctx, call);
  const asked = await ask(ctx, call, order, appointment);
  ctx.log.info(
    { appointment_id: call.appointment_id, call: call.kind, outcome: asked.outcome, attempt: call.attempts },
    'a scheduler was asked',
  );
  await settleCall(ctx, call, asked);
}

async function orderOrNull(ctx: TeamCtx, orderId: string): Promise<LoadedOrder | null> {
  try {
    return await loadOrder(ctx, orderId);
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

async function ask(
  ctx: TeamCtx,
  call: Call,
  order: LoadedOrder | null,
  appointment: LoadedAppointment | null,
): Promise<Asked<CallAnswer>> {
  const scheduler = await findSchedulerOrNull(ctx, call.provider);
  if (scheduler?.by !== 'scheduler') return { outcome: 'no_answer', code: 'scheduler_not_connected' };
  const at = `appointments/${call.appointment_id}`;
  const { slot, notes, reason } = call.content;
  const time = { slot_id: slot?.slot_id ?? null, start: slot?.start_at ?? null, end: slot?.end_at ?? null };
  const question =
    call.kind === 'cancel'
      ? { path: `${at}/cancel`, body: { appointment_id: call.appointment_id, reason } }
      : call.kind === 'reschedule'
        ? {
            path: `${at}/reschedule`,
            body: { appointment_id: call.appointment_id, ...time, ...whereOf(slot?.place), notes },
          }
        : {
            path: 'appointments',
            body: { ...bookingOf(order as LoadedOrder, appointment as LoadedAppointment), ...time, notes },
          };
  return askScheduler(ctx, scheduler.settings, { ...question, id: call.id }, CallAnswer);
}

const whereOf = (place: LoadedAppointment['place'] | undefined): object => ({
  address: place?.address ?? null,
  site_code: place?.code ?? null,
});

/** What whoever draws has to know of the patient and the tests, and no more. */
function bookingOf({ row, labTest }: LoadedOrder, appointment: LoadedAppointment): object {
  const { first_name, last_name, dob, gender, phone_number, email } = row.patient_details ?? {};
  const isVisit = appointment.type === 'phlebotomy';
  return {
    appointment_id: appointment.id,
    order_id: row.id,
    type: appointment.type,
    time_zone: appointment.iana_timezone,
    address: isVisit ? appointment.place.address : null,
    site_code: isVisit ? null : appointment.place.code,
    patient: { first_name, last_name, dob, gender, phone_number, email },
    lab_test: { name: labTest.name, lab: labTest.lab?.slug ?? null, fasting: labTest.fasting },
  };
}
