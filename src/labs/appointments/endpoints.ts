import { Type, type Static } from 'typebox';
import type { ErrorCode } from '../../errors.ts';
import { deprecatedField, endpoint } from '../../http/endpoint.ts';
import { CentersInfo, CentersOfOrderQuery } from '../places/schemas.ts';
import { Uuid } from '../../wire/schema.ts';
import { centerAvailability, phlebotomyAvailability } from './slots/availability.ts';
import { bookAppointment, type Booked } from './book.ts';
import { cancelAppointment } from './cancel.ts';
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
  'Of two that book the same slot one succeeds; the other is refused with slot_taken. A scheduler that ' +
  'is connected in production is asked ' +
  'after the answer: until then an appointment is pending, or stays where it was, and events tell what came of it.';
const sameSlot = 'Notes that are left out stay. To the slot that it has already only its notes change, if they do.';

const shown = async (
  booked: Promise<Omit<Booked, 'order'> & { order: { order_transaction_id: string } }>,
): Promise<Static<typeof Appointment>> => {
  const { appointment, order } = await booked;
  return renderAppointment(appointment, order, 'all');
};

const phlebotomy = [
  endpoint({
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
    summary: 'Read when somebody can come to an address',
    description:
      'A week of free slots, in hours of the wall clock at the address, from a day ahead on. A booking_key books one, to that address.',
    refusals: ['scheduler_not_connected', 'scheduler_unavailable', 'area_not_served', 'start_date_too_far'],
    handle: (ctx, { query: { start_date }, body }) => phlebotomyAvailability(ctx, body, start_date),
  }),
  endpoint({
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
  endpoint({
    id: 'request_phlebotomy_appointment',
    method: 'POST',
    path: '/v3/order/{order_id}/phlebotomy/appointment/request',
    tag,
    params,
    body: RequestInput,
    deprecatedFields: { 'address.unit': deprecatedField },
    response: Appointment,
    summary: 'Ask for a blood draw at home, without a time',
    description:
      'The appointment is pending until the provider, or the operator who books by telephone, confirms it ' +
      'with a time. In the sandbox that is when the order is walked to appointment_scheduled.',
    refusals: [...changing, 'scheduler_not_connected', 'area_not_served', 'appointment_already_booked'],
    handle: (ctx, { params: { order_id }, body }) => shown(requestAppointment(ctx, order_id, body)),
  }),
  endpoint({
    id: 'reschedule_phlebotomy_appointment',
    method: 'PATCH',
    path: '/v3/order/{order_id}/phlebotomy/appointment/reschedule',
    tag,
    params,
    body: RescheduleInput,
    response: Appointment,
    summary: 'Move a blood draw at home to another slot',
    description: `Up to a day before it begins. ${sameSlot} ${oneSlotOnce}`,
    refusals: [...withSlot, 'appointment_not_reschedulable'],
    handle: (ctx, { params: { order_id }, body }) => shown(rescheduleAppointment(ctx, order_id, 'phlebotomy', body)),
  }),
  endpoint({
    id: 'cancel_phlebotomy_appointment',
    method: 'PATCH',
    path: '/v3/order/{order_id}/phlebotomy/appointment/cancel',
    tag,
    params,
    body: PhlebotomyCancelInput,
    response: Appointment,
    summary: 'Cancel a blood draw at home',
    description: 'Until it begins. A second time changes nothing. The order can have another appointment then.',
    refusals: [...changing, 'cancellation_note_required', 'appointment_not_cancellable'],
    handle: (ctx, { params: { order_id }, body: { cancellation_reason_id, notes = null } }) =>
      shown(cancelAppointment(ctx, order_id, 'phlebotomy', { reasonId: cancellation_reason_id, notes })),
  }),
  endpoint({
    id: 'list_phlebotomy_cancellation_reasons',
    method: 'GET',
    path: '/v3/order/phlebotomy/appointment/cancellation-reasons',
    tag,
    response: Type.Array(CancellationReason),
    summary: 'List why a blood draw at home can be cancelled',
    handle: async () => listCancellationReasons('phlebotomy'),
  }),
  endpoint({
    id: 'get_phlebotomy_appointment',
    method: 'GET',
    path: '/v3/order/{order_id}/phlebotomy/appointment',
    tag,
    params,
    response: Appointment,
    summary: "Read an order's newest blood draw at home",
    refusals: [...ofOrder],
    handle: (ctx, { params: { order_id } }) => shown(readAppointment(ctx, order_id, 'phlebotomy')),
  }),
];

const atCenters = [
  endpoint({
    id: 'get_psc_availability',
    method: 'POST',
    path: '/v3/order/psc/appointment/availability',
    tag,
    readsOnly: true,
    waits: true,
    query: CenterAvailabilityQuery,
    response: Availability,
    summary: 'Read when there is room at patient service centers',
    description:
      'A week of free slots, in hours of the wall clock at each place, from two hours ahead on. 404 where the laboratory books at no such place.',
    refusals: ['scheduler_not_connected', 'scheduler_unavailable', 'not_found', 'start_date_too_far'],
    handle: (ctx, { query }) => centerAvailability(ctx, query),
  }),
  endpoint({
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
  endpoint({
    id: 'reschedule_psc_appointment',
    method: 'PATCH',
    path: '/v3/order/{order_id}/psc/appointment/reschedule',
    tag,
    params,
    body: RescheduleInput,
    response: Appointment,
    summary: 'Move an appointment at a patient service center to another slot',
    description: `Up to two hours before it begins. ${sameSlot} ${oneSlotOnce}`,
    refusals: [...withSlot, 'appointment_not_reschedulable'],
    handle: (ctx, { params: { order_id }, body }) =>
      shown(rescheduleAppointment(ctx, order_id, 'patient_service_center', body)),
  }),
  endpoint({
    id: 'cancel_psc_appointment',
    method: 'PATCH',
    path: '/v3/order/{order_id}/psc/appointment/cancel',
    tag,
    params,
    body: CenterCancelInput,
    response: Appointment,
    summary: 'Cancel an appointment at a patient service center',
    description: 'Until it begins. A second time changes nothing. The order can have another appointment then.',
    refusals: [...changing, 'cancellation_note_required', 'appointment_not_cancellable'],
    handle: (ctx, { params: { order_id }, body: { cancellationReasonId, note = null } }) =>
      shown(
        cancelAppointment(ctx, order_id, 'patient_service_center', { reasonId: cancellationReasonId, notes: note }),
      ),
  }),
  endpoint({
    id: 'list_psc_cancellation_reasons',
    method: 'GET',
    path: '/v3/order/psc/appointment/cancellation-reasons',
    tag,
    response: Type.Array(CancellationReason),
    summary: 'List why an appointment at a patient service center can be cancelled',
    handle: async () => listCancellationReasons('patient_service_center'),
  }),
  endpoint({
    id: 'get_psc_appointment',
    method: 'GET',
    path: '/v3/order/{order_id}/psc/appointment',
    tag,
    params,
    response: Appointment,
    summary: "Read an order's newest appointment at a patient service center",
    refusals: [...ofOrder],
    handle: (ctx, { params: { order_id } }) => shown(readAppointment(ctx, order_id, 'patient_service_center')),
  }),
  endpoint({
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

export const appointmentEndpoints = [...phlebotomy, ...atCenters];
