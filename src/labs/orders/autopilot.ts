import { sql } from 'kysely';
import { Type } from 'typebox';
import type { TeamCtx, TxCtx } from '../../context.ts';
import { addJob, jobKind } from '../../db/define-job.ts';
import { Uuid } from '../../wire/schema.ts';

/** The job that walks a sandbox order on; what it does stands with the simulated laboratory. */
export const autopilotKind = jobKind({
  name: 'autopilot',
  payload: Type.Object({ team_id: Uuid, order_id: Uuid }),
  key: ({ order_id }) => `autopilot ${order_id}`,
});

/** Beyond it a team has many, however many they are. */
const MOST_COUNTED = 200;

/** Where the sandbox is told to move orders by itself: asks for it in the transaction that made one ready. */
export async function startAutopilot(ctx: TxCtx<TeamCtx>, orderId: string): Promise<void> {
  if (ctx.config.environment !== 'sandbox' || ctx.config.autopilotSeconds === null) return;
  const {
    rows: [recent],
  } = await sql<{ orders: number }>`
    select count(*)::integer as orders
      from (select created_at from orders where team_id = ${ctx.team.id} order by id desc limit ${MOST_COUNTED}) newest
     where created_at > now() - interval '10 minutes'`.execute(ctx.db);
  await addJob(
    ctx.db,
    autopilotKind,
    { team_id: ctx.team.id, order_id: orderId },
    { behind: recent?.orders ?? MOST_COUNTED },
  );
}
