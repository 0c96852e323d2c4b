import { sql } from 'kysely';
import type { Ctx, TxCtx } from '../../../../context.ts';
import type { WaitingMessage } from './take-waiting.ts';

type Row = Pick<WaitingMessage, 'user_id' | 'id'>;

/**
 * Records a laboratory's reply to a message, so that we do not send the message again, whatever the status of the
 * order. A commit acknowledgment only says that the laboratory has stored the message, so it never overwrites a final
 * reply.
 */
export async function recordReply(
  { db }: Ctx | TxCtx,
  { user_id, id }: Row,
  { state, reason }: { state: 'committed' | 'accepted' | 'refused'; reason: string | null },
): Promise<void> {
  await sql`
    update laboratory_outbox set state = ${state}, last_error = ${reason}, attempts = attempts + 1, unanswered = 0,
           set_aside = false, answered_at = now(), sent_at = coalesce(sent_at, now())
     where user_id = ${user_id} and id = ${id}
       and (${state} <> 'committed' or state in ('waiting', 'held', 'committed'))`.execute(db);
}

/** Ends a waiting message without the laboratory: we cannot send the message, or its order has ended. */
export async function endWaiting(
  { db }: Ctx | TxCtx,
  { user_id, id }: Row,
  { state, reason }: { state: 'refused' | 'withdrawn'; reason: string },
): Promise<void> {
  await sql`
    update laboratory_outbox set state = ${state}, last_error = ${reason}, attempts = attempts + 1, set_aside = false
     where user_id = ${user_id} and id = ${id} and state = 'waiting'`.execute(db);
}

/** Returns the seconds until the next try. The delay starts at 5 seconds and doubles with each try, up to 5 minutes. */
const delaySeconds = (tries: number): number => Math.min(300, 5 * 2 ** Math.min(tries, 10));

/**
 * Defers a message, so that other messages are sent before it. The column `set_aside` is true for a deferred message.
 */
export async function deferMessage(
  { db }: Ctx,
  { user_id, id }: Row,
  { reason, attempts, seconds }: { reason: string; attempts: number; seconds: number },
): Promise<void> {
  await sql`
    update laboratory_outbox set attempts = ${attempts}, last_error = ${reason}, set_aside = true, queued_at = now(),
           due_at = now() + make_interval(secs => ${seconds})
     where user_id = ${user_id} and id = ${id} and state = 'waiting'`.execute(db);
}

/** Defers a message like `deferMessage`, for a longer time with each try. */
export const deferMessageLonger = (ctx: Ctx, row: Row, reason: string, attempts: number): Promise<void> =>
  deferMessage(ctx, row, { reason, attempts, seconds: delaySeconds(attempts - 1) });

/** After this many tries that reached the laboratory but got no reply, we send other orders before this one. */
const TRIES_AT_THE_HEAD = 3;
/** If the laboratory replies to other orders but not to this one, we give this order up after this many tries. */
const MAX_UNANSWERED = 20;

/**
 * Schedules the next try of a message to which no reply came. Defers the message if several tries reached the
 * laboratory. Gives it up if the laboratory replies to other messages but never to this one. `seconds` is null if we
 * may send the next message at once. Otherwise the laboratory seems to be down. Then `seconds` is the delay until the
 * next try, and grows with each try.
 */
export async function scheduleNextTry(
  ctx: Ctx,
  { user_id, id, lab_id, attempts, unanswered }: WaitingMessage,
  { code, reached }: { code: string; reached: boolean },
): Promise<{ seconds: number | null; isGivenUp: boolean }> {
  const { rows } = await sql<{ silent: number; answers_others: boolean }>`
    update laboratory_senders set silent_tries = silent_tries + 1 where lab_id = ${lab_id}
    returning silent_tries as silent, coalesce(answered_at > (
      select sent_at from laboratory_outbox
       where user_id = ${user_id} and id = ${id}), false) as answers_others`.execute(ctx.db);
  const { silent = 1, answers_others = false } = rows[0] ?? {};
  const tries = unanswered + (reached ? 1 : 0);
  if (tries >= MAX_UNANSWERED && answers_others) {
    await endWaiting(ctx, { user_id, id }, { state: 'refused', reason: code });
    return { seconds: null, isGivenUp: true };
  }
  const isDeferred = tries >= TRIES_AT_THE_HEAD;
  const seconds = delaySeconds(Math.max(silent, isDeferred ? tries : 0) - 1);
  await sql`
    update laboratory_outbox set attempts = ${attempts + 1}, unanswered = ${tries}, last_error = ${code},
           set_aside = ${isDeferred}, queued_at = case when ${isDeferred}::boolean then now() else queued_at end,
           due_at = now() + make_interval(secs => ${seconds})
     where user_id = ${user_id} and id = ${id} and state = 'waiting'`.execute(ctx.db);
  return { seconds: isDeferred && silent <= TRIES_AT_THE_HEAD ? null : seconds, isGivenUp: false };
}

/**
 * Records that the laboratory replied. If the laboratory does not reply to the next message, we then know that the
 * message is the cause and not the laboratory.
 */
export async function heardFrom({ db }: Ctx, labId: number): Promise<void> {
  await sql`update laboratory_senders set silent_tries = 0, answered_at = now() where lab_id = ${labId}`.execute(db);
}
