import { Type } from 'typebox';
import type { Ctx, TeamCtx } from '../../../../context.ts';
import { addJob, addJobs, defineJob } from '../../../../db/define-job.ts';
import { acrossTeams } from '../../../../db/session/bind.ts';
import { inTransaction } from '../../../../db/transaction.ts';
import { findTeamScopeOrNull, forTeam } from '../../../../tenancy/teams/team-scope.ts';
import { outboxKind } from '../../../orders/send-out.ts';
import { findConnectionOrNull, type Connection } from '../connections/find-connection.ts';
import { isDemoLaboratory, replyOfDemo } from '../demo/demo-laboratory.ts';
import { OrderNotSendable } from '../messages/order-writer.ts';
import type { Reply } from '../messages/read-reply.ts';
import { dropIntoFolder } from '../transport/drop-into-folder.ts';
import { LineFailed, type Line } from '../transport/open-line.ts';
import { applyReply } from './apply-reply.ts';
import { leaveLine, takeLine } from './take-line.ts';
import { prepareMessage, type Message } from './prepare-message.ts';
import { endWaiting, heardFrom, scheduleNextTry, deferMessage, deferMessageLonger } from './record-reply.ts';
import {
  giveLeaseBack,
  renewLease,
  laboratoriesWithWaiting,
  nextWaiting,
  takeLease,
  type WaitingMessage,
} from './take-waiting.ts';

/** The delay of the job while another process has the lease of the laboratory. */
const AGAIN_SECONDS = 5;
/** The most messages that one job sends. The next job continues, and jobs for other laboratories run in between. */
const MAX_IN_ONE_JOB = 100;
/**
 * The longest duration of a job. It is also the usual time for which we wait for a reply. So a laboratory that replies
 * slowly occupies a job no longer than a laboratory that does not reply.
 */
const LONGEST_JOB_MS = 30_000;
/** The reason of a message that we deferred because of an error in Phial, not at the laboratory. */
const OUR_FAULT = 'internal_error';
/** The delay until we check again whether a user is still scheduled for deletion. */
const LEAVING_SECONDS = 600;
/**
 * The most tries of an order that fails because of an error in Phial. The delay grows with each try. All tries together
 * take about half an hour.
 */
const MAX_FAULTS = 12;

/** The job that sends the waiting messages of one laboratory, oldest first, one at a time. */
export const ordersOut = defineJob({ ...outboxKind, run: (ctx, { lab_id }) => sendOrders(ctx, lab_id) });

/**
 * A job that runs every minute, because a killed process may lose a send job. It adds the send job of each laboratory
 * that has a due message.
 */
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
  const lease = await takeLease(ctx, connection);
  if (lease === null) return again(ctx, labId, AGAIN_SECONDS);
  const post = postOf(ctx, connection);
  const until = performance.now() + LONGEST_JOB_MS;
  let waitSeconds: number | null = null;
  try {
    for (let sent = 0; waitSeconds === null; sent += 1) {
      const waiting = await nextWaiting(ctx, labId);
      if (!waiting || ctx.stopping?.aborted) return;
      if (waiting.due_in_seconds > 0 || sent >= MAX_IN_ONE_JOB || performance.now() > until) {
        waitSeconds = waiting.due_in_seconds;
      } else {
        if (!(await renewLease(ctx, connection, lease))) return;
        waitSeconds = await sendOne(ctx, waiting, connection, post);
      }
    }
  } finally {
    post.close();
    await giveLeaseBack(ctx, labId, lease);
  }
  await again(ctx, labId, waitSeconds);
}

const again = (ctx: Ctx, lab_id: number, delaySeconds: number): Promise<void> =>
  inTransaction(ctx, ({ db }) => addJob(db, outboxKind, { lab_id }, { delaySeconds }));

