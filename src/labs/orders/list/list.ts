import { setImmediate as nextTurn } from 'node:timers/promises';
import { CompiledQuery } from 'kysely';
import type { TeamCtx } from '../../../context.ts';
import { AppError } from '../../../errors.ts';
import { countOrders } from './count.ts';
import { PARAMETERS, valuesOf, WHERE, type OrderFilters } from './filters.ts';
import { JOINED, loadOrders, toOrders, WHOLE_ORDER, type LoadedOrder, type WholeOrder } from '../load.ts';
import type { OrderRow } from '../sealed.ts';

/** Names are sealed: they are sorted by opening them all, so only where the matches are few. */
const MOST_SORTED_BY_NAME = 10_000;
/** How many are opened before other requests have their turn. */
const OPENED_AT_ONCE = 500;

type Page = OrderFilters & { page: number; size: number };
type Listed = { orders: LoadedOrder[]; total: number };

const [limit, offset, byStatus, descending] = [1, 2, 3, 4].map((place) => `$${PARAMETERS + place}`);

// With its parameters known, each CASE is its column or nothing: what is left is the order of an index.
const ORDER = `
  case when ${byStatus}::boolean and not ${descending}::boolean then orders.last_low_level_status end asc,
  case when ${byStatus}::boolean and ${descending}::boolean then orders.last_low_level_status end desc,
  case when ${descending}::boolean then orders.id end desc,
  case when not ${descending}::boolean then orders.id end asc`;

const PAGE = `
  select ${WHOLE_ORDER}
    from (select orders.* from orders where ${WHERE} order by ${ORDER} limit ${limit}::bigint offset ${offset}::bigint) as orders ${JOINED}
   order by ${ORDER}`;

const NAMES = `select orders.id, orders.team_id, orders.patient_details from orders where ${WHERE}`;

/** Orders of the caller's team that fit all filters, newest first unless asked otherwise. */
export async function listOrders(ctx: TeamCtx, filters: Page): Promise<Listed> {
  const values = valuesOf(ctx, filters);
  if (values === null) return { orders: [], total: 0 };
  const total = await countOrders(ctx, values);
  if (filters.order_key === 'patient_name') return { orders: await sortedByName(ctx, filters, values, total), total };
  const first = (filters.page - 1) * filters.size;
  if (first >= total) return { orders: [], total };
  const { rows } = await ctx.db.executeQuery<WholeOrder>(
    CompiledQuery.raw(PAGE, [
      ...values,
      filters.size,
      first,
      filters.order_key === 'last_status',
      filters.order_direction !== 'asc',
    ]),
  );
  return { orders: await toOrders(ctx, rows), total };
}

async function sortedByName(ctx: TeamCtx, filters: Page, values: unknown[], total: number): Promise<LoadedOrder[]> {
  if (total > MOST_SORTED_BY_NAME) {
    throw new AppError(
      'too_many_matches',
      `Sorting by patient_name takes at most ${MOST_SORTED_BY_NAME} matches, but the filters leave ${total}. Narrow them.`,
    );
  }
  const { rows } = await ctx.db.executeQuery<{ id: string; team_id: string; patient_details: Buffer | null }>(
    CompiledQuery.raw(NAMES, values),
  );
  const named: { id: string; name: [last: string, first: string] | null }[] = [];
  for (const row of rows) {
    const { id, patient_details: sealed } = row;
    const patient = sealed && ctx.cipher.openJson<OrderRow['patient_details']>('orders.patient_details', row, sealed);
    named.push({
      id,
      name: patient && [patient.last_name?.toLowerCase() ?? '', patient.first_name?.toLowerCase() ?? ''],
    });
    if (named.length % OPENED_AT_ONCE === 0) await nextTurn();
  }
  const turn = filters.order_direction === 'asc' ? 1 : -1;
  named.sort((a, b) => {
    // Orders without a patient come last either way.
    if (!a.name || !b.name) return a.name ? -1 : b.name ? 1 : turn * compare(a.id, b.id);
    return turn * (compare(a.name[0], b.name[0]) || compare(a.name[1], b.name[1]) || compare(a.id, b.id));
  });
  const ids = named.slice((filters.page - 1) * filters.size, filters.page * filters.size).map(({ id }) => id);
  return loadOrders(ctx, ids);
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
