import { Type } from 'typebox';
import type { SignedCtx, TeamCtx } from '../../context.ts';
import { AppError } from '../../errors.ts';
import { endpoint } from '../../http/endpoint.ts';
import { pdf, type Attachment } from '../../http/media.ts';
import { linkRefused } from '../../privacy/signed-link.ts';
import { Uuid, withDefault } from '../../wire/schema.ts';
import { loadLabTest } from '../catalogue/find.ts';
import { loadTransaction } from '../orders/find-transaction.ts';
import { loadOrder, type LoadedOrder } from '../orders/load.ts';
import { resultsOfTransaction } from '../results/find-of-transaction.ts';
import { findDocumentOrNull, findTransactionDocumentOrNull } from '../results/find-document.ts';
import { resultsOf } from '../results/find.ts';
import type { Drawing } from './drawing/draw.ts';
import { printer } from './drawing/print.ts';
import { factsOf, findSender, type OrderFacts } from './facts.ts';

const tag = 'documents';
const params = Type.Object({ order_id: Uuid });
const signed = Type.Object({ token: Type.String({ maxLength: 200, description: 'The signed part of the link.' }) });

/** Read first, so that what waits for its turn to be drawn keeps no connection. */
async function ofOrder(ctx: TeamCtx, orderId: string, toDrawing: (facts: OrderFacts) => Drawing): Promise<Buffer> {
  return drawn(ctx, await loadOrder(ctx, orderId), toDrawing);
}

async function drawn(ctx: TeamCtx, order: LoadedOrder, toDrawing: (facts: OrderFacts) => Drawing): Promise<Buffer> {
  // No document shows the link to one, which is another one each hour.
  return printer.print(ctx, toDrawing(await factsOf(ctx, { ...order, requisitionUrl: { ofKey: null, ofEvents: '' } })));
}

/** The laboratory's own report where the newest came with one, else ours. */
async function resultReport(ctx: TeamCtx, orderId: string): Promise<Buffer | Attachment> {
  const order = await loadOrder(ctx, orderId);
  const own = await findDocumentOrNull(ctx, order);
  if (own) return own;
  const results = await resultsOf(ctx, order);
  return drawn(ctx, order, (facts) => ({ kind: 'result_report', facts, results }));
}

/** A link says nothing of what it would open, were it good: no order, no requisition and no user read the same. */
async function byLink<T>(ctx: SignedCtx, make: (ctx: TeamCtx, orderId: string) => Promise<T>): Promise<T> {
  try {
    return await make(ctx, ctx.signedId);
  } catch (error) {
    if (error instanceof AppError && error.code !== 'not_ready') throw linkRefused();
    throw error;
  }
}

/** Of a lab test the day on which it is printed does not matter: it is told as this one, so that the bytes are the same. */
const NO_DAY = '2026-01-01T00:00:00.000Z';

const LabelQuery = Type.Object({
  number_of_labels: withDefault(
    Type.Integer({ minimum: 1, maximum: 50, description: 'Pages of the document, which are labels all alike.' }),
    3,
  ),
  collection_date: Type.String({
    format: 'date-time',
    description:
      "When the sample was or will be taken; printed in the time zone of the patient's zip code, which is named, a date alone as the day. " +
      'Without an offset it is UTC.',
  }),
});

