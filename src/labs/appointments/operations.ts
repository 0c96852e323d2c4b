import { Type, type Static } from 'typebox';
import type { ErrorCode } from '../../errors.ts';
import { deprecatedField, operation } from '../../operation/operation.ts';
import { CentersInfo, CentersOfOrderQuery } from '../locations/schemas.ts';
import { Uuid } from '../../wire/schema.ts';
import { centerAvailability, phlebotomyAvailability } from './slots/availability.ts';
import { bookAppointment, type Booked } from './book-appointment.ts';
import { cancelAppointment } from './cancel-appointment.ts';
import { listCancellationReasons } from './cancellation-reasons.ts';
import { readAppointment } from './find.ts';
import { listCentersOfOrder } from './list-centers-of-order.ts';
import { renderAppointment } from './render.ts';
import { requestAppointment } from './request.ts';
import { rescheduleAppointment } from './reschedule.ts';
import {
  Appointment,
  Availability,
  BookingInput,
  CancellationReason,
  CenterAvailabilityQuery,
  CenterCancelInput,
  PhlebotomyCancelInput,
  RequestInput,
  RescheduleInput,
  StartDate,
  UsAddressInput,
} from './schemas.ts';

const tag = 'appointments';
const params = Type.Object({ order_id: Uuid });
const ofOrder = ['not_found', 'user_scheduled_for_deletion'] as const satisfies ErrorCode[];
const changing = [...ofOrder, 'order_method_mismatch', 'order_takes_no_appointment'] as const satisfies ErrorCode[];
const withSlot = [
  ...changing,
  'scheduler_not_connected',
  'booking_key_invalid',
  'booking_key_expired',
  'booking_key_mismatch',
  'slot_taken',
] as const satisfies ErrorCode[];
const oneSlotOnce =
  'If two requests book the same slot, one succeeds and the other is refused with slot_taken. ' +
  'In production the service asks a connected scheduler after it has answered this request. Until the ' +
  'scheduler answers, a new appointment is pending and a moved one keeps its time; events state the outcome.';
const sameSlot =
  'Notes that are left out stay. With the slot that the appointment already has, only new notes are a change.';

const shown = async (
  booked: Promise<Omit<Booked, 'order'> & { order: { order_transaction_id: string } }>,
): Promise<Static<typeof Appointment>> => {
  const { appointment, order } = await booked;
  return renderAppointment(appointment, order, 'all');
};

const phlebotomy = [
  operation({
    id: 'get_phlebotomy_availability',
    method: 'POST',
    path: '/v3/order/phlebotomy/appointment/availability',
    tag,
    readsOnly: true,
    waits: true,
    query: Type.Object({ start_date: StartDate }),
    body: UsAddressInput,
    deprecatedFields: { unit: deprecatedField },
    response: Availability,
    summary: 'Read when somebody can visit an address',
    description:
      'A week of free slots, in the local time of the address, from a day ahead on. A booking_key books one ' +
      'of them, for that address.',
    refusals: ['scheduler_not_connected', 'scheduler_unavailable', 'area_not_served', 'start_date_too_far'],
    handle: (ctx, { query: { start_date }, body }) => phlebotomyAvailability(ctx, body, start_date),
  }),
  operation({
    id: 'book_phlebotomy_appointment',
    method: 'POST',
    path: '/v3/order/{order_id}/phlebotomy/appointment/book',
    tag,
    params,
    body: BookingInput,
    response: Appointment,
    summary: 'Book a blood draw at home',
    description: oneSlotOnce,
    refusals: [...withSlot, 'appointment_already_booked'],
    handle: (ctx, { params: { order_id }, body }) => shown(bookAppointment(ctx, order_id, 'phlebotomy', body)),
  }),
  operation({
    id: 'request_phlebotomy_appointment',
    method: 'POST',
    path: '/v3/order/{order_id}/phlebotomy/appointment/request',
    tag,
    params,
    body: RequestInput,
    deprecatedFields: { 'address.unit': deprecatedField },
    response: Appointment,
    summary: 'Request a blood draw at home without a time',
    description:
      'The appointment is pending until the provider, or the operator who books by telephone, confirms it ' +
      'with a time. In the sandbox this happens when you move the order to appointment_scheduled.',
    refusals: [...changing, 'scheduler_not_connected', 'area_not_served', 'appointment_already_booked'],
    handle: (ctx, { params: { order_id }, body }) => shown(requestAppointment(ctx, order_id, body)),
  }),
  operation({
    id: 'reschedule_phlebotomy_appointment',
    method: 'PATCH',
    path: '/v3/order/{order_id}/phlebotomy/appointment/reschedule',
    tag,
    params,
    body: RescheduleInput,
    response: Appointment,
    summary: 'Move a blood draw at home to another slot',
    description: `Until a day before it begins. ${sameSlot} ${oneSlotOnce}`,
    refusals: [...withSlot, 'appointment_not_reschedulable'],
    handle: (ctx, { params: { order_id }, body }) => shown(rescheduleAppointment(ctx, order_id, 'phlebotomy', body)),
  }),
  operation({
    id: 'cancel_phlebotomy_appointment',
    method: 'PATCH',
    path: '/v3/order/{order_id}/phlebotomy/appointment/cancel',
    tag,
    params,
    body: PhlebotomyCancelInput,
    response: Appointment,
    summary: 'Cancel a blood draw at home',
    description:
      'Until it begins. A second request changes nothing. After that the order can have another appointment.',
    refusals: [...changing, 'cancellation_note_required', 'appointment_not_cancellable'],
    handle: (ctx, { params: { order_id }, body: { cancellation_reason_id, notes = null } }) =>
      shown(cancelAppointment(ctx, order_id, 'phlebotomy', { reasonId: cancellation_reason_id, notes })),
  }),
  operation({
    id: 'list_phlebotomy_cancellation_reasons',
    method: 'GET',
    path: '/v3/order/phlebotomy/appointment/cancellation-reasons',
    tag,
    response: Type.Array(CancellationReason),
    summary: 'List the reasons for cancelling a blood draw at home',
    handle: async () => listCancellationReasons('phlebotomy'),
  }),
  operation({
    id: 'get_phlebotomy_appointment',
    method: 'GET',
    path: '/v3/order/{order_id}/phlebotomy/appointment',
    tag,
    params,
    response: Appointment,
    summary: 'Read the newest blood draw at home of an order',
    refusals: [...ofOrder],
    handle: (ctx, { params: { order_id } }) => shown(readAppointment(ctx, order_id, 'phlebotomy')),
  }),
];

