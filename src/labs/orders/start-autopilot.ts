import { sql } from 'kysely';
import { Type } from 'typebox';
import type { TeamCtx, TxCtx } from '../../context.ts';
import { addJob, jobKind } from '../../db/define-job.ts';
import { Uuid } from '../../wire/schema.ts';

/** The job that moves an order of a sandbox through its statuses. The simulated laboratory implements it. */
export const autopilotKind = jobKind({
  name: 'autopilot',
  payload: Type.Object({ team_id: Uuid, order_id: Uuid }),
  key: ({ order_id }) => `autopilot ${order_id}`,
});

/**
 * The number of recent orders of a team up to which we count. The more recent orders a team has, the later its new job
 * runs. Above this number, one more order makes no difference.
 */
const MAX_COUNTED = 200;

/**
 * Adds the job that moves the order, if this is a sandbox that moves orders by itself. The caller runs this function in
 * the transaction that makes the order ready.
 */
export async function startAutopilot(ctx: TxCtx<TeamCtx>, orderId: string): Promise<void> {
  if (ctx.config.environment !== 'sandbox' || ctx.config.autopilotSeconds === null) return;
  const {
    rows: [recent],
  } = await sql<{ orders: number }>`
    select count(*)::integer as orders
      from (select created_at from orders where team_id = ${ctx.team.id} order by id desc limit ${MAX_COUNTED}) newest
     where created_at > now() - interval '10 minutes'`.execute(ctx.db);
  await addJob(
    ctx.db,
    autopilotKind,
    { team_id: ctx.team.id, order_id: orderId },
    { behind: recent?.orders ?? MAX_COUNTED },
  );
}
