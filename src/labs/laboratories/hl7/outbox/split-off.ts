import { sql } from 'kysely';
import type { TeamCtx, TxCtx } from '../../../../context.ts';
import { newId } from '../../../../ids.ts';
import type { LoadedOrder } from '../../../orders/load-order.ts';
import type { WaitingMessage } from './take-waiting.ts';

type Row = Pick<WaitingMessage, 'user_id' | 'id'>;

/** Returns the positions of the tests of an order, from 1. */
export const positionsOf = ({ labTest }: LoadedOrder): number[] => (labTest.markers ?? []).map((_, at) => at + 1);

/**
 * Moves the tests in `off` from a row of the outbox to a new row, and keeps the tests in `retained`. The new row has
 * the same values. It counts as sent only if `isSent` is true. Returns the id of the new row.
 */
export async function splitOff(
  { db }: TxCtx,
  { user_id, id }: Row,
  { retained, off, isSent }: { retained: number[]; off: number[]; isSent: boolean },
): Promise<string> {
  const other = newId();
  await sql`
    with remaining as (
      update laboratory_outbox set tests = ${retained} where user_id = ${user_id} and id = ${id} returning *
    )
    insert into laboratory_outbox
           (user_id, id, order_id, team_id, lab_id, action, state, sent_at, queued_at, created_at, tests)
    select user_id, ${other}, order_id, team_id, lab_id, action, state, case when ${isSent}::boolean then sent_at end,
           queued_at, created_at, ${off}::integer[] from remaining`.execute(db);
  return other;
}

/**
 * Splits a row for a laboratory that accepts only one test in a message. The first test stays in this row, and each
 * other test gets a new row.
 */
export async function oneMessageEach(
  tx: TxCtx<TeamCtx>,
  waiting: WaitingMessage,
  order: LoadedOrder,
): Promise<number[] | null> {
  const [first, ...others] = waiting.tests ?? positionsOf(order);
  if (first === undefined || others.length === 0) return waiting.tests;
  for (const position of others) await splitOff(tx, waiting, { retained: [first], off: [position], isSent: false });
  return [first];
}
