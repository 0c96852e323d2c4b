import { Type } from 'typebox';
import { deprecatedField, endpoint } from '../../http/endpoint.ts';
import { Uuid } from '../../wire/schema.ts';
import { createOrder } from './create/create.ts';
import { importOrder } from './create/import.ts';
import { CreateOrderInput, ImportOrderInput } from './create/schemas.ts';
import { cancelOrder } from './under-way/cancel.ts';
import { createTestkitOrder } from './testkit/create.ts';
import { findOrderTransaction } from './find-transaction.ts';
import { listOrders } from './list/list.ts';
import { OrderListQuery } from './list/schemas.ts';
import { loadOrder, type LoadedOrder } from './load.ts';
import { completeDraw } from './under-way/complete-draw.ts';
import { patchOrder } from './under-way/patch.ts';
import { registerTestkit } from './testkit/register.ts';
import { renderOrder, renderOrderInFull, shownWidely } from './render.ts';
import {
  OrderAnswer,
  OrderInFull,
  OrderPage,
  OrderPatch,
  OrderTransactionSummary,
  RegisterTestkitInput,
  TestkitOrderInput,
} from './schemas.ts';

const tag = 'orders';
const params = Type.Object({ order_id: Uuid });

/** What a place to go to, and a patient, can be refused for. */
const PLACE_REFUSALS = [
  'not_found',
  'user_scheduled_for_deletion',
  'lab_test_not_orderable',
  'laboratory_not_connected',
  'lab_account_of_other_lab',
  'lab_account_not_active',
  'mixed_laboratories',
  'mixed_collection_methods',
  'no_markers',
  'order_set_ambiguous',
  'marker_not_orderable',
  'collection_method_required',
  'collection_method_not_offered',
  'state_not_served',
  'minor_ordering_disabled',
  'minor_not_served',
  'billing_type_not_allowed',
] as const;

const answer = (
  order: LoadedOrder,
  message: string,
): { order: ReturnType<typeof renderOrder>; status: string; message: string } => ({
  order: renderOrder(order, 'all'),
  status: 'success',
  message,
});

/** The interface document writes `/orders`, its clients call `/v3/orders`: the same operation at both. */
const listAt = (id: string, path: string): ReturnType<typeof endpoint> =>
  endpoint({
    id,
    method: 'GET',
    path,
    tag,
    query: OrderListQuery,
    response: OrderPage,
    summary: 'List orders',
    alias: path === '/orders',
    description:
      'Newest first. Filters combine; a value that nothing has matches nothing. Of patients, only date of birth, gender and ' +
      'address (without its access notes) are shown, unless the team setting full_patient_details_in_webhooks is on, which ' +
      'whoever runs the service switches.',
    refusals: ['too_many_matches'],
    handle: async (ctx, { query: { page, size, ...filters } }) => {
      const { orders, total } = await listOrders(ctx, { ...filters, page, size });
      return { orders: orders.map((order) => renderOrder(order, shownWidely(ctx))), total, page, size };
    },
  });

