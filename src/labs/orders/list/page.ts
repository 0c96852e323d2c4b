// A page of orders as a statement. Pages that an index has in their order are read along it, whatever statistics say: what leads
// is asked for by bounds and is part of the order, so that one index alone has it.
import { CompiledQuery } from 'kysely';
import { statementByIndex } from '../../../db/session/by-index.ts';
import { preparedStatement } from '../../../db/session/prepared.ts';
import { LISTED_ORDER, LISTED_WITH } from '../load.ts';
import { isTotalled, totalOf } from './count.ts';
import { conditionsOf, parameters, staying, type Wanted } from './filters.ts';

/** Up to so many that are wanted are gathered and sorted; more are so common that a walk in the order of the list meets them. */
const MOST_GATHERED = 10_000;
/** Behind so many the total is asked for first: a page behind the last one would be looked for among all. */
const MOST_PASSED = 10_000;

type Part = { byStatus: boolean; direction: 'asc' | 'desc'; size: number; first: number };

/** Which column leads an index that ends with the id, and the values that are wanted of it. */
type Lead = { column: 'user_id' | 'last_low_level_status' | 'interpretation' | 'method'; values: string[] };

/** The orders from `first` on. `total` is how many are wanted. */
export function pageOf(wanted: Wanted, part: Part, total: number): CompiledQuery {
  const leads = leadsOf(wanted);
  const lead = leadOf(leads, part);
  if (wanted.user !== null && lead) return walked(wanted, part, lead);
  const isNarrowed = !isTotalled(wanted) || leads.length > (lead ? 1 : 0);
  const isGathered = wanted.finding.length > 0 || wanted.user !== null || (isNarrowed && total <= MOST_GATHERED);
  return isGathered ? gathered(wanted, part) : walked(wanted, part, lead);
}

/**
 * The same with the total in each row, as one prepared statement: where a total is kept, and everything along the index is wanted. Null
 * of all else: what fits further conditions may be nowhere, and its total says so before anything is looked for.
 */
export function pageWithTotalOrNull(wanted: Wanted, part: Part): CompiledQuery | null {
  const lead = leadOf(leadsOf(wanted), part);
  if (!isTotalled(wanted) || part.first > MOST_PASSED) return null;
  if (conditionsOf(wanted, () => '', lead?.column ?? null).length > 0 || (lead && lead.values.length > 1)) return null;
  const label = `page of orders by ${lead?.column ?? 'team'}, ${part.byStatus ? 'status' : 'id'} ${part.direction}`;
  return preparedStatement(label, walked(wanted, part, lead, totalOf));
}

/** What could lead, the narrowest first. */
function leadsOf({ user, counted: { statuses, methods, interpretation } }: Wanted): Lead[] {
  const leads: Lead[] = [];
  if (user !== null) leads.push({ column: 'user_id', values: [user] });
  if (interpretation !== null) leads.push({ column: 'interpretation', values: [interpretation] });
  if (statuses) leads.push({ column: 'last_low_level_status', values: statuses });
  // Most orders are of test kits: no index has them by their method.
  if (methods && !methods.includes('testkit')) leads.push({ column: 'method', values: methods });
  return leads;
}

/** The narrowest whose index has the order of the list. */
const leadOf = (leads: Lead[], { byStatus }: Part): Lead | null =>
  leads.find(({ column }) => !byStatus || column === 'last_low_level_status') ?? null;

const whole = (orders: string, order: string, also = ''): string =>
  `select ${LISTED_ORDER}${also} from (${orders}) as orders ${LISTED_WITH} order by ${order}`;

function orderOf({ byStatus, direction }: Part): string {
  return `${byStatus ? `orders.last_low_level_status ${direction}, ` : ''}orders.id ${direction}`;
}

/** Finds all that are wanted, by whichever index, and sorts them: planned each time, by the values and by statistics. */
function gathered(wanted: Wanted, part: Part): CompiledQuery {
  const { values, bind } = parameters();
  const team = bind(wanted.team);
  const conditions = [staying(team), ...conditionsOf(wanted, bind, null)];
  // Without it: an index by team would look as good as one by user.
  if (wanted.user === null) conditions.unshift(`orders.team_id = ${team}`);
  const order = orderOf(part);
  return CompiledQuery.raw(
    whole(
      `select * from (select orders.* from orders where ${conditions.join(' and ')} offset 0) as orders
        where orders.team_id = ${team} order by ${order} limit ${bind(part.size)}::bigint offset ${bind(part.first)}::bigint`,
      order,
    ),
    values,
  );
}

/** Reads along an index in the order of the list and leaves out what is not wanted. */
function walked(wanted: Wanted, part: Part, lead: Lead | null, total?: typeof totalOf): CompiledQuery {
  const { values, bind } = parameters();
  const team = bind(wanted.team);
  const where = [`orders.team_id = ${team}`, ...conditionsOf(wanted, bind, lead?.column ?? null), staying(team)].join(
    ' and ',
  );
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
  // Several values: the first of each, and of these the first.
  const led = ledBy(lead, 'wanted.value', part);
  const orders = `select orders.* from unnest(${bind(lead.values)}::text[]) as wanted (value) cross join lateral (
      select orders.* from orders where ${led.bounds} and ${where}
       order by ${led.order} limit ${size} + ${first}) as orders
    order by ${order} ${window}`;
  return statementByIndex(CompiledQuery.raw(whole(orders, order, also), values));
}

/** Bounds and an order that one index has: by equality, others would do as well. */
function ledBy({ column }: Lead, value: string, { direction }: Part): { bounds: string; order: string } {
  const led = `orders.${column}`;
  const type = column === 'user_id' ? 'uuid' : 'text';
  const bounds = `${led} >= ${value}::${type} and ${led} <= ${value}::${type}`;
  return {
    bounds: column === 'method' ? `${bounds} and orders.method <> 'testkit'` : bounds,
    order: `${led} ${direction}, orders.id ${direction}`,
  };
}
