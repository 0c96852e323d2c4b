import { sql } from 'kysely';
import type { TxCtx } from '../../../../context.ts';
import type { ReadResult } from '../messages/read-result.ts';
import type { MatchedOrder } from './find-order.ts';

/** Of each kind that an order has; a laboratory that tells more of them is told which order is meant by ours. */
const MOST_OF_ORDER = 100;
/** No laboratory's own number is longer (EI, CX). */
const LONGEST = 199;

/**
 * Keeps the laboratory's own numbers that came with a result of an order: one of them alone finds the order from now on. The
 * caller holds the order's row lock.
 */
export async function keepNumbers(
  ctx: TxCtx,
  { user_id, order_id }: Pick<MatchedOrder, 'user_id' | 'order_id'>,
  { fillerNumbers, accessionNumbers }: Pick<ReadResult, 'fillerNumbers' | 'accessionNumbers'>,
): Promise<void> {
  const told = [
    ...fillerNumbers.map((number) => ({ kind: 'filler', number })),
    ...accessionNumbers.map((number) => ({ kind: 'accession', number })),
  ].filter(({ number }) => number.length <= LONGEST);
  if (told.length === 0) return;
  await sql`
    with known as (
      select kind, number from laboratory_numbers where user_id = ${user_id} and order_id = ${order_id}
    ), fresh as (
      select kind, number, row_number() over (partition by kind order by place) as place
        from unnest(${told.map(({ kind }) => kind)}::text[], ${told.map(({ number }) => number)}::text[])
             with ordinality as told (kind, number, place)
       where (kind, number) not in (select kind, number from known)
    )
    insert into laboratory_numbers (user_id, order_id, team_id, lab_id, kind, number)
    select user_id, order_id, team_id, lab_id, fresh.kind, fresh.number from order_numbers cross join fresh
     where user_id = ${user_id} and order_id = ${order_id}
       and fresh.place + (select count(*) from known where known.kind = fresh.kind) <= ${MOST_OF_ORDER}`.execute(
    ctx.db,
  );
}
