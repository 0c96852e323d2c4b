import { sql } from 'kysely';
import { Type, type Static } from 'typebox';
import type { TeamCtx, TxCtx } from '../../../context.ts';
import { addJob, jobKind } from '../../../db/define-job.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { lockName } from '../../../db/session/named-lock.ts';
import { AppError, notFound } from '../../../errors.ts';
import { newId } from '../../../ids.ts';
import { Uuid } from '../../../wire/schema.ts';
import { isUserScheduledForDeletion } from '../load-order.ts';
import type { ResendInput } from './schemas.ts';

/**
 * The kind of the job that publishes events again. A team has at most one such job at a time. So the team takes one
 * permit (a right to run background work), however many requests it sends.
 */
export const resendKind = jobKind({
  name: 'resend_events',
  payload: Type.Object({ team_id: Uuid }),
  key: ({ team_id }) => `resend ${team_id}`,
});

const MAX_ORDERS = 10_000;
const MAX_WAITING = 10;

/**
 * Stores a request to publish the events of these orders again in the background, and returns the ids of the orders.
 * Throws not_found, user_scheduled_for_deletion, limit_reached and too_many_matches.
 */
export function requestResend(ctx: TeamCtx, input: Static<typeof ResendInput>): Promise<{ order_ids: string[] }> {
  return inTransaction(ctx, async (tx) => {
    const window = input.order_ids ? null : { start_at: input.start_at as string, end_at: input.end_at as string };
    const order_ids = window ? await ordersOfWindow(tx, window) : await ordersNamed(tx, input.order_ids as string[]);
    if (order_ids.length === 0) return { order_ids };
    await refuseMoreThanMayWait(tx);
    await tx.db
      .insertInto('event_resends')
      .values({ id: newId(), team_id: ctx.team.id, order_ids, ...window })
      .execute();
    await addJob(tx.db, resendKind, { team_id: ctx.team.id });
    return { order_ids };
  });
}

async function ordersNamed({ db, team }: TxCtx<TeamCtx>, given: string[]): Promise<string[]> {
  const wanted = [...new Set(given.map((id) => id.toLowerCase()))];
  const { rows } = await sql<{ id: string; is_leaving: boolean }>`
    select orders.id, users.deleted_at is not null as is_leaving from orders join users on users.id = orders.user_id
     where orders.team_id = ${team.id} and orders.id = any (${wanted}::uuid[]) order by orders.id`.execute(db);
  if (rows.length < wanted.length) throw notFound('Order');
  if (rows.some(({ is_leaving }) => is_leaving)) throw isUserScheduledForDeletion();
  return rows.map(({ id }) => id);
}

/**
 * Returns the orders that have an event in the window. Such an order was created before the end of the window and last
 * changed after its start. A subquery finds the events of each order by the order's key. With `exists`, PostgreSQL
 * would read the events of all teams.
 */
async function ordersOfWindow({ db, team }: TxCtx<TeamCtx>, window: { start_at: string; end_at: string }) {
  const { rows } = await sql<{ id: string }>`
    select orders.id from orders join users on users.id = orders.user_id
     where orders.team_id = ${team.id} and users.deleted_at is null
       and orders.updated_at >= ${window.start_at}
       and orders.created_at < ${window.end_at}::timestamptz + interval '1 millisecond'
       and (select true from order_events event where event.user_id = orders.user_id and event.order_id = orders.id
                and event.created_at >= ${window.start_at}
                and event.created_at < ${window.end_at}::timestamptz + interval '1 millisecond' limit 1)
     order by orders.id limit ${MAX_ORDERS + 1}`.execute(db);
  if (rows.length > MAX_ORDERS) {
    throw new AppError(
      'too_many_matches',
      `The events of at most ${MAX_ORDERS} orders can be sent again at once. Choose a shorter window.`,
    );
  }
  return rows.map(({ id }) => id);
}

async function refuseMoreThanMayWait({ db, team }: TxCtx<TeamCtx>): Promise<void> {
  await lockName(db, 'resends', team.id);
  const { rows } = await sql`
    select from event_resends where team_id = ${team.id} and ended_at is null limit ${MAX_WAITING}`.execute(db);
  if (rows.length === MAX_WAITING) {
    throw new AppError(
      'limit_reached',
      `${MAX_WAITING} requests to send events again are waiting already. Try again when they are done.`,
      { fields: { limit: MAX_WAITING } },
    );
  }
}
