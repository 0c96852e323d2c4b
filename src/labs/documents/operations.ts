import { Type } from 'typebox';
import type { SignedCtx, TeamCtx } from '../../context.ts';
import { AppError } from '../../errors.ts';
import { operation } from '../../operation/operation.ts';
import { pdf, type Attachment } from '../../operation/media.ts';
import { linkRefused } from '../../privacy/signed-link.ts';
import { Uuid, withDefault } from '../../wire/schema.ts';
import { loadLabTest } from '../catalogue/find.ts';
import { loadTransaction } from '../orders/find-transaction.ts';
import { loadOrder, type LoadedOrder } from '../orders/load-order.ts';
import { resultsOfTransaction } from '../results/find-of-transaction.ts';
import { findDocumentOrNull, findTransactionDocumentOrNull } from '../results/find-document.ts';
import { resultsOf } from '../results/find.ts';
import type { Drawing } from './drawing/draw-document.ts';
import { printer } from './drawing/print.ts';
import { factsOf, findSender, type OrderFacts } from './facts.ts';

const tag = 'documents';
const params = Type.Object({ order_id: Uuid });
const signed = Type.Object({ token: Type.String({ maxLength: 200, description: 'The signed part of the link.' }) });

/**
 * Draws a document of an order. It reads the order before it waits for the drawing, so the request uses no database
 * connection while it waits.
 */
async function ofOrder(ctx: TeamCtx, orderId: string, toDrawing: (facts: OrderFacts) => Drawing): Promise<Buffer> {
  return drawn(ctx, await loadOrder(ctx, orderId), toDrawing);
}

async function drawn(ctx: TeamCtx, order: LoadedOrder, toDrawing: (facts: OrderFacts) => Drawing): Promise<Buffer> {
  // No document prints the link to the requisition, but the link changes each hour. If it stayed in the data, the cache
  // key would change each hour too.
  return printer.print(ctx, toDrawing(await factsOf(ctx, { ...order, requisitionUrl: { ofKey: null, ofEvents: '' } })));
}

/** Returns the laboratory's own document if the newest report came with one. Otherwise it returns our report. */
async function resultReport(ctx: TeamCtx, orderId: string): Promise<Buffer | Attachment> {
  const order = await loadOrder(ctx, orderId);
  const own = await findDocumentOrNull(ctx, order);
  if (own) return own;
  const results = await resultsOf(ctx, order);
  return drawn(ctx, order, (facts) => ({ kind: 'result_report', facts, results }));
}

/**
 * Makes a document for a signed link. If the order, the requisition or the user is missing, the error is always the
 * same, so the caller does not learn which is missing.
 */
async function byLink<T>(ctx: SignedCtx, make: (ctx: TeamCtx, orderId: string) => Promise<T>): Promise<T> {
  try {
    return await make(ctx, ctx.signedId);
  } catch (error) {
    if (error instanceof AppError && error.code !== 'not_ready') throw linkRefused();
    throw error;
  }
}

/**
 * A fixed creation date for instructions of a lab test. So the same lab test always gives the same bytes, on whatever
 * day.
 */
const NO_DAY = '2026-01-01T00:00:00.000Z';

const LabelQuery = Type.Object({
  number_of_labels: withDefault(
    Type.Integer({
      minimum: 1,
      maximum: 50,
      description: 'The number of pages. Each page is one label, and all are alike.',
    }),
    3,
  ),
  collection_date: Type.String({
    format: 'date-time',
    description:
      "When the sample was or will be taken. The label shows it in the time zone of the patient's zip code, with " +
      'the name of the zone, and a date alone as the day. Without an offset it is UTC.',
  }),
});

