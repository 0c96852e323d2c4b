import { queryOptions } from '@tanstack/react-query';
import { phial, unwrap } from '../api/client.ts';

/** The notes on some orders, the newest first. One request for all of them: each leaves a line in the audit log. */
export const orderNotesQuery = (order_ids: string[]) =>
  queryOptions({
    queryKey: ['order_notes', order_ids],
    queryFn: () => unwrap(phial.GET('/v3/order_note', { params: { query: { order_ids, limit: 100 } } })),
  });
