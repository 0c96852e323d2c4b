import { sql } from 'kysely';
import { write } from '@phial/hl7/write';
import type { TeamCtx, TxCtx } from '../../../../context.ts';
import { inTransaction } from '../../../../db/transaction.ts';
import { findInsuranceOrNull } from '../../../../insurance/find-latest.ts';
import { lockOrderIfPresent, type LoadedOrder } from '../../../orders/load-order.ts';
import { isOpen } from '../../../orders/status/statuses.ts';
import type { Connection } from '../connections/find-connection.ts';
import { orderMessage } from '../messages/order-message.ts';
import { numberOrder, numberPatient } from './number-order.ts';
import { oneMessageEach } from './split-off.ts';
import type { WaitingMessage } from './take-waiting.ts';

export type Message = { controlId: string; text: string };

/**
 * The message of a waiting row, or the reason why we do not send it. `leaving`: the user is scheduled for deletion.
 * `unwanted`: the order has ended. We check both before each try, even if an earlier try has already built the message.
 * After the checks, we mark the row as sent.
 */
export type Prepared = { kind: 'message'; message: Message } | { kind: 'leaving' } | { kind: 'unwanted' };

/**
 * Prepares the message of a waiting row. It stores the message and its control id before we send any byte. So if the
 * process is killed or no reply comes, the next try sends exactly the same bytes, and the laboratory can recognise the
 * repetition.
 */
export function prepareMessage(ctx: TeamCtx, waiting: WaitingMessage, connection: Connection): Promise<Prepared> {
  return inTransaction(ctx, async (tx): Promise<Prepared> => {
    const order = await lockOrderIfPresent(tx, waiting.order_id);
    if (!order) return { kind: 'leaving' };
    if (!(await markSent(tx, waiting, order))) return { kind: 'unwanted' };
    const stored = await findStoredOrNull(tx, waiting);
    return { kind: 'message', message: stored ?? (await writeMessage(tx, { waiting, order, connection })) };
  });
}

/** Marks a row as sent. Returns false if the order has ended, or if the row's state is not `waiting`. */
async function markSent(
  tx: TxCtx<TeamCtx>,
  { user_id, id, action }: WaitingMessage,
  { row }: LoadedOrder,
): Promise<boolean> {
  if (action === 'new' && !isOpen(row.last_low_level_status)) return false;
  const { rows } = await sql`
    update laboratory_outbox set sent_at = coalesce(sent_at, now())
     where user_id = ${user_id} and id = ${id} and state = 'waiting' returning id`.execute(tx.db);
  return rows.length > 0;
}

async function findStoredOrNull(tx: TxCtx<TeamCtx>, { user_id, id }: WaitingMessage): Promise<Message | null> {
  const stored = await tx.db
    .selectFrom('hl7_outgoing')
    .select(['control_id', 'message'])
    .where('user_id', '=', user_id)
    .where('id', '=', id)
    .executeTakeFirst();
  if (!stored) return null;
  const text = tx.cipher.openText('hl7_outgoing.message', { team_id: tx.team.id, id }, stored.message);
  return { controlId: stored.control_id, text };
}

type ToWrite = { waiting: WaitingMessage; order: LoadedOrder; connection: Connection };

async function writeMessage(tx: TxCtx<TeamCtx>, { waiting, order: locked, connection }: ToWrite): Promise<Message> {
  const { user_id, id, action } = waiting;
  const { order, number, accountNumber } = await numberOrder(tx, locked, connection);
  const tests = connection.settings.orders.one_message_per_test
    ? await oneMessageEach(tx, waiting, order)
    : waiting.tests;
  const controlId = await newControlId(tx, waiting, number);
  const { health_insurance_id: insuranceId } = order.row;
  const text = write(
    orderMessage(connection.settings, {
      order,
      kind: action,
      tests,
      number,
      patientNumber: await numberPatient(tx, user_id),
      accountNumber,
      insurance: insuranceId === null ? null : await findInsuranceOrNull(tx, user_id, insuranceId),
      controlId,
      askedAt: waiting.created_at,
      sentAt: new Date().toISOString(),
    }),
  );
  await tx.db
    .insertInto('hl7_outgoing')
    .values({
      user_id,
      id,
      team_id: tx.team.id,
      control_id: controlId,
      message: tx.cipher.sealText('hl7_outgoing.message', { team_id: tx.team.id, id }, text),
    })
    .execute();
  return { controlId, text };
}

/**
 * Makes a control id from the number of the order and N (new) or C (cancel). From the order's second message on, the
 * number of the message follows: `P0000001XN2`.
 */
async function newControlId(
  tx: TxCtx<TeamCtx>,
  { user_id, order_id, action }: WaitingMessage,
  number: string,
): Promise<string> {
  const { rows } = await sql<{ messages: number }>`
    update order_numbers set messages = messages + 1 where user_id = ${user_id} and order_id = ${order_id}
    returning messages`.execute(tx.db);
  const count = rows[0]?.messages ?? 1;
  return `${number}${action === 'new' ? 'N' : 'C'}${count === 1 ? '' : count}`;
}
