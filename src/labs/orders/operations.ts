import { Type } from 'typebox';
import { deprecatedField, operation } from '../../operation/operation.ts';
import { Uuid } from '../../wire/schema.ts';
import { countByStatus } from './counts/count-by-status.ts';
import { OrderCounts } from './counts/schemas.ts';
import { createOrder } from './create/create.ts';
import { importOrder } from './create/import.ts';
import { CreateOrderInput, ImportOrderInput } from './create/schemas.ts';
import { createTestkitOrder } from './testkit/create.ts';
import { findOrderTransaction } from './find-transaction.ts';
import { listOrders } from './list/list.ts';
import { OrderListQuery } from './list/schemas.ts';
import { loadOrder } from './load-order.ts';
import { registerTestkit } from './testkit/register.ts';
import { orderAnswer, renderOrder, renderOrderInFull, shownWidely } from './render.ts';
import {
  OrderAnswer,
  OrderInFull,
  OrderPage,
  OrderTransactionSummary,
  RegisterTestkitInput,
  TestkitOrderInput,
} from './schemas.ts';

const tag = 'orders';
const params = Type.Object({ order_id: Uuid });

/** The error codes that the creation and the import of an order have in common. */
const ORDER_REFUSALS = [
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

/**
 * Returns the operation that lists orders, with this path. The published API document uses `/orders`, but existing
 * clients call `/v3/orders`. Both paths lead to the same operation.
 */
const listAt = (id: string, path: string): ReturnType<typeof operation> =>
  operation({
    id,
    method: 'GET',
    path,
    tag,
    query: OrderListQuery,
    response: OrderPage,
    summary: 'List orders',
    alias: path === '/orders',
    description:
      'Newest first. Filters combine. A value that no order has matches nothing. Patients show only date ' +
      'of birth, gender and address (without its access notes), unless the operator of the service has ' +
      'switched on the team setting full_patient_details_in_webhooks.',
    refusals: ['too_many_matches'],
    handle: async (ctx, { query: { page, size, ...filters } }) => {
      const { orders, total } = await listOrders(ctx, { ...filters, page, size });
      return { orders: orders.map((order) => renderOrder(order, shownWidely(ctx))), total, page, size };
    },
  });

export const orderOperations = [
  operation({
    id: 'create_order',
    method: 'POST',
    path: '/v3/order',
    tag,
    body: CreateOrderInput,
    deprecatedFields: { lab_test_id: deprecatedField, health_insurance: deprecatedField },
    response: OrderAnswer,
    summary: 'Order lab tests for a known patient',
    description:
      'By any collection method. Several lab tests, or markers beside them, become one lab test that we ' +
      'generate for the team. aoe_answers answers the questions that the laboratory asks for a marker ' +
      '(its aoe). With activate_by the order waits for that day in UTC. An order that the laboratory ' +
      'would reject later is refused with pre_flight_failed, which lists every problem at once.',
    refusals: [
      ...ORDER_REFUSALS,
      'aoe_question_unknown',
      'aoe_answer_invalid',
      'aoe_answer_missing',
      'unknown_payor',
      'primary_insurance_required',
      'icd_codes_required',
      'guarantor_required',
      'pre_flight_failed',
    ],
    handle: async (ctx, { body }) => orderAnswer(await createOrder(ctx, body), 'order created'),
  }),
  operation({
    id: 'import_order',
    method: 'POST',
    path: '/v3/order/import',
    tag,
    body: ImportOrderInput,
    response: OrderAnswer,
    summary: 'Import an order that was placed at its laboratory by other means',
    description:
      'We send nothing of it to the laboratory. We expect its results under the sample_id that it has at ' +
      'the laboratory.',
    refusals: [...ORDER_REFUSALS, 'sample_already_registered'],
    handle: async (ctx, { body }) => orderAnswer(await importOrder(ctx, body), 'order created'),
  }),
  operation({
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
    handle: async (ctx, { body }) => orderAnswer(await createTestkitOrder(ctx, body), 'order created'),
  }),
  operation({
    id: 'register_testkit',
    method: 'POST',
    path: '/v3/order/testkit/register',
    tag,
    body: RegisterTestkitInput,
    response: OrderAnswer,
    summary: 'Register a test kit to its patient',
    description:
      'Without a physician, the consents terms-of-use, telehealth-informed-consent and ' +
      "notice-of-privacy-practices are required. An unknown sample_id is bound to the user's oldest " +
      'waiting kit order, or to a new order. If the same registration is sent again, the order is updated ' +
      'without an event.',
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
    handle: async (ctx, { body }) => orderAnswer(await registerTestkit(ctx, body), 'testkit registered'),
  }),
  operation({
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
  operation({
    id: 'count_orders',
    method: 'GET',
    path: '/v3/order_counts',
    tag,
    response: OrderCounts,
    summary: 'Count orders by status, overdue orders, and orders with an open critical result',
    description:
      'Orders of users who are scheduled for deletion do not count. `GET /v3/orders` lists the orders of a status ' +
      'by its filter status, and overdue orders by is_overdue. `GET /v3/critical_result` lists critical results.',
    handle: (ctx) => countByStatus(ctx),
  }),
  listAt('list_orders', '/v3/orders'),
  listAt('list_orders_short_path', '/orders'),
  operation({
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
