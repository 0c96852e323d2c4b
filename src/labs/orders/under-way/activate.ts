import { sql } from 'kysely';
import { Type } from 'typebox';
import type { Ctx, TeamCtx, TxCtx } from '../../../context.ts';
import { addJobs, defineJob } from '../../../db/define-job.ts';
import { acrossTeams } from '../../../db/session/bind.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { defineTeamJob } from '../../../tenancy/teams/define-team-job.ts';
import { Uuid } from '../../../wire/schema.ts';
import { lockOrderIfPresent, type LoadedOrder } from '../load-order.ts';
import { requisitionStatus } from '../send-out.ts';
import { waitsForDay } from '../waits-for-day.ts';
import { appendOrderEvents } from '../status/append-events.ts';

/** The most orders that one run of the job handles. The next run handles the remaining orders. */
const AT_ONCE = 1_000;

/** The job that activates one scheduled order when its day has come. */
const activation = defineTeamJob({
  name: 'activate_order',
  payload: Type.Object({ team_id: Uuid, order_id: Uuid }),
  key: ({ order_id }) => `activate ${order_id}`,
  run: (ctx, { order_id }) =>
    inTransaction(ctx, async (ctx) => {
      const order = await lockOrderIfPresent(ctx, order_id);
      if (order) await activateIfDue(ctx, order);
    }),
});

/**
 * The job that finds, every five minutes, the orders whose day has come in UTC. It skips orders of users who are
 * scheduled for deletion. If somebody undoes the deletion, a later run finds them.
 */
export const dueOrders = defineJob({
  name: 'activate_due_orders',
  payload: Type.Object({}),
  cron: { at: '*/5 * * * *', payload: {} },
  run: (ctx) => findDue(ctx),
});

export const activationJobs = [activation, dueOrders];

function findDue(ctx: Ctx): Promise<void> {
  return inTransaction(acrossTeams(ctx), async ({ db }) => {
    const { rows } = await sql<{ team_id: string; order_id: string }>`
      select orders.team_id, orders.id as order_id from orders join users on users.id = orders.user_id
       where orders.activate_by <= (now() at time zone 'UTC')::date and orders.activate_by is not null
         and orders.last_low_level_status = 'ordered' and users.deleted_at is null
       order by orders.activate_by limit ${AT_ONCE}`.execute(db);
    await addJobs(
      db,
      activation,
      rows.map((payload) => ({ payload })),
    );
  });
}

/** Activates an order if its day has come or if it has no day. Any other order does not change. */
export async function activateIfDue(ctx: TxCtx<TeamCtx>, order: LoadedOrder): Promise<LoadedOrder> {
  const { activate_by, last_low_level_status, patient_details } = order.row;
  const waits = await waitsForDay(ctx, activate_by);
  if (last_low_level_status !== 'ordered' || patient_details === null || waits) return order;
  return appendOrderEvents(ctx, order, [{ status: requisitionStatus(order.lab.connection) }]);
}