export const documentOperations = [
  operation({
    id: 'get_requisition_pdf',
    method: 'GET',
    path: '/v3/order/{order_id}/requisition/pdf',
    tag,
    params,
    waits: true,
    response: pdf('requisition'),
    summary: 'Print the requisition of an order',
    description:
      'It goes to the laboratory with the sample. It exists from the event requisition_created or ' +
      'requisition_bypassed until the order is cancelled. If the laboratory receives its orders electronically, ' +
      'the requisition says so, with the number of the electronic order, and is not a second order.',
    refusals: ['not_found', 'user_scheduled_for_deletion', 'document_not_available'],
    handle: (ctx, { params: { order_id } }) => ofOrder(ctx, order_id, (facts) => ({ kind: 'requisition', facts })),
  }),
  operation({
    id: 'open_requisition_link',
    method: 'GET',
    path: '/documents/requisition/{token}',
    tag,
    auth: 'signature',
    params: signed,
    waits: true,
    response: pdf('requisition'),
    summary: 'Open the requisition that requisition_form_url links to',
    description:
      'Opens without a key, for seven days after the link was made. Every refused link gets the same response.',
    handle: (ctx) => byLink(ctx, (ctx, orderId) => ofOrder(ctx, orderId, (facts) => ({ kind: 'requisition', facts }))),
  }),
  operation({
    id: 'get_labels_pdf',
    method: 'GET',
    path: '/v3/order/{order_id}/labels/pdf',
    tag,
    params,
    query: LabelQuery,
    waits: true,
    response: pdf('labels'),
    summary: 'Print labels for the specimens of an order',
    description:
      'Each page is a label of 2.25 by 1.25 inches. The DataMatrix contains the sample id. Without one it contains ' +
      'the number by which a laboratory with electronic orders knows the order, or else the order id. At such a ' +
      'laboratory labels exist as soon as the order has one of the first two.',
    refusals: ['not_found', 'user_scheduled_for_deletion', 'document_not_available'],
    handle: (ctx, { params: { order_id }, query: { number_of_labels: count, collection_date: collected } }) =>
      ofOrder(ctx, order_id, (facts) => ({ kind: 'labels', facts, count, collected })),
  }),
  operation({
    id: 'get_abn_pdf',
    method: 'GET',
    path: '/v3/order/{order_id}/abn_pdf',
    tag,
    params,
    waits: true,
    response: pdf('advance-beneficiary-notice'),
    summary: 'Print an Advance Beneficiary Notice for an order',
    description: 'It follows the items of CMS-R-131 in a layout of its own. Reasons and costs are left to fill in.',
    refusals: ['not_found', 'user_scheduled_for_deletion', 'document_not_available'],
    handle: (ctx, { params: { order_id } }) => ofOrder(ctx, order_id, (facts) => ({ kind: 'abn', facts })),
  }),
  operation({
    id: 'get_result_pdf',
    method: 'GET',
    path: '/v3/order/{order_id}/result/pdf',
    tag,
    area: 'results',
    params,
    waits: true,
    response: pdf('results'),
    summary: 'Print the results of an order',
    description:
      "The laboratory's own document, as an attachment, if the newest report came with one. Otherwise the service " +
      'prints a report with the items of 42 CFR 493.1291(c). It marks corrected values and shows what was reported ' +
      'before.',
    refusals: ['not_found', 'user_scheduled_for_deletion', 'results_not_available', 'document_too_long'],
    handle: (ctx, { params: { order_id } }) => resultReport(ctx, order_id),
  }),
  operation({
    id: 'open_result_link',
    method: 'GET',
    path: '/documents/result/{token}',
    tag,
    auth: 'signature',
    params: signed,
    waits: true,
    response: pdf('results'),
    summary: 'Open the results that a page of create_portal_url links to',
    description: 'Opens without a key, as long as the page does. Every refused link gets the same response.',
    handle: (ctx) => byLink(ctx, resultReport),
  }),
  operation({
    id: 'get_transaction_result_pdf',
    method: 'GET',
    path: '/v3/order_transaction/{transaction_id}/result/pdf',
    tag,
    area: 'results',
    params: Type.Object({ transaction_id: Uuid }),
    waits: true,
    response: pdf('results'),
    summary: 'Print the results of an order and its redraws as one',
    description:
      'For each marker the newest final value of any of the orders. Patient and physician are those of the first ' +
      "order. If only one order has results, the response is the laboratory's own document for it, if there is one.",
    refusals: ['not_found', 'user_scheduled_for_deletion', 'results_not_available', 'document_too_long'],
    handle: async (ctx, { params: { transaction_id } }) => {
      const orders = await loadTransaction(ctx, transaction_id);
      const own = await findTransactionDocumentOrNull(ctx, orders);
      if (own) return own;
      const results = await resultsOfTransaction(ctx, orders);
      return drawn(ctx, orders[0], (facts) => ({ kind: 'result_report', facts, results }));
    },
  }),
  operation({
    id: 'get_order_collection_instructions_pdf',
    method: 'GET',
    path: '/v3/order/{order_id}/collection_instruction_pdf',
    tag,
    params,
    waits: true,
    response: pdf('collection-instructions'),
    summary: 'Print the collection instructions of an order',
    refusals: ['not_found', 'user_scheduled_for_deletion', 'document_not_available'],
    handle: (ctx, { params: { order_id } }) =>
      ofOrder(ctx, order_id, ({ order: { row, labTest }, sender }) => ({
        kind: 'instructions',
        labTest,
        sender,
        at: row.created_at,
        footer: `Order ${row.id}`,
      })),
  }),
  operation({
    id: 'get_collection_instructions_pdf',
    method: 'GET',
    path: '/v3/lab_test/{lab_test_id}/collection_instruction_pdf',
    tag,
    params: Type.Object({ lab_test_id: Uuid }),
    waits: true,
    response: pdf('collection-instructions'),
    summary: 'Print the collection instructions of a lab test',
    refusals: ['not_found', 'document_not_available'],
    handle: async (ctx, { params: { lab_test_id } }) => {
      const labTest = await loadLabTest(ctx, lab_test_id);
      const sender = await findSender(ctx);
      return printer.print(ctx, { kind: 'instructions', labTest, sender, at: NO_DAY, footer: labTest.name });
    },
  }),
];
