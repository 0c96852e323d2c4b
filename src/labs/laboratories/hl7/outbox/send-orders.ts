import { Type } from 'typebox';
import type { Ctx, TeamCtx } from '../../../../context.ts';
import { addJob, addJobs, defineJob } from '../../../../db/define-job.ts';
import { acrossTeams } from '../../../../db/session/bind.ts';
import { inTransaction } from '../../../../db/transaction.ts';
import { findTeamScopeOrNull, forTeam } from '../../../../tenancy/teams/scope.ts';
import { outboxKind } from '../../../orders/send-out.ts';
import { findConnectionOrNull, type Connection } from '../connections/find-connection.ts';
import { OrderNotSendable } from '../messages/order.ts';
import { dropIntoFolder } from '../transport/drop-into-folder.ts';
import { LineFailed, openLine, type Answer, type Line } from '../transport/line.ts';
import { prepareMessage, type Prepared } from './prepare-message.ts';
import { putOff, settle } from './settle.ts';
import {
  giveLineBack,
  keepLine,
  laboratoriesWithWaiting,
  nextWaiting,
  OUR_FAULT,
  takeLine,
  type Waiting,
} from './take-waiting.ts';

/** While another process has the line. */
const AGAIN_SECONDS = 5;
/** In one job; the next one goes on, so that other laboratories get their turn. */
const MOST_IN_ONE_JOB = 100;
/** As long as one that is silent takes: a slow one has no more of the time. */
const LONGEST_JOB_MS = 30_000;
/** Of a message that a laboratory takes and never answers, while it answers nothing else either. */
const MOST_UNANSWERED = 20;
/** Of an order with which something goes wrong here, each time later: together about half an hour. */
const MOST_FAULTS = 12;

/** Sends what waits for one laboratory, oldest first, one at a time. */
export const ordersOut = defineJob({ ...outboxKind, run: (ctx, { lab_id }) => sendOrders(ctx, lab_id) });

/** Looks each minute for what is due and whose job was lost. */
export const ordersOutResumption = defineJob({
  name: 'laboratory_outbox_resumption',
  payload: Type.Object({}),
  cron: { at: '* * * * *', payload: {} },
  run: async (ctx) => {
    const due = await laboratoriesWithWaiting(ctx);
    await inTransaction(ctx, ({ db }) =>
      addJobs(
        db,
        outboxKind,
        due.map((lab_id) => ({ payload: { lab_id } })),
      ),
    );
  },
});

async function sendOrders(ctx: Ctx, labId: number): Promise<void> {
  const connection = await findConnectionOrNull(ctx, labId);
  if (!connection || !(await nextWaiting(ctx, labId))) return;
  const lease = await takeLine(ctx, connection);
  if (lease === null) return again(ctx, labId, AGAIN_SECONDS);
  const post = postOf(connection);
  const until = performance.now() + LONGEST_JOB_MS;
  let waitSeconds: number | null = null;
  try {
    for (let sent = 0; waitSeconds === null; sent += 1) {
      const waiting = await nextWaiting(ctx, labId);
      if (!waiting || ctx.stopping?.aborted) return;
      if (waiting.due_in_seconds > 0 || sent >= MOST_IN_ONE_JOB || performance.now() > until) {
        waitSeconds = waiting.due_in_seconds;
      } else {
        if (!(await keepLine(ctx, connection, lease))) return;
        waitSeconds = await sendOne(ctx, waiting, connection, post);
      }
    }
  } finally {
    post.close();
    await giveLineBack(ctx, labId, lease);
  }
  await again(ctx, labId, waitSeconds);
}

const again = (ctx: Ctx, lab_id: number, delaySeconds: number): Promise<void> =>
  inTransaction(ctx, ({ db }) => addJob(db, outboxKind, { lab_id }, { delaySeconds }));

/** Null where the next one may follow; else after how many seconds this one is tried again. */
async function sendOne(ctx: Ctx, waiting: Waiting, connection: Connection, post: Post): Promise<number | null> {
  const team = await findTeamScopeOrNull(ctx, waiting.team_id);
  if (!team) {
    await settle(acrossTeams(ctx), waiting, { state: 'refused', reason: 'team_gone' });
    return null;
  }
  const scoped = forTeam(ctx, team);
  const ids = { lab: connection.slug, order_id: waiting.order_id, outbox_id: waiting.id };
  try {
    const prepared = await prepareMessage(scoped, waiting, connection);
    if (!prepared) return await leave(scoped, waiting);
    const { code, reason } = await post.send(prepared);
    if (code === 'AA') {
      await settle(scoped, waiting, { state: 'accepted', reason: null });
      ctx.log.info({ ...ids, control_id: prepared.controlId }, 'a laboratory took an order');
      return null;
    }
    const told = [code.toLowerCase(), reason].filter(Boolean).join('_');
    await settle(scoped, waiting, { state: 'refused', reason: told });
    ctx.log.warn({ ...ids, control_id: prepared.controlId, reason: told }, 'a laboratory refused an order');
    return null;
  } catch (error) {
    if (error instanceof OrderNotSendable) {
      await settle(scoped, waiting, { state: 'refused', reason: error.code });
      ctx.log.warn({ ...ids, reason: error.code }, 'an order cannot be sent as it is');
      return null;
    }
    if (!(error instanceof LineFailed)) return await skip(scoped, waiting, { ...ids, err: error });
    if (error.reached && waiting.attempts + 1 >= MOST_UNANSWERED) {
      await settle(scoped, waiting, { state: 'refused', reason: error.code });
      ctx.log.warn({ ...ids, reason: error.code }, 'a laboratory never answered an order');
      return null;
    }
    const seconds = await putOff(scoped, waiting, error.code);
    ctx.log.info({ ...ids, reason: error.code, seconds }, 'a laboratory could not be told of an order');
    return seconds;
  }
}

/** One order that goes wrong here does not hold up a laboratory: it is tried again later, and others go before it. */
async function skip(ctx: TeamCtx, waiting: Waiting, logged: { err: unknown }): Promise<null> {
  const attempts = waiting.last_error === OUR_FAULT ? waiting.attempts : 0;
  ctx.log.error(logged, 'an order could not be sent to its laboratory');
  if (attempts + 1 >= MOST_FAULTS) await settle(ctx, waiting, { state: 'refused', reason: OUR_FAULT });
  else await putOff(ctx, { ...waiting, attempts }, OUR_FAULT);
  return null;
}

/** The user is leaving, and may come back: nothing is told meanwhile, and what follows is not held up. */
async function leave(ctx: TeamCtx, waiting: Waiting): Promise<null> {
  await settle(ctx, waiting, { state: 'refused', reason: 'user_scheduled_for_deletion' });
  return null;
}

/** How messages get there: a connection that is opened with the first and kept, or a folder. */
type Post = { send: (prepared: Prepared) => Promise<Answer>; close: () => void };

function postOf({ settings }: Connection): Post {
  const { mllp, folder } = settings.orders;
  const charset = settings.charset ?? 'UTF-8';
  let line: Line | null = null;
  return {
    send: async ({ message, controlId }) => {
      if (folder !== undefined) return dropIntoFolder(folder, `${controlId}.hl7`, message, charset);
      if (!mllp) throw new LineFailed('not_configured', false);
      line ??= await openLine(mllp, charset);
      return line.send(message, controlId);
    },
    close: () => line?.close(),
  };
}
