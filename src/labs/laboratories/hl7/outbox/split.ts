import { sql } from 'kysely';
import type { TeamCtx, TxCtx } from '../../../../context.ts';
import { newId } from '../../../../ids.ts';
import type { LoadedOrder } from '../../../orders/load.ts';
import type { Waiting } from './take-waiting.ts';

type Row = Pick<Waiting, 'user_id' | 'id'>;

/** The places of an order's tests, from 1. */
export const placesOf = ({ labTest }: LoadedOrder): number[] => (labTest.markers ?? []).map((_, at) => at + 1);

/**
 * Keeps these tests in a row of the outbox and gives others a row of their own, which is like it but for whether it was
 * sent. Tells the new row's id.
 */
export async function splitOff(
  { db }: TxCtx,
  { user_id, id }: Row,
  { kept, off, isSent }: { kept: number[]; off: number[]; isSent: boolean },
): Promise<string> {
  const other = newId();
  await sql`
    with kept as (update laboratory_outbox set tests = ${kept} where user_id = ${user_id} and id = ${id} returning *)
    insert into laboratory_outbox (user_id, id, order_id, team_id, lab_id, action, state, sent_at, queued_at, created_at, tests)
    select user_id, ${other}, order_id, team_id, lab_id, action, state, case when ${isSent}::boolean then sent_at end,
           queued_at, created_at, ${off}::integer[] from kept`.execute(db);
  return other;
}

/** For a laboratory that takes one test a message: the first test is this row's, each other gets a row. */
export async function oneMessageEach(
  tx: TxCtx<TeamCtx>,
  waiting: Waiting,
  order: LoadedOrder,
): Promise<number[] | null> {
  const [first, ...others] = waiting.tests ?? placesOf(order);
  if (first === undefined || others.length === 0) return waiting.tests;
  for (const place of others) await splitOff(tx, waiting, { kept: [first], off: [place], isSent: false });
  return [first];
}
