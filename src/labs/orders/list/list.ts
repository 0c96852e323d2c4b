import { setImmediate as nextImmediate } from 'node:timers/promises';
import { CompiledQuery } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx } from '../../../context.ts';
import { AppError } from '../../../errors.ts';
import { countOrders } from './count-orders.ts';
import { conditionsOf, parameters, wantedOf, type OrderFilters, type OrderSelection } from './filters.ts';
import { userNotScheduledForDeletion } from '../scheduled-users.ts';
import { pageOf, pageWithTotalOrNull } from './page-of-orders.ts';
import type { OrderListQuery } from './schemas.ts';
import { loadOrders, toListedOrders, type ListedOrder, type StoredListedOrder } from '../load-order.ts';
import { openOrder, type StoredOrder } from '../sealed.ts';

/**
 * Names are sealed, so PostgreSQL cannot sort by them. To sort by name, we decrypt the names of all matches, up to this
 * number of orders.
 */
const MAX_SORTED_BY_NAME = 10_000;
/** How many rows we decrypt before we let other requests run. */
const OPENED_AT_ONCE = 500;

type Page = OrderFilters & Pick<Static<typeof OrderListQuery>, 'page' | 'size' | 'order_key' | 'order_direction'>;
type SealedPatient = Pick<StoredOrder, 'id' | 'team_id' | 'personal' | 'patient_details'>;
type Listed = { orders: ListedOrder[]; total: number };

/** Lists the orders of the caller's team that match all filters, newest first by default. */
export async function listOrders(
  ctx: TeamCtx,
  { page, size, order_key, order_direction, ...filters }: Page,
): Promise<Listed> {
  const wanted = wantedOf(ctx, filters);
  if (wanted === null) return { orders: [], total: 0 };
  const part = {
    size,
    first: (page - 1) * size,
    direction: order_direction ?? 'desc',
    byStatus: order_key === 'last_status',
  };
  const both = order_key === 'patient_name' ? null : pageWithTotalOrNull(wanted, part);
  if (both) {
    const { rows } = await ctx.db.executeQuery<StoredListedOrder & { total: number }>(both);
    if (rows[0]) return { orders: await toListedOrders(ctx, rows), total: rows[0].total };
    // A page after the last one is empty, so no row contains the total.
    return { orders: [], total: await countOrders(ctx, wanted) };
  }
  const total = await countOrders(ctx, wanted);
  if (order_key === 'patient_name') return { orders: await sortedByName(ctx, wanted, part, total), total };
  if (part.first >= total) return { orders: [], total };
  const { rows } = await ctx.db.executeQuery<StoredListedOrder>(pageOf(wanted, part, total));
  return { orders: await toListedOrders(ctx, rows), total };
}

async function sortedByName(
  ctx: TeamCtx,
  wanted: OrderSelection,
  { size, first, direction }: { size: number; first: number; direction: 'asc' | 'desc' },
  total: number,
): Promise<ListedOrder[]> {
  if (total > MAX_SORTED_BY_NAME) {
    throw new AppError(
      'too_many_matches',
      `Sorting by patient_name is possible for at most ${MAX_SORTED_BY_NAME} matches, but the filters match ` +
        `${total}. Narrow them.`,
    );
  }
  const { rows } = await ctx.db.executeQuery<SealedPatient>(namesOf(wanted));
  const named: { id: string; name: [last: string, first: string] | null }[] = [];
  for (const row of rows) {
    const { id, patient_details: patient } = openOrder(ctx, row);
    named.push({
      id,
      name: patient && [patient.last_name?.toLowerCase() ?? '', patient.first_name?.toLowerCase() ?? ''],
    });
    if (named.length % OPENED_AT_ONCE === 0) await nextImmediate();
  }
  const sign = direction === 'asc' ? 1 : -1;
  named.sort((a, b) => {
    // Orders without a patient are last in both directions.
    if (!a.name || !b.name) return a.name ? -1 : b.name ? 1 : sign * compare(a.id, b.id);
    return sign * (compare(a.name[0], b.name[0]) || compare(a.name[1], b.name[1]) || compare(a.id, b.id));
  });
  const ids = named.slice(first, first + size).map(({ id }) => id);
  return loadOrders(ctx, ids);
}

function namesOf(wanted: OrderSelection): CompiledQuery {
  const { values, bind } = parameters();
  const team = bind(wanted.team);
  const conditions = [
    `orders.team_id = ${team}`,
    userNotScheduledForDeletion(team),
    ...conditionsOf(wanted, bind, null),
  ];
  return CompiledQuery.raw(
    `select orders.id, orders.team_id, orders.personal, orders.patient_details from orders
      where ${conditions.join(' and ')}`,
    values,
  );
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