export const orderEndpoints = [
  endpoint({
    id: 'create_order',
    method: 'POST',
    path: '/v3/order',
    tag,
    body: CreateOrderInput,
    deprecatedFields: { lab_test_id: deprecatedField, health_insurance: deprecatedField },
    response: OrderAnswer,
    summary: 'Order lab tests for a patient who is known',
    description:
      'By any way of collecting. Several lab tests, or markers beside them, come to one lab test that is generated for the ' +
      'team. What the laboratory asks with a marker (its aoe) is answered in aoe_answers. With activate_by the order waits ' +
      'for that day in UTC. Everything that the laboratory would reject later is listed at once, as pre_flight_failed.',
    refusals: [
      ...PLACE_REFUSALS,
      'aoe_question_unknown',
      'aoe_answer_invalid',
      'aoe_answer_missing',
      'unknown_payor',
      'primary_insurance_required',
      'icd_codes_required',
      'guarantor_required',
      'pre_flight_failed',
    ],
    handle: async (ctx, { body }) => answer(await createOrder(ctx, body), 'order created'),
  }),
  endpoint({
    id: 'import_order',
    method: 'POST',
    path: '/v3/order/import',
    tag,
    body: ImportOrderInput,
    response: OrderAnswer,
    summary: 'Take over an order that was placed at its laboratory by other means',
    description: 'Nothing of it goes out: its results are awaited under the sample_id that it has at the laboratory.',
    refusals: [...PLACE_REFUSALS, 'sample_already_registered'],
    handle: async (ctx, { body }) => answer(await importOrder(ctx, body), 'order created'),
  }),
  endpoint({
    id: 'complete_draw',
    method: 'PATCH',
    path: '/v3/order/{order_id}/draw_completed',
    tag,
    params,
    response: OrderAnswer,
    summary: 'Say that the sample was drawn, at home or on site',
    description: 'Said again, it changes nothing.',
    refusals: ['not_found', 'user_scheduled_for_deletion', 'draw_not_expected'],
    handle: async (ctx, { params: { order_id } }) => answer(await completeDraw(ctx, order_id), 'order updated'),
  }),
  endpoint({
    id: 'create_testkit_order',
    method: 'POST',
    path: '/v3/order/testkit',
    tag,
    body: TestkitOrderInput,
    response: OrderAnswer,
    summary: 'Order a test kit that its user registers later',
    refusals: [
      'not_found',
      'user_scheduled_for_deletion',
      'lab_test_not_orderable',
      'laboratory_not_connected',
      'lab_account_of_other_lab',
      'lab_account_not_active',
      'billing_type_not_allowed',
      'state_not_served',
      'pre_flight_failed',
    ],
    handle: async (ctx, { body }) => answer(await createTestkitOrder(ctx, body), 'order created'),
  }),
  endpoint({
    id: 'register_testkit',
    method: 'POST',
    path: '/v3/order/testkit/register',
    tag,
    body: RegisterTestkitInput,
    response: OrderAnswer,
    summary: 'Register a test kit to its patient',
    description:
      'Without a physician the consents terms-of-use, telehealth-informed-consent and notice-of-privacy-practices are needed. ' +
      "An unknown sample_id is bound to the user's oldest waiting kit order, or to a new order. The same registration again updates the order without an event.",
    refusals: [
      'not_found',
      'user_scheduled_for_deletion',
      'sample_not_found',
      'lab_test_not_orderable',
      'laboratory_not_connected',
      'sample_already_registered',
      'sample_ambiguous',
      'unknown_payor',
      'minor_ordering_disabled',
      'order_not_changeable',
      'state_not_served',
      'billing_type_not_allowed',
      'pre_flight_failed',
    ],
    handle: async (ctx, { body }) => answer(await registerTestkit(ctx, body), 'testkit registered'),
  }),
  endpoint({
    id: 'get_order',
    method: 'GET',
    path: '/v3/order/{order_id}',
    tag,
    params,
    response: OrderInFull,
    summary: 'Read an order in its longer form',
    refusals: ['not_found', 'user_scheduled_for_deletion'],
    handle: async (ctx, { params: { order_id } }) => renderOrderInFull(await loadOrder(ctx, order_id), 'all'),
  }),
  endpoint({
    id: 'patch_order',
    method: 'PATCH',
    path: '/v3/order/{order_id}',
    tag,
    params,
    body: OrderPatch,
    response: OrderAnswer,
    summary: 'Change the day on which an order becomes active',
    description:
      'Until its requisition, with which it goes to its laboratory; null takes a day away that says nothing any more, as long as the ' +
      'order is received.',
    refusals: ['not_found', 'user_scheduled_for_deletion', 'order_not_changeable'],
    handle: async (ctx, { params: { order_id }, body }) =>
      answer(await patchOrder(ctx, order_id, body), 'order updated'),
  }),
  endpoint({
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
      return answer(order, alreadyCancelled ? 'order already cancelled' : 'order cancelled');
    },
  }),
  listAt('list_orders', '/v3/orders'),
  listAt('list_orders_short_path', '/orders'),
  endpoint({
    id: 'get_order_transaction',
    method: 'GET',
    path: '/v3/order_transaction/{transaction_id}',
    tag,
    params: Type.Object({ transaction_id: Uuid }),
    response: OrderTransactionSummary,
    summary: 'Read an order transaction: an order and its redraws',
    refusals: ['not_found', 'user_scheduled_for_deletion'],
    handle: (ctx, { params: { transaction_id } }) => findOrderTransaction(ctx, transaction_id),
  }),
];
