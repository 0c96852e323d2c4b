import { Type } from 'typebox';
import { operation } from '../../../operation/operation.ts';
import { Uuid } from '../../../wire/schema.ts';
import { orderAnswer } from '../render.ts';
import { OrderAnswer, OrderPatch } from '../schemas.ts';
import { cancelOrder } from './cancel-order.ts';
import { completeDraw } from './complete-draw.ts';
import { correctPatient } from './correct-patient.ts';
import { patchOrder } from './patch.ts';
import { replaceOrder } from './replace-order.ts';
import { PatientCorrection } from './schemas.ts';

const tag = 'orders';
const params = Type.Object({ order_id: Uuid });

export const orderUnderWayOperations = [
  operation({
    id: 'complete_draw',
    method: 'PATCH',
    path: '/v3/order/{order_id}/draw_completed',
    tag,
    params,
    response: OrderAnswer,
    summary: 'Report that the sample was drawn, at home or on site',
    description: 'A second call changes nothing.',
    refusals: ['not_found', 'user_scheduled_for_deletion', 'draw_not_expected'],
    handle: async (ctx, { params: { order_id } }) => orderAnswer(await completeDraw(ctx, order_id), 'order updated'),
  }),
  operation({
    id: 'patch_order',
    method: 'PATCH',
    path: '/v3/order/{order_id}',
    tag,
    params,
    body: OrderPatch,
    response: OrderAnswer,
    summary: 'Change the day on which an order becomes active',
    description:
      'The day can be changed until the requisition exists, with which the order goes to its laboratory. ' +
      'null removes a day that is past, as long as the order is received.',
    refusals: ['not_found', 'user_scheduled_for_deletion', 'order_not_changeable'],
    handle: async (ctx, { params: { order_id }, body }) =>
      orderAnswer(await patchOrder(ctx, order_id, body), 'order updated'),
  }),
  operation({
    id: 'correct_patient_details',
    method: 'PATCH',
    path: '/v3/order/{order_id}/patient_details',
    tag,
    params,
    body: PatientCorrection,
    response: OrderAnswer,
    summary: 'Correct the patient of an order before the sample is collected',
    description:
      'Fields that are left out stay as they are, and null clears a field. No event is published. An order ' +
      'that its laboratory has by message keeps its patient, because the laboratory would keep the old data. ' +
      'An appointment that is booked keeps the data with which it was booked. The data of the user and ' +
      'insurances do not change. If the same correction is sent again, nothing changes.',
    refusals: [
      'not_found',
      'user_scheduled_for_deletion',
      'registration_required',
      'order_not_changeable',
      'order_sent_to_laboratory',
      'minor_ordering_disabled',
      'minor_not_served',
      'state_not_served',
      'billing_type_not_allowed',
      'pre_flight_failed',
    ],
    handle: async (ctx, { params: { order_id }, body }) =>
      orderAnswer(await correctPatient(ctx, order_id, body), 'order updated'),
  }),
  operation({
    id: 'cancel_order',
    method: 'POST',
    path: '/v3/order/{order_id}/cancel',
    tag,
    params,
    response: OrderAnswer,
    summary: 'Cancel an order',
    refusals: ['not_found', 'user_scheduled_for_deletion', 'order_not_cancellable'],
    handle: async (ctx, { params: { order_id } }) => {
      const { order, alreadyCancelled } = await cancelOrder(ctx, order_id);
      return orderAnswer(order, alreadyCancelled ? 'order already cancelled' : 'order cancelled');
    },
  }),
  operation({
    id: 'replace_order',
    method: 'POST',
    path: '/v3/order/{order_id}/replacement',
    tag,
    params,
    response: OrderAnswer,
    summary: 'Order a replacement kit, or a redraw',
    description:
      'Makes a new order in the same order transaction, with the patient, lab test and billing of this order. Its ' +
      'origin is recreation if the kit was lost, was not delivered, or is with the customer and damaged, and redraw ' +
      'if the laboratory could not use the sample (sample_error, redraw_available). The response is the new order. ' +
      'An order has at most one replacement. The order of a damaged kit stays open.',
    refusals: [
      'not_found',
      'user_scheduled_for_deletion',
      'order_not_replaceable',
      'order_already_replaced',
      'lab_test_not_orderable',
      'laboratory_not_connected',
      'state_not_served',
      'pre_flight_failed',
    ],
    handle: async (ctx, { params: { order_id } }) => orderAnswer(await replaceOrder(ctx, order_id), 'order created'),
  }),
];
