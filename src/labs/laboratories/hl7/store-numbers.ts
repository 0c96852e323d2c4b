import { sql } from 'kysely';
import type { TxCtx } from '../../../context.ts';
import type { ReadResult } from './messages/read-result.ts';
import type { MatchedOrder } from './inbox/find-order.ts';

/**
 * The most numbers of each kind that we store for an order. If a laboratory uses more, its results must name the order
 * by our number.
 */
const MAX_OF_ORDER = 100;
/** The most characters of a laboratory's number (HL7's types EI and CX). */
const LONGEST = 199;

/**
 * Stores the numbers that the laboratory itself gave to the order. A later result can then name the order by one of
 * these numbers, without our number. The caller must hold the row lock of the order.
 */
export async function storeNumbers(
  ctx: TxCtx,
  { user_id, order_id }: Pick<MatchedOrder, 'user_id' | 'order_id'>,
  { fillerNumbers, accessionNumbers }: Pick<ReadResult, 'fillerNumbers' | 'accessionNumbers'>,
): Promise<void> {
  const reported = [
    ...fillerNumbers.map((number) => ({ kind: 'filler', number })),
    ...accessionNumbers.map((number) => ({ kind: 'accession', number })),
  ].filter(({ number }) => number.length <= LONGEST);
  if (reported.length === 0) return;
  await sql`
    with known as (
      select kind, number from laboratory_numbers where user_id = ${user_id} and order_id = ${order_id}
    ), fresh as (
      select kind, number, row_number() over (partition by kind order by position) as position
        from unnest(${reported.map(({ kind }) => kind)}::text[], ${reported.map(({ number }) => number)}::text[])
             with ordinality as reported (kind, number, position)
       where (kind, number) not in (select kind, number from known)
    )
    insert into laboratory_numbers (user_id, order_id, team_id, lab_id, kind, number)
    select user_id, order_id, team_id, lab_id, fresh.kind, fresh.number from order_numbers cross join fresh
     where user_id = ${user_id} and order_id = ${order_id}
       and fresh.position + (select count(*) from known where known.kind = fresh.kind) <= ${MAX_OF_ORDER}`.execute(
    ctx.db,
  );
}
