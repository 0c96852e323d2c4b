import { queryOptions } from '@tanstack/react-query';
import { phial, unwrap } from '../../api/client.ts';

/** Reads an order whole. While it is open it may change, so it is read again. */
export const orderQuery = (order_id: string) =>
  queryOptions({
    queryKey: ['order', order_id],
    queryFn: () => unwrap(phial.GET('/v3/order/{order_id}', { params: { path: { order_id } } })),
    refetchInterval: ({ state }) => (state.data && isOpen(state.data.last_event.status) ? 10_000 : false),
  });

export type Order = Awaited<ReturnType<NonNullable<ReturnType<typeof orderQuery>['queryFn']>>>;

/** False for an order that has ended. */
export const isOpen = (status: string): boolean => !/^(completed|cancelled|failed)\./.test(status);

type Sibling = NonNullable<Order['order_transaction']>['orders'][number];

/** The order that this one repeats, and the order that repeats it, within its order transaction. */
export function relativesOf({ id, order_transaction }: Order): { before: string | null; after: Sibling | undefined } {
  const orders = order_transaction?.orders ?? [];
  const own = orders.find((sibling) => sibling.id === id);
  return { before: own?.parent_id ?? null, after: orders.find(({ parent_id }) => parent_id === id) };
}
