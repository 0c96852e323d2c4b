import { CompiledQuery } from 'kysely';
import type { TeamCtx } from '../../../context.ts';
import { statementByIndex } from '../../../db/session/by-index.ts';
import {
  conditionsOf,
  countedConditions,
  parameters,
  type Bind,
  type CountedFilters,
  type OrderSelection,
} from './filters.ts';
import { IS_NOT_SUBTRACTED, isOfList, signedRows } from '../../../totals/leaving-users.ts';
import { overdueCount } from '../counts/overdue.ts';
import { userNotScheduledForDeletion } from '../scheduled-users.ts';

/**
 * Counts the orders that match the filters. For the filters status, method and interpretation, the function reads a
 * stored total. If there is any other filter, it counts the rows.
 */
export async function countOrders({ db }: TeamCtx, wanted: OrderSelection): Promise<number> {
  const { values, bind } = parameters();
  const team = bind(wanted.team);
  const query = isTotalled(wanted)
    ? statementByIndex(CompiledQuery.raw(`select ${totalOf(wanted.counted, team, bind)} as total`, values))
    : CompiledQuery.raw(countOf(wanted, team, bind), values);
  const { rows } = await db.executeQuery<{ total: number }>(query);
  return rows[0]?.total ?? 0;
}

/** Returns whether we store a total for these filters. */
export const isTotalled = ({ user, finding, days, overdue }: OrderSelection): boolean =>
  user === null && finding.length === 0 && days.length === 0 && overdue === null;

/**
 * Returns an SQL expression for the number of orders, without those of users who are scheduled for deletion. A stored
 * total has the orders of those whom a job has subtracted. For the others, the expression counts the rows.
 * To count the rows of a user, PostgreSQL must use the index by user. With `=`, it could choose an index of all orders
 * of the team and read all of it for each user. So the expression uses bounds (`>=` and `<=`) and `order by`, for which
 * PostgreSQL can use only the index by user.
 */
export function totalOf(counted: CountedFilters, team: string, bind: Bind): string {
  const and = (condition: string): string => ` and ${condition}`;
  const ofParts = countedConditions(counted, bind, ['part[1]', 'part[2]', 'part[3]']).map(and).join('');
  const ofOrders = countedConditions(counted, bind, ['last_low_level_status', 'method', 'interpretation'])
    .map(and)
    .join('');
  return `(select coalesce(sum(${signedRows('orders')}), 0)::bigint from totals
      where team_id = ${team} and ${isOfList('orders')}${ofParts})
    - (select count(*) from users cross join lateral (
         select from orders where orders.user_id >= users.id and orders.user_id <= users.id${ofOrders}
          order by orders.user_id, orders.id offset 0) as theirs
        where users.team_id = ${team} and ${IS_NOT_SUBTRACTED})`;
}

/**
 * Counts rows. Most orders of a team are not overdue, so for these the function subtracts the overdue ones from the
 * total, if there is one.
 */
function countOf(wanted: OrderSelection, team: string, bind: Bind): string {
  const all = { ...wanted, overdue: null };
  const ofTeam = [`orders.team_id = ${team}`, userNotScheduledForDeletion(team)];
  const isNarrow = wanted.user !== null || wanted.finding.length > 0;
  if (wanted.overdue === true && !isNarrow)
    return `select ${overdueCount([...ofTeam, ...conditionsOf(all, bind, null)])} as total`;
  if (wanted.overdue === false && isTotalled(all)) {
    const overdue = overdueCount([...ofTeam, ...conditionsOf(all, bind, null)]);
    return `select (${totalOf(wanted.counted, team, bind)}) - (${overdue}) as total`;
  }
  return `select count(*) as total from orders where ${[...ofTeam, ...conditionsOf(wanted, bind, null)].join(' and ')}`;
}
