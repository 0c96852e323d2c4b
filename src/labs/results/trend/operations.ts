import { Type } from 'typebox';
import { operation } from '../../../operation/operation.ts';
import { Uuid } from '../../../wire/schema.ts';
import { findTrend } from './find-trend.ts';
import { ResultTrend, ResultTrendQuery } from './schemas.ts';

export const trendOperations = [
  operation({
    id: 'get_result_trend',
    method: 'GET',
    path: '/v3/user/{user_id}/result_trend',
    tag: 'results',
    params: Type.Object({ user_id: Uuid }),
    query: ResultTrendQuery,
    response: ResultTrend,
    summary: "Read a user's results across orders",
    description:
      'Of the newest 200 orders with results, or fewer if these have more than 20,000 results or more than a million ' +
      'characters. Each order gives one point a value: the newest that its laboratory reported. Values in different ' +
      'units are different lines. A marker that nobody measured has no line.',
    refusals: ['not_found', 'user_scheduled_for_deletion'],
    handle: (ctx, { params: { user_id }, query: { marker } }) => findTrend(ctx, user_id, marker),
  }),
];
