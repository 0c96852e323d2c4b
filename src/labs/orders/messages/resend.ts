import { sql } from 'kysely';
import { Type } from 'typebox';
import type { Ctx, TeamCtx, TxCtx } from '../../../context.ts';
import { acrossTeams } from '../../../db/session/bind.ts';
import { addJob, defineJob } from '../../../db/define-job.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { defineTeamJob } from '../../../tenancy/teams/define-team-job.ts';
import { lockOrderIfPresent } from '../load.ts';
import { publishOrderEvents } from '../status/append-events.ts';
import { resendKind } from './ask-to-resend.ts';

/** Of one transaction: what a kill in between would repeat, and for how long their rows are locked. */
const PIECE = 20;
/** Of one job: then others have their turn. */
const PIECES = 10;
/** What anybody waits for goes first. */
const BEHIND = 100;

/** Sends a team's events again, oldest request first. How far it came moves with each piece: a job that runs twice goes on. */
export const resendEvents = defineTeamJob({
  ...resendKind,
  run: async (ctx, payload) => {
    for (let pieces = 0; pieces < PIECES; pieces += 1) {
      if (ctx.stopping?.aborted) break;
      if (!(await inTransaction(ctx, (tx) => sendPiece(tx)))) return;
    }
    await inTransaction(ctx, ({ db }) => addJob(db, resendKind, payload, { behind: BEHIND }));
  },
});

/** Asks for the job again where a worker was killed over it. */
export const resendResumption = defineJob({
  name: 'resume_resends',
  payload: Type.Object({}),
  cron: { at: '* * * * *', payload: {} },
  run: (ctx) => resume(ctx),
});

type Resend = { id: string; order_ids: string[]; start_at: string | null; end_at: string | null; ends: boolean };

/** False where nothing is left to send. */
async function sendPiece(ctx: TxCtx<TeamCtx>): Promise<boolean> {
  const {
    rows: [resend],
  } = await sql<Resend>`
    update event_resends set done = done + ${PIECE}, moved_at = now(),
           ended_at = case when done + ${PIECE} >= cardinality(order_ids) then now() end
     where id = (select id from event_resends where team_id = ${ctx.team.id} and ended_at is null order by id limit 1 for update)
    returning id, order_ids[done - ${PIECE} + 1 : done] as order_ids, start_at, end_at`.execute(ctx.db);
  if (!resend) return false;
  for (const id of resend.order_ids) await sendOrder(ctx, id, resend);
  return true;
}

/** Each event with the order as it was right after it, and as what is known of its patient and tests says now. */
async function sendOrder(ctx: TxCtx<TeamCtx>, id: string, { start_at, end_at }: Resend): Promise<void> {
  const order = await lockOrderIfPresent(ctx, id);
  if (!order) return;
  const wanted = order.events.filter(
    ({ created_at }) => start_at === null || end_at === null || (created_at >= start_at && created_at <= end_at),
  );
  await publishOrderEvents(ctx, order, wanted);
}

async function resume(ctx: Ctx): Promise<void> {
  const { rows } = await sql<{ team_id: string }>`
    select distinct team_id from event_resends
     where ended_at is null and moved_at < now() - interval '1 minute'`.execute(acrossTeams(ctx).db);
  for (const payload of rows) await inTransaction(ctx, ({ db }) => addJob(db, resendKind, payload, { behind: BEHIND }));
}
