import { CompiledQuery } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx } from '../../../context.ts';
import { IS_NOT_SUBTRACTED, isOfList, signedRows } from '../../../totals/leaving-users.ts';
import { userNotScheduledForDeletion } from '../scheduled-users.ts';
import {
  statusesOf,
  COLLECTION_METHODS,
  topLevel,
  type CollectionMethod,
  type LowLevelStatus,
} from '../status/statuses.ts';
import { OVERDUE_CONDITIONS, type OverdueKind } from './overdue.ts';
import type { OrderCounts } from './schemas.ts';

type Counted = { low: LowLevelStatus; method: CollectionMethod; orders: number };
type Overdue = Record<OverdueKind, number>;
type Critical = Static<typeof OrderCounts>['critical_results'];
const NO_CRITICAL: Critical = { open: 0, acknowledged: 0, signed_off: 0 };

const LOW_LEVEL_STATUSES: readonly LowLevelStatus[] = [...new Set(COLLECTION_METHODS.flatMap(statusesOf))];

/** Counts the orders of the caller's team by status, and those that need a person. */
export async function countByStatus(ctx: TeamCtx): Promise<Static<typeof OrderCounts>> {
  const { db, team } = ctx;
  const { rows } = await db.executeQuery<Counted>(CompiledQuery.raw(BY_STATUS, [team.id]));
  const { rows: overdueRows } = await db.executeQuery<Overdue & { critical: number }>(
    CompiledQuery.raw(NEEDING_ACTION, [team.id]),
  );
  const { critical, ...overdue } = overdueRows[0] as Overdue & { critical: number };
  const { rows: criticalRows } = await db.executeQuery<{ status: keyof Critical; results: number }>(
    CompiledQuery.raw(CRITICAL_RESULTS, [team.id]),
  );
  const byTop = { received: 0, collecting_sample: 0, sample_with_lab: 0, completed: 0, failed: 0, cancelled: 0 };
  const byLow = new Map<LowLevelStatus, number>();
  for (const { low, method, orders } of rows) {
    byTop[topLevel(method, low)] += orders;
    byLow.set(low, (byLow.get(low) ?? 0) + orders);
  }
  const sum = (counts: number[]): number => counts.reduce((total, count) => total + count, 0);
  return {
    total: sum(Object.values(byTop)),
    by_status: byTop,
    by_low_level_status: LOW_LEVEL_STATUSES.flatMap((low_level_status) => {
      const orders = byLow.get(low_level_status) ?? 0;
      return orders > 0 ? [{ low_level_status, count: orders }] : [];
    }),
    overdue: { total: sum(Object.values(overdue)), ...overdue },
    with_open_critical_result: critical,
    critical_results: {
      ...NO_CRITICAL,
      ...Object.fromEntries(criticalRows.map(({ status, results }) => [status, results])),
    },
  };
}

/** Reads the stored totals, and subtracts one by one the orders of users whom the job has not subtracted yet. */
const BY_STATUS = `
  select low, method, sum(orders)::bigint as orders from (
    select part[1] as low, part[2] as method, ${signedRows('orders')} as orders
      from totals where team_id = $1 and ${isOfList('orders')}
    union all
    select theirs.last_low_level_status, theirs.method, -1 from users cross join lateral (
      select last_low_level_status, method from orders
       where orders.user_id >= users.id and orders.user_id <= users.id
       order by orders.user_id, orders.id offset 0) as theirs
     where users.team_id = $1 and ${IS_NOT_SUBTRACTED}
  ) as counted group by low, method having sum(orders) > 0`;

/** Counts overdue orders by kind along the index of open orders, and orders with an open critical result. */
const NEEDING_ACTION = `select ${Object.entries(OVERDUE_CONDITIONS)
  .map(
    ([kind, condition]) => `(select count(*) from orders
      where orders.team_id = $1 and ${condition} and ${userNotScheduledForDeletion('$1')}) as ${kind}`,
  )
  .join(', ')}, (
    select count(distinct orders.order_id) from critical_results orders
     where orders.team_id = $1 and orders.status = 'open' and ${userNotScheduledForDeletion('$1')}) as critical`;

/** Counts critical results along the index of their status. */
const CRITICAL_RESULTS = `select orders.status, count(*) as results from critical_results orders
  where orders.team_id = $1 and ${userNotScheduledForDeletion('$1')} group by orders.status`;