/** Sends one message. Returns null if the next message may follow at once, or else the seconds until the next try. */
async function sendOne(ctx: Ctx, waiting: WaitingMessage, connection: Connection, post: Post): Promise<number | null> {
  const team = await findTeamScopeOrNull(ctx, waiting.team_id);
  if (!team) {
    await endWaiting(acrossTeams(ctx), waiting, { state: 'refused', reason: 'team_gone' });
    return null;
  }
  const scoped = forTeam(ctx, team);
  const ids = { lab: connection.slug, order_id: waiting.order_id, outbox_id: waiting.id };
  try {
    // The preparation marks the row as sent, but the laboratory may be down. So we open the connection first. If that
    // fails, the row does not count as sent.
    await post.open();
    const prepared = await prepareMessage(scoped, waiting, connection);
    if (prepared.kind !== 'message') return await withdrawUnsendable(scoped, waiting, prepared.kind);
    const reply = await post.send(prepared.message, waiting);
    await heardFrom(ctx, waiting.lab_id);
    const { state, reason } = await applyReply(scoped, waiting, { reply, connection });
    const logged = { ...ids, control_id: prepared.message.controlId };
    if (state === 'refused') ctx.log.warn({ ...logged, reason }, 'a laboratory refused an order');
    else ctx.log.info(logged, `a laboratory ${state} an order`);
    return null;
  } catch (error) {
    if (error instanceof OrderNotSendable) {
      await endWaiting(scoped, waiting, { state: 'refused', reason: error.code });
      ctx.log.warn({ ...ids, reason: error.code }, 'an order cannot be sent with its current data');
      return null;
    }
    if (!(error instanceof LineFailed)) return await skip(scoped, waiting, { ...ids, err: error });
    const { seconds, isGivenUp } = await scheduleNextTry(scoped, waiting, error);
    if (isGivenUp) ctx.log.warn({ ...ids, reason: error.code }, 'a laboratory never replied to an order');
    else ctx.log.info({ ...ids, reason: error.code, seconds }, 'an order did not reach its laboratory or got no reply');
    return seconds;
  } finally {
    post.release();
  }
}

/**
 * Defers an order that fails because of an error in Phial, so that it does not block the other orders of the
 * laboratory.
 */
async function skip(ctx: TeamCtx, waiting: WaitingMessage, logged: { err: unknown }): Promise<null> {
  const attempts = (waiting.last_error === OUR_FAULT ? waiting.attempts : 0) + 1;
  ctx.log.error(logged, 'an order could not be sent to its laboratory');
  if (attempts >= MAX_FAULTS) await endWaiting(ctx, waiting, { state: 'refused', reason: OUR_FAULT });
  else await deferMessageLonger(ctx, waiting, OUR_FAULT, attempts);
  return null;
}

/**
 * Handles an order that must not be sent. If the order has ended, its message is withdrawn. If its user is scheduled
 * for deletion, somebody may still undo the deletion, so the message waits. Either way we continue with the next
 * message.
 */
async function withdrawUnsendable(ctx: TeamCtx, waiting: WaitingMessage, why: 'leaving' | 'unwanted'): Promise<null> {
  if (why === 'unwanted') await endWaiting(ctx, waiting, { state: 'withdrawn', reason: 'order_ended' });
  else {
    const reason = 'user_scheduled_for_deletion';
    await deferMessage(ctx, waiting, { reason, attempts: waiting.attempts, seconds: LEAVING_SECONDS });
  }
  return null;
}

/**
 * How we send to a laboratory: over a connection, which opens with the first message and stays open, or into a folder.
 */
type Post = Pick<Line, 'release' | 'close'> & {
  open: () => Promise<void>;
  send: (message: Message, waiting: WaitingMessage) => Promise<Reply>;
};

function postOf(ctx: Ctx, connection: Connection): Post {
  if (isDemoLaboratory(ctx, connection)) return demoPost(ctx);
  const { folder } = connection.settings.orders;
  const charset = connection.settings.charset ?? 'UTF-8';
  let line: Line | null = null;
  return {
    open: async () => {
      if (folder !== undefined) return;
      if (!line?.isOpen()) line = await takeLine(ctx, connection);
    },
    send: async ({ text, controlId }) => {
      if (folder !== undefined) return dropIntoFolder(folder, `${controlId}.hl7`, text, charset);
      return (line as Line).send(text, controlId);
    },
    release: () => line?.release(),
    close: () => line && leaveLine(ctx, connection, line),
  };
}

const demoPost = (ctx: Ctx): Post => ({
  open: () => Promise.resolve(),
  send: (message, waiting) => replyOfDemo(ctx, message, waiting),
  release: () => undefined,
  close: () => undefined,
});
