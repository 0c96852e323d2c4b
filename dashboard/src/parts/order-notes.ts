import { queryOptions } from '@tanstack/react-query';
import { phial, unwrap } from '../api/client.ts';

/** The notes of an order, the newest first. */
export const orderNotesQuery = (order_id: string) =>
  queryOptions({
    queryKey: ['order_notes', order_id],
    queryFn: () =>
      unwrap(phial.GET('/v3/order/{order_id}/note', { params: { path: { order_id }, query: { limit: 100 } } })),
  });
