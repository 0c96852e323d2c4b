import { CompiledQuery } from 'kysely';
import type { TeamCtx } from '../../../context.ts';
import { statementByIndex } from '../../../db/session/by-index.ts';
import {
  conditionsOf,
  countedConditions,
  parameters,
  staying,
  type Bind,
  type CountedFilters,
  type Wanted,
} from './filters.ts';

/** How many orders are wanted. Filters of status, method and interpretation alone read a total, all others count. */
export async function countOrders({ db }: TeamCtx, wanted: Wanted): Promise<number> {
  const { values, bind } = parameters();
  const team = bind(wanted.team);
  const query = isTotalled(wanted)
    ? statementByIndex(CompiledQuery.raw(`select ${totalOf(wanted.counted, team, bind)} as total`, values))
    : CompiledQuery.raw(countOf(wanted, team, bind), values);
  const { rows } = await db.executeQuery<{ total: number }>(query);
  return rows[0]?.total ?? 0;
}

/** Whether a total tells how many these are. */
export const isTotalled = ({ user, finding, days }: Wanted): boolean =>
  user === null && finding.length === 0 && days.length === 0;

/**
 * The total as an expression, without orders of users who are scheduled for deletion: counted, or looked at one by one (record 463).
 * Bounds and an order say by which index: one that all orders of the team are in would be read whole for each user.
 */
export function totalOf(counted: CountedFilters, team: string, bind: Bind): string {
  const and = (condition: string): string => ` and ${condition}`;
  const ofParts = countedConditions(counted, bind, ['part[1]', 'part[2]', 'part[3]']).map(and).join('');
  const ofOrders = countedConditions(counted, bind, ['last_low_level_status', 'method', 'interpretation'])
    .map(and)
    .join('');
  return `(select coalesce(sum(case list when 'orders' then rows else -rows end), 0)::bigint from totals
      where team_id = ${team} and list in ('orders', 'orders left out')${ofParts})
    - (select count(*) from users cross join lateral (
         select from orders where orders.user_id >= users.id and orders.user_id <= users.id${ofOrders}
          order by orders.user_id, orders.id offset 0) as theirs
        where users.team_id = ${team} and users.deleted_at is not null and not users.orders_left_out)`;
}

function countOf(wanted: Wanted, team: string, bind: Bind): string {
  const conditions = [`orders.team_id = ${team}`, staying(team), ...conditionsOf(wanted, bind, null)];
  return `select count(*) as total from orders where ${conditions.join(' and ')}`;
}
