// Builds the SQL statement for one page of orders. Often an index has the orders in the sequence of the page. The
// statement then has to read that index from the start of the page, even if PostgreSQL's statistics suggest another
// plan. So it restricts the first column of the index by bounds and sorts by that column. For such a statement,
// PostgreSQL can use only this index.
import { CompiledQuery } from 'kysely';
import { statementByIndex } from '../../../db/session/by-index.ts';
import { preparedStatement } from '../../../db/session/prepared.ts';
import { LISTED_ORDER, LISTED_WITH } from '../load-order.ts';
import { isTotalled, totalOf } from './count-orders.ts';
import { conditionsOf, parameters, type OrderSelection } from './filters.ts';
import { userNotScheduledForDeletion } from '../scheduled-users.ts';

/**
 * The most matches that we read completely and sort. If more orders match, matches are so frequent that reading along
 * the index soon finds enough of them for a page.
 */
const MAX_GATHERED = 10_000;
/**
 * For a page that begins after this many orders, we read the total first. Otherwise a page after the last one would
 * make PostgreSQL read all orders and find nothing.
 */
const MAX_PASSED = 10_000;

type Part = { byStatus: boolean; direction: 'asc' | 'desc'; size: number; first: number };

/**
 * A column of `orders` by which the request filters, and the values that it selects in this column. An index begins
 * with this column and ends with the order's id.
 */
type Lead = { column: 'user_id' | 'last_low_level_status' | 'interpretation' | 'method'; values: string[] };

/** Returns the statement for the orders from position `first` on. `total` is the number of matches. */
export function pageOf(wanted: OrderSelection, part: Part, total: number): CompiledQuery {
  const leads = leadsOf(wanted);
  const lead = leadOf(leads, part);
  if (wanted.user !== null && lead) return walked(wanted, part, lead);
  const isNarrowed = !isTotalled(wanted) || leads.length > (lead ? 1 : 0);
  const isGathered = wanted.finding.length > 0 || wanted.user !== null || (isNarrowed && total <= MAX_GATHERED);
  return isGathered ? gathered(wanted, part) : walked(wanted, part, lead);
}

/**
 * Returns a statement for the page that also returns the total in each row. Returns null if there is no stored total,
 * if the page begins after MAX_PASSED orders, or if a filter excludes some orders of the index. Such a filter may match
 * no order, and the statement would read the entire index. So the caller must read the total first.
 */
export function pageWithTotalOrNull(wanted: OrderSelection, part: Part): CompiledQuery | null {
  const lead = leadOf(leadsOf(wanted), part);
  if (!isTotalled(wanted) || part.first > MAX_PASSED) return null;
  if (conditionsOf(wanted, () => '', lead?.column ?? null).length > 0 || (lead && lead.values.length > 1)) return null;
  const label = `page of orders by ${lead?.column ?? 'team'}, ${part.byStatus ? 'status' : 'id'} ${part.direction}`;
  return preparedStatement(label, walked(wanted, part, lead, totalOf));
}

/**
 * Returns the filtered columns with which an index begins. The column whose values match the fewest orders comes first.
 */
function leadsOf({ user, counted: { statuses, methods, interpretation } }: OrderSelection): Lead[] {
  const leads: Lead[] = [];
  if (user !== null) leads.push({ column: 'user_id', values: [user] });
  if (interpretation !== null) leads.push({ column: 'interpretation', values: [interpretation] });
  if (statuses) leads.push({ column: 'last_low_level_status', values: statuses });
  // Most orders are for test kits. The index by method does not contain them, so it cannot find them.
  if (methods && !methods.includes('testkit')) leads.push({ column: 'method', values: methods });
  return leads;
}

/** Returns the first of the columns whose index has the orders in the sequence of the page; null if there is none. */
const leadOf = (leads: Lead[], { byStatus }: Part): Lead | null =>
  leads.find(({ column }) => !byStatus || column === 'last_low_level_status') ?? null;

const whole = (orders: string, order: string, also = ''): string =>
  `select ${LISTED_ORDER}${also} from (${orders}) as orders ${LISTED_WITH} order by ${order}`;

function orderOf({ byStatus, direction }: Part): string {
  return `${byStatus ? `orders.last_low_level_status ${direction}, ` : ''}orders.id ${direction}`;
}

/**
 * Returns a statement that finds all matches by any index and then sorts them. We do not prepare it, so PostgreSQL
 * plans it each time for these values.
 */
function gathered(wanted: OrderSelection, part: Part): CompiledQuery {
  const { values, bind } = parameters();
  const team = bind(wanted.team);
  const conditions = [userNotScheduledForDeletion(team), ...conditionsOf(wanted, bind, null)];
  // With a condition on the team, PostgreSQL could choose an index by team here instead of the index by user.
  if (wanted.user === null) conditions.unshift(`orders.team_id = ${team}`);
  const order = orderOf(part);
  return CompiledQuery.raw(
    whole(
      `select * from (select orders.* from orders where ${conditions.join(' and ')} offset 0) as orders
        where orders.team_id = ${team} order by ${order}
         limit ${bind(part.size)}::bigint offset ${bind(part.first)}::bigint`,
      order,
    ),
    values,
  );
}

/** Returns a statement that reads along an index in the sequence of the list, and skips orders that do not match. */
function walked(wanted: OrderSelection, part: Part, lead: Lead | null, total?: typeof totalOf): CompiledQuery {
  const { values, bind } = parameters();
  const team = bind(wanted.team);
  const where = [
    `orders.team_id = ${team}`,
    ...conditionsOf(wanted, bind, lead?.column ?? null),
    userNotScheduledForDeletion(team),
  ].join(' and ');
  const [size, first] = [`${bind(part.size)}::bigint`, `${bind(part.first)}::bigint`];
  const order = orderOf(part);
  const also = total ? `, ${total(wanted.counted, team, bind)} as total` : '';
  const window = `limit ${size} offset ${first}`;
  if (lead === null || lead.values.length === 1) {
    const led = lead === null ? null : ledBy(lead, bind(lead.values[0]), part);
    const orders = `select orders.* from orders where ${led ? `${led.bounds} and ` : ''}${where}
      order by ${led?.order ?? order} ${window}`;
    return statementByIndex(CompiledQuery.raw(whole(orders, order, also), values));
  }
  // If the filter has several values, the statement reads the first orders of each value, merges them, and takes the
  // page from the result.
  const led = ledBy(lead, 'wanted.value', part);
  const orders = `select orders.* from unnest(${bind(lead.values)}::text[]) as wanted (value) cross join lateral (
      select orders.* from orders where ${led.bounds} and ${where}
       order by ${led.order} limit ${size} + ${first}) as orders
    order by ${order} ${window}`;
  return statementByIndex(CompiledQuery.raw(whole(orders, order, also), values));
}

/**
 * Returns bounds (`>=` and `<=`) and a sort order for which PostgreSQL can use only one index. With `=` instead of the
 * bounds, it could use other indexes.
 */
function ledBy({ column }: Lead, value: string, { direction }: Part): { bounds: string; order: string } {
  const led = `orders.${column}`;
  const type = column === 'user_id' ? 'uuid' : 'text';
  const bounds = `${led} >= ${value}::${type} and ${led} <= ${value}::${type}`;
  return {
    bounds: column === 'method' ? `${bounds} and orders.method <> 'testkit'` : bounds,
    order: `${led} ${direction}, orders.id ${direction}`,
  };
}
