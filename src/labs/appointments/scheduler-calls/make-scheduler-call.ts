import { Type } from 'typebox';
import type { TeamCtx } from '../../../context.ts';
import { addJobs, defineJob } from '../../../db/define-job.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { AppError } from '../../../errors.ts';
import { defineTeamJob } from '../../../tenancy/teams/define-team-job.ts';
import { loadOrder, type LoadedOrder } from '../../orders/load-order.ts';
import { askScheduler, type SchedulerOutcome } from '../../schedulers/ask-scheduler.ts';
import { findSchedulerOrNull } from '../../schedulers/find-schedulers.ts';
import { CallResponse } from '../../schedulers/scheduler-messages.ts';
import { isUnderWay, newestAppointmentOrNull } from '../find.ts';
import type { LoadedAppointment } from '../sealed.ts';
import { schedulerCallKind } from './add-scheduler-call.ts';
import { recordSchedulerOutcome, skipCall } from './record-scheduler-outcome.ts';
import { dueCalls, postponeSchedulerCall, takeSchedulerCall, type SchedulerCall } from './take-scheduler-call.ts';

/**
 * The delay of a request while its user is scheduled for deletion. We book nothing for a user whom we may erase soon.
 */
const WHILE_LEAVING_SECONDS = 3_600;

/** Sends one request to a scheduler, and applies the scheduler's response to the appointment. */
export const schedulerCalls = defineTeamJob({
  ...schedulerCallKind,
  run: (ctx, { order_id, call_id }) => makeSchedulerCall(ctx, order_id, call_id),
});

/** Adds a job, each minute, for every request that is overdue because its job was lost. */
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

async function makeSchedulerCall(ctx: TeamCtx, orderId: string, callId: string): Promise<void> {
  const call = await takeSchedulerCall(ctx, orderId, callId);
  if (!call) return;
  const order = await orderOrNull(ctx, orderId);
  if (!order && call.kind !== 'cancel')
    return postponeSchedulerCall(ctx, call, { seconds: WHILE_LEAVING_SECONDS, reason: 'user_scheduled_for_deletion' });
  const appointment = order && (await newestAppointmentOrNull(ctx, order.row, call.appointment_id));
  // The team may have cancelled the appointment since we added this request. Then we neither book nor move the
  // appointment. The cancellation follows as a request of its own.
  if (call.kind !== 'cancel' && (!appointment || !isUnderWay(appointment))) return skipCall(ctx, call);
  const asked = await ask(ctx, call, order, appointment);
  ctx.log.info(
    { appointment_id: call.appointment_id, call: call.kind, outcome: asked.outcome, attempt: call.attempts },
    'a scheduler was asked',
  );
  await recordSchedulerOutcome(ctx, call, asked);
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
  call: SchedulerCall,
  order: LoadedOrder | null,
  appointment: LoadedAppointment | null,
): Promise<SchedulerOutcome<CallResponse>> {
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
            body: { appointment_id: call.appointment_id, ...time, ...whereOf(slot?.site), notes },
          }
        : {
            path: 'appointments',
            body: { ...bookingOf(order as LoadedOrder, appointment as LoadedAppointment), ...time, notes },
          };
  return askScheduler(ctx, scheduler.settings, { ...question, id: call.id }, CallResponse);
}

const whereOf = (location: LoadedAppointment['site'] | undefined): object => ({
  address: location?.address ?? null,
  site_code: location?.code ?? null,
});

/**
 * Returns only those facts about the patient and the tests that the person who draws the sample needs.
 */
function bookingOf({ row, labTest }: LoadedOrder, appointment: LoadedAppointment): object {
  const { first_name, last_name, dob, gender, phone_number, email } = row.patient_details ?? {};
  const isVisit = appointment.type === 'phlebotomy';
  return {
    appointment_id: appointment.id,
    order_id: row.id,
    type: appointment.type,
    time_zone: appointment.iana_timezone,
    address: isVisit ? appointment.site.address : null,
    site_code: isVisit ? null : appointment.site.code,
    patient: { first_name, last_name, dob, gender, phone_number, email },
    lab_test: { name: labTest.name, lab: labTest.lab?.slug ?? null, fasting: labTest.fasting },
  };
}