export const documentEndpoints = [
  endpoint({
    id: 'get_requisition_pdf',
    method: 'GET',
    path: '/v3/order/{order_id}/requisition/pdf',
    tag,
    params,
    waits: true,
    response: pdf('requisition'),
    summary: 'Print the requisition of an order',
    description:
      'For the laboratory: it goes with the sample. There is one from the event requisition_created or requisition_bypassed on, until the order ' +
      'is cancelled. Where the laboratory is told of its orders by messages, it says so, with the number that they bear, and orders nothing again.',
    refusals: ['not_found', 'user_scheduled_for_deletion', 'document_not_available'],
    handle: (ctx, { params: { order_id } }) => ofOrder(ctx, order_id, (facts) => ({ kind: 'requisition', facts })),
  }),
  endpoint({
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
      'Opens without a key, for seven days from when the link was made. Whatever is wrong with a link is answered alike.',
    handle: (ctx) => byLink(ctx, (ctx, orderId) => ofOrder(ctx, orderId, (facts) => ({ kind: 'requisition', facts }))),
  }),
  endpoint({
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
      'A label of 2.25 by 1.25 inches a page. The DataMatrix is the sample id, else the number by which a laboratory that is told by messages ' +
      'knows the order, else the order id. At such a laboratory there are labels as soon as the order has one of the first two.',
    refusals: ['not_found', 'user_scheduled_for_deletion', 'document_not_available'],
    handle: (ctx, { params: { order_id }, query: { number_of_labels: count, collection_date: collected } }) =>
      ofOrder(ctx, order_id, (facts) => ({ kind: 'labels', facts, count, collected })),
  }),
  endpoint({
    id: 'get_abn_pdf',
    method: 'GET',
    path: '/v3/order/{order_id}/abn_pdf',
    tag,
    params,
    waits: true,
    response: pdf('advance-beneficiary-notice'),
    summary: 'Print an Advance Beneficiary Notice for an order',
    description: 'It follows the items of CMS-R-131 in a layout of its own; reasons and costs are left to fill in.',
    refusals: ['not_found', 'user_scheduled_for_deletion', 'document_not_available'],
    handle: (ctx, { params: { order_id } }) => ofOrder(ctx, order_id, (facts) => ({ kind: 'abn', facts })),
  }),
  endpoint({
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
      "The laboratory's own document, as an attachment, where the newest report came with one. Else it is printed here, with the " +
      'items of 42 CFR 493.1291(c); corrected values are marked, with what was reported before.',
    refusals: ['not_found', 'user_scheduled_for_deletion', 'results_not_available', 'document_too_long'],
    handle: (ctx, { params: { order_id } }) => resultReport(ctx, order_id),
  }),
  endpoint({
    id: 'open_result_link',
    method: 'GET',
    path: '/documents/result/{token}',
    tag,
    auth: 'signature',
    params: signed,
    waits: true,
    response: pdf('results'),
    summary: 'Open the results that a page of create_portal_url links to',
    description: 'Opens without a key, as long as the page does. Whatever is wrong with a link is answered alike.',
    handle: (ctx) => byLink(ctx, resultReport),
  }),
  endpoint({
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
      'Of each marker the newest final value, by whichever order. Patient and physician are those of the first order. ' +
      "Where one order alone has results, the laboratory's own document of it, if there is one.",
    refusals: ['not_found', 'user_scheduled_for_deletion', 'results_not_available', 'document_too_long'],
    handle: async (ctx, { params: { transaction_id } }) => {
      const orders = await loadTransaction(ctx, transaction_id);
      const own = await findTransactionDocumentOrNull(ctx, orders);
      if (own) return own;
      const results = await resultsOfTransaction(ctx, orders);
      return drawn(ctx, orders[0], (facts) => ({ kind: 'result_report', facts, results }));
    },
  }),
  endpoint({
    id: 'get_order_collection_instructions_pdf',
    method: 'GET',
    path: '/v3/order/{order_id}/collection_instruction_pdf',
    tag,
    params,
    waits: true,
    response: pdf('collection-instructions'),
    summary: 'Print how the sample of an order is collected',
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
  endpoint({
    id: 'get_collection_instructions_pdf',
    method: 'GET',
    path: '/v3/lab_test/{lab_test_id}/collection_instruction_pdf',
    tag,
    params: Type.Object({ lab_test_id: Uuid }),
    waits: true,
    response: pdf('collection-instructions'),
    summary: 'Print how the sample of a lab test is collected',
    refusals: ['not_found', 'document_not_available'],
    handle: async (ctx, { params: { lab_test_id } }) => {
      const labTest = await loadLabTest(ctx, lab_test_id);
      const sender = await findSender(ctx);
      return printer.print(ctx, { kind: 'instructions', labTest, sender, at: NO_DAY, footer: labTest.name });
    },
  }),
];
