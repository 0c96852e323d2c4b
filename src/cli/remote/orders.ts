import { itemsOf, pagesOf, unwrap, type components, type Phial } from '@phial/client';
import { isUuid } from '../../ids.ts';
import { UsageError } from '../command.ts';
import { printJson, tableOf } from '../print.ts';
import { readLimit, take } from './limit.ts';
import { withRemote } from './with-remote.ts';

type Order = components['schemas']['Order'];

type OrdersOptions = {
  operand: string | undefined;
  url: string | undefined;
  key: string | undefined;
  status: string[];
  search: string | undefined;
  user: string | undefined;
  interpretation: 'normal' | 'abnormal' | 'critical' | 'unknown' | undefined;
  since: string | undefined;
  until: string | undefined;
  limit: string;
  json: boolean;
};

/** Prints the orders of the team that the filters find, or one order with its events. */
export async function ordersCommand(values: OrdersOptions): Promise<number> {
  const { operand: id, json } = values;
  if (id !== undefined && !isUuid(id))
    throw new UsageError(`phial orders takes an id as ID, not ${JSON.stringify(id)}.`);
  const limit = readLimit('orders', values.limit);
  return withRemote('orders', values, async ({ team }) => {
    const phial = team();
    if (id !== undefined) {
      const order = await unwrap(phial.GET('/v3/order/{order_id}', { params: { path: { order_id: id } } }));
      if (json) printJson(order);
      else console.log(describe(order));
      return 0;
    }
    const { found, total } = await findOrders(phial, values, limit);
    if (json) printJson({ orders: found, total });
    else console.log(found.length === 0 ? 'No order matches.' : table(found));
    if (!json && total > found.length) console.error(`${total} orders match. --limit shows more.`);
    return 0;
  });
}

async function findOrders(
  phial: Phial,
  { status, search, user, interpretation, since, until }: OrdersOptions,
  limit: number,
): Promise<{ found: Order[]; total: number }> {
  const query = {
    ...(status.length > 0 && { status }),
    search_input: search,
    user_id: user,
    interpretation,
    start_date: since,
    end_date: until,
    size: Math.min(limit, 100),
  };
  let total = 0;
  const pages = pagesOf(async ({ page }) => {
    const read = await unwrap(phial.GET('/v3/orders', { params: { query: { ...query, page } } }));
    total = read.total;
    return read;
  });
  return { found: await take(itemsOf(pages, 'orders'), limit), total };
}

const table = (orders: Order[]): string =>
  tableOf(
    ['ORDER', 'STATUS', 'RESULT', 'LAB TEST', 'USER', 'CREATED'],
    orders.map(({ id, last_event, interpretation, lab_test, user_id, created_at }) => [
      id,
      last_event.status,
      interpretation,
      lab_test.name,
      user_id,
      created_at,
    ]),
  );

function describe(order: Order): string {
  const facts = tableOf(
    [`Order ${order.id}`],
    [
      [`User       ${order.user_id}`],
      [`Lab test   ${order.lab_test.name}`],
      [`Sample     ${order.sample_id ?? '-'}`],
      [`Result     ${order.interpretation ?? '-'}`],
    ],
  );
  const events = tableOf(
    ['TIME', 'STATUS'],
    order.events.map(({ created_at, status }) => [created_at, status]),
  );
  return `${facts}\n\n${events}`;
}
