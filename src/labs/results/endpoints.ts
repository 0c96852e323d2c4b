import { Type } from 'typebox';
import { endpoint } from '../../http/endpoint.ts';
import { Uuid } from '../../wire/schema.ts';
import { findTransactionResults } from './find-of-transaction.ts';
import { findResults } from './find.ts';
import { LabResults, ResultMetadata } from './schemas.ts';

const tag = 'results';
const params = Type.Object({ order_id: Uuid });

export const resultEndpoints = [
  endpoint({
    id: 'get_results',
    method: 'GET',
    path: '/v3/order/{order_id}/result',
    tag,
    params,
    response: LabResults,
    summary: 'Read the results of an order',
    description: 'Before the laboratory has reported: 404 results_not_available.',
    refusals: ['not_found', 'user_scheduled_for_deletion', 'results_not_available'],
    handle: (ctx, { params: { order_id } }) => findResults(ctx, order_id),
  }),
  endpoint({
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
  endpoint({
    id: 'get_transaction_results',
    method: 'GET',
    path: '/v3/order_transaction/{transaction_id}/result',
    tag,
    params: Type.Object({ transaction_id: Uuid }),
    response: LabResults,
    summary: 'Read the results of an order and its redraws as one',
    description:
      'Of each marker the newest final value, by whichever order; source_sample_id says by which sample. ' +
      'Missing is what no order brought.',
    refusals: ['not_found', 'user_scheduled_for_deletion', 'results_not_available'],
    handle: (ctx, { params: { transaction_id } }) => findTransactionResults(ctx, transaction_id),
  }),
];
