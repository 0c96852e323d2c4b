import { sql } from 'kysely';
import { Type } from 'typebox';
import type { Ctx, ResendWindow, TeamCtx, TxCtx } from '../../../context.ts';
import { acrossTeams } from '../../../db/session/bind.ts';
import { addJob, defineJob } from '../../../db/define-job.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { defineTeamJob } from '../../../tenancy/teams/define-team-job.ts';
import { lockOrderIfPresent } from '../load-order.ts';
import { publishOrderEvents } from '../status/append-events.ts';
import { resendKind } from './ask-to-resend.ts';
import { isInWindow } from './resend-window.ts';

/**
 * The number of orders that one transaction handles. Their rows stay locked until the commit, so the number is small.
 * If a worker is killed, the next job repeats at most this many orders.
 */
const CHUNK_ORDERS = 20;
/** The number of chunks that one run of the job handles. After them the worker runs other jobs. */
const MAX_CHUNKS = 10;
/** Resends run after other new jobs, because a person may wait for those. */
const BEHIND = 100;

/**
 * The job that publishes a team's events again, oldest request first. It records its progress after each chunk, so the
 * next run continues after the last chunk.
 */
export const resendEvents = defineTeamJob({
  ...resendKind,
  run: async (ctx, payload) => {
    for (let chunks = 0; chunks < MAX_CHUNKS; chunks += 1) {
      if (ctx.stopping?.aborted) break;
      if (!(await inTransaction(ctx, (tx) => sendChunk(tx)))) return;
    }
    await inTransaction(ctx, ({ db }) => addJob(db, resendKind, payload, { behind: BEHIND }));
  },
});

/** The job that adds `resendEvents` again if a worker was killed while it ran that job. */
export const resendResumption = defineJob({
  name: 'resume_resends',
  payload: Type.Object({}),
  cron: { at: '* * * * *', payload: {} },
  run: (ctx) => resume(ctx),
});

type Resend = ResendWindow & { id: string; order_ids: string[] };

/** Handles one chunk. Returns false if there was nothing to publish. */
async function sendChunk(ctx: TxCtx<TeamCtx>): Promise<boolean> {
  const {
    rows: [resend],
  } = await sql<Resend>`
    update event_resends set done = done + ${CHUNK_ORDERS}, moved_at = now(),
           ended_at = case when done + ${CHUNK_ORDERS} >= cardinality(order_ids) then now() end
     where id = (select id from event_resends where team_id = ${ctx.team.id} and ended_at is null
                   order by id limit 1 for update)
    returning id, order_ids[done - ${CHUNK_ORDERS} + 1 : done] as order_ids, start_at, end_at`.execute(ctx.db);
  if (!resend) return false;
  for (const id of resend.order_ids) await sendOrder(ctx, id, resend);
  return true;
}

/**
 * Publishes each event again, with the statuses that the order had right after the event. But the published event has
 * the current details of the patient and of the tests.
 */
async function sendOrder(ctx: TxCtx<TeamCtx>, id: string, window: ResendWindow): Promise<void> {
  const order = await lockOrderIfPresent(ctx, id);
  if (!order) return;
  const wanted = order.events.filter(({ created_at }) => isInWindow(created_at, window));
  await publishOrderEvents(ctx, order, wanted);
  for (const step of ctx.subscriptions.orderEventsResent) await step(ctx, order, window);
}

async function resume(ctx: Ctx): Promise<void> {
  const { rows } = await sql<{ team_id: string }>`
    select distinct team_id from event_resends
     where ended_at is null and moved_at < now() - interval '1 minute'`.execute(acrossTeams(ctx).db);
  for (const payload of rows) await inTransaction(ctx, ({ db }) => addJob(db, resendKind, payload, { behind: BEHIND }));
}
