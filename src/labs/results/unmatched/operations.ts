import { Type } from 'typebox';
import { decodeCursor, isId, takePage } from '../../../db/cursor.ts';
import { operation } from '../../../operation/operation.ts';
import { Uuid } from '../../../wire/schema.ts';
import { Order } from '../../orders/schemas.ts';
import { acceptUnmatched } from './accept-unmatched.ts';
import { findUnmatched, loadUnmatched } from './load-unmatched.ts';
import { renderUnmatched } from './render.ts';
import { resolveUnmatched } from './resolve-unmatched.ts';
import {
  AcceptUnmatchedResult,
  ResolveUnmatchedResult,
  UnmatchedResult,
  UnmatchedResultPage,
  UnmatchedResultQuery,
} from './schemas.ts';

const tag = 'unmatched';
const params = Type.Object({ raw_result_id: Uuid });

export const unmatchedOperations = [
  operation({
    id: 'list_unmatched_results',
    method: 'GET',
    path: '/v3/unmatched_result',
    tag,
    summary: 'List results whose numbers belong to no order',
    description: 'A laboratory sent them for this team without a number of one of its orders. The newest first.',
    query: UnmatchedResultQuery,
    response: UnmatchedResultPage,
    refusals: ['invalid_cursor'],
    handle: async (ctx, { query: { limit, next_cursor, ...filter } }) => {
      const after = next_cursor === undefined ? null : decodeCursor(next_cursor, isId);
      const found = await loadUnmatched(ctx, filter, { after, limit: limit + 1 });
      const { page, next_cursor: next } = takePage(found, limit, ({ id }) => id);
      return { data: page.map(renderUnmatched), next_cursor: next };
    },
  }),
  operation({
    id: 'get_unmatched_result',
    method: 'GET',
    path: '/v3/unmatched_result/{raw_result_id}',
    tag,
    params,
    summary: 'Read a result whose numbers belong to no order',
    response: UnmatchedResult,
    refusals: ['not_found'],
    handle: async (ctx, { params: { raw_result_id } }) => renderUnmatched(await findUnmatched(ctx, raw_result_id)),
  }),
  operation({
    id: 'accept_unmatched_result',
    method: 'POST',
    path: '/v3/unmatched_result/{raw_result_id}/accept',
    tag,
    params,
    summary: 'Decide to which order a result belongs',
    description:
      'The order gets the result as if the laboratory had named the order, with its status, its ' +
      'interpretation and their events. order_id may be left out if there is only one candidate, or only ' +
      'one of the user.',
    body: AcceptUnmatchedResult,
    response: Order,
    refusals: [
      'not_found',
      'user_scheduled_for_deletion',
      'unmatched_result_resolved',
      'unmatched_order_required',
      'order_takes_no_results',
    ],
    handle: (ctx, { params: { raw_result_id }, body }) => acceptUnmatched(ctx, raw_result_id, body),
  }),
  operation({
    id: 'resolve_unmatched_result',
    method: 'POST',
    path: '/v3/unmatched_result/{raw_result_id}/resolve',
    tag,
    params,
    summary: 'Decide that a result belongs to no order, or leave the decision to the operator',
    description:
      'reject ends it. unsure leaves it to the operator of the service, who decides with the same operations.',
    body: ResolveUnmatchedResult,
    response: UnmatchedResult,
    refusals: ['not_found', 'unmatched_result_resolved'],
    handle: (ctx, { params: { raw_result_id }, body }) => resolveUnmatched(ctx, raw_result_id, body),
  }),
];