const atCenters = [
  operation({
    id: 'get_psc_availability',
    method: 'POST',
    path: '/v3/order/psc/appointment/availability',
    tag,
    readsOnly: true,
    waits: true,
    query: CenterAvailabilityQuery,
    response: Availability,
    summary: 'Read the free slots of patient service centers',
    description:
      'A week of free slots, in the local time of each center, from two hours ahead on. 404 where the ' +
      'laboratory books at none of these centers.',
    refusals: ['scheduler_not_connected', 'scheduler_unavailable', 'not_found', 'start_date_too_far'],
    handle: (ctx, { query }) => centerAvailability(ctx, query),
  }),
  operation({
    id: 'book_psc_appointment',
    method: 'POST',
    path: '/v3/order/{order_id}/psc/appointment/book',
    tag,
    params,
    body: BookingInput,
    response: Appointment,
    summary: 'Book an appointment at a patient service center',
    description: oneSlotOnce,
    refusals: [...withSlot, 'appointment_already_booked'],
    handle: (ctx, { params: { order_id }, body }) =>
      shown(bookAppointment(ctx, order_id, 'patient_service_center', body)),
  }),
  operation({
    id: 'reschedule_psc_appointment',
    method: 'PATCH',
    path: '/v3/order/{order_id}/psc/appointment/reschedule',
    tag,
    params,
    body: RescheduleInput,
    response: Appointment,
    summary: 'Move an appointment at a patient service center to another slot',
    description: `Until two hours before it begins. ${sameSlot} ${oneSlotOnce}`,
    refusals: [...withSlot, 'appointment_not_reschedulable'],
    handle: (ctx, { params: { order_id }, body }) =>
      shown(rescheduleAppointment(ctx, order_id, 'patient_service_center', body)),
  }),
  operation({
    id: 'cancel_psc_appointment',
    method: 'PATCH',
    path: '/v3/order/{order_id}/psc/appointment/cancel',
    tag,
    params,
    body: CenterCancelInput,
    response: Appointment,
    summary: 'Cancel an appointment at a patient service center',
    description:
      'Until it begins. A second request changes nothing. After that the order can have another appointment.',
    refusals: [...changing, 'cancellation_note_required', 'appointment_not_cancellable'],
    handle: (ctx, { params: { order_id }, body: { cancellationReasonId, note = null } }) =>
      shown(
        cancelAppointment(ctx, order_id, 'patient_service_center', { reasonId: cancellationReasonId, notes: note }),
      ),
  }),
  operation({
    id: 'list_psc_cancellation_reasons',
    method: 'GET',
    path: '/v3/order/psc/appointment/cancellation-reasons',
    tag,
    response: Type.Array(CancellationReason),
    summary: 'List the reasons for cancelling an appointment at a patient service center',
    handle: async () => listCancellationReasons('patient_service_center'),
  }),
  operation({
    id: 'get_psc_appointment',
    method: 'GET',
    path: '/v3/order/{order_id}/psc/appointment',
    tag,
    params,
    response: Appointment,
    summary: 'Read the newest appointment at a patient service center of an order',
    refusals: [...ofOrder],
    handle: (ctx, { params: { order_id } }) => shown(readAppointment(ctx, order_id, 'patient_service_center')),
  }),
  operation({
    id: 'get_psc_info_of_order',
    method: 'GET',
    path: '/v3/order/{order_id}/psc/info',
    tag,
    params,
    query: CentersOfOrderQuery,
    response: CentersInfo,
    summary: "List the patient service centers of an order's laboratory around its patient",
    refusals: [...ofOrder, 'patient_address_missing'],
    handle: (ctx, { params: { order_id }, query }) => listCentersOfOrder(ctx, order_id, query),
  }),
];

export const appointmentOperations = [...phlebotomy, ...atCenters];
