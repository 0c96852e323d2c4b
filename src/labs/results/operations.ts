import { Type } from 'typebox';
import { operation } from '../../operation/operation.ts';
import { Uuid } from '../../wire/schema.ts';
import { findTransactionResults } from './find-of-transaction.ts';
import { findResults } from './find.ts';
import { LabResults, ResultMetadata } from './schemas.ts';

const tag = 'results';
const params = Type.Object({ order_id: Uuid });

export const resultOperations = [
  operation({
    id: 'get_results',
    method: 'GET',
    path: '/v3/order/{order_id}/result',
    tag,
    params,
    response: LabResults,
    summary: 'Read the results of an order',
    description: 'Before the laboratory has reported, the response is 404 results_not_available.',
    refusals: ['not_found', 'user_scheduled_for_deletion', 'results_not_available'],
    handle: (ctx, { params: { order_id } }) => findResults(ctx, order_id),
  }),
  operation({
    id: 'get_result_metadata',
    method: 'GET',
    path: '/v3/order/{order_id}/result/metadata',
    tag,
    params,
    response: ResultMetadata,
    summary: 'Read who reported the results of an order, and when',
    refusals: ['not_found', 'user_scheduled_for_deletion', 'results_not_available'],
    handle: async (ctx, { params: { order_id } }) => (await findResults(ctx, order_id)).metadata,
  }),
  operation({
    id: 'get_transaction_results',
    method: 'GET',
    path: '/v3/order_transaction/{transaction_id}/result',
    tag,
    params: Type.Object({ transaction_id: Uuid }),
    response: LabResults,
    summary: 'Read the results of an order and its redraws as one',
    description:
      'For each marker the newest final value of any of the orders. source_sample_id names its sample. A ' +
      'result is missing only if no order has it.',
    refusals: ['not_found', 'user_scheduled_for_deletion', 'results_not_available'],
    handle: (ctx, { params: { transaction_id } }) => findTransactionResults(ctx, transaction_id),
  }),
];
