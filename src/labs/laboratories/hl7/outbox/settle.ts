import { sql } from 'kysely';
import type { Ctx, TxCtx } from '../../../../context.ts';
import type { Waiting } from './take-waiting.ts';

type Row = Pick<Waiting, 'user_id' | 'id'>;

/**
 * What the laboratory answered to a message, whatever became of the order meanwhile: it is not sent again. That it keeps the
 * message takes nothing back that it has said since, and that was written down before.
 */
export async function settle(
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

/** What Phial itself decided of a message that waits: that it cannot be sent, or is no longer wanted. */
export async function endWaiting(
  { db }: Ctx | TxCtx,
  { user_id, id }: Row,
  { state, reason }: { state: 'refused' | 'withdrawn'; reason: string },
): Promise<void> {
  await sql`
    update laboratory_outbox set state = ${state}, last_error = ${reason}, attempts = attempts + 1, set_aside = false
     where user_id = ${user_id} and id = ${id} and state = 'waiting'`.execute(db);
}

/** From 5 seconds on, doubled each time, to 5 minutes. */
const delaySeconds = (tries: number): number => Math.min(300, 5 * 2 ** Math.min(tries, 10));

/** Others go before a message that is set aside. */
export async function setAside(
  { db }: Ctx,
  { user_id, id }: Row,
  { reason, attempts, seconds }: { reason: string; attempts: number; seconds: number },
): Promise<void> {
  await sql`
    update laboratory_outbox set attempts = ${attempts}, last_error = ${reason}, set_aside = true, queued_at = now(),
           due_at = now() + make_interval(secs => ${seconds})
     where user_id = ${user_id} and id = ${id} and state = 'waiting'`.execute(db);
}

/** As `setAside`, each time for longer. */
export const setAsideLonger = (ctx: Ctx, row: Row, reason: string, attempts: number): Promise<void> =>
  setAside(ctx, row, { reason, attempts, seconds: delaySeconds(attempts - 1) });

/** Of one order that reaches the laboratory and is not answered, before others go ahead of it. */
const TRIES_AT_THE_HEAD = 3;
/** Of one order, while the laboratory answers others. */
const MOST_UNANSWERED = 20;

/**
 * Puts a message off that got no answer. Null where the next one may follow at once: this one was set aside, or given up since
 * the laboratory answers others and never this. Else the laboratory itself seems to be away: after how many seconds it is
 * asked again, longer each time that it is silent.
 */
export async function putOff(
  ctx: Ctx,
  { user_id, id, lab_id, attempts, unanswered }: Waiting,
  { code, reached }: { code: string; reached: boolean },
): Promise<{ seconds: number | null; isGivenUp: boolean }> {
  const { rows } = await sql<{ silent: number; answers_others: boolean }>`
    update laboratory_senders set silent_tries = silent_tries + 1 where lab_id = ${lab_id}
    returning silent_tries as silent, coalesce(answered_at > (
      select sent_at from laboratory_outbox where user_id = ${user_id} and id = ${id}), false) as answers_others`.execute(
    ctx.db,
  );
  const { silent = 1, answers_others = false } = rows[0] ?? {};
  const tries = unanswered + (reached ? 1 : 0);
  if (tries >= MOST_UNANSWERED && answers_others) {
    await endWaiting(ctx, { user_id, id }, { state: 'refused', reason: code });
    return { seconds: null, isGivenUp: true };
  }
  const isAside = tries >= TRIES_AT_THE_HEAD;
  const seconds = delaySeconds(Math.max(silent, isAside ? tries : 0) - 1);
  await sql`
    update laboratory_outbox set attempts = ${attempts + 1}, unanswered = ${tries}, last_error = ${code},
           set_aside = ${isAside}, queued_at = case when ${isAside}::boolean then now() else queued_at end,
           due_at = now() + make_interval(secs => ${seconds})
     where user_id = ${user_id} and id = ${id} and state = 'waiting'`.execute(ctx.db);
  return { seconds: isAside && silent <= TRIES_AT_THE_HEAD ? null : seconds, isGivenUp: false };
}

/** The laboratory answers: what it has not answered is about one order. */
export async function heardFrom({ db }: Ctx, labId: number): Promise<void> {
  await sql`update laboratory_senders set silent_tries = 0, answered_at = now() where lab_id = ${labId}`.execute(db);
}
