import { sql } from 'kysely';
import type { Tx } from '../../../../db/open-database.ts';
import { readOrderNumber } from '../messages/order-number.ts';
import type { ReadResult } from '../messages/read-result.ts';
import { ResultProblem } from '../messages/result-problem.ts';

export type MatchedOrder = {
  user_id: string;
  order_id: string;
  team_id: string;
  account_number: string;
};

/** The fields of a message that identify its order. */
type OrderIdentifiers = Pick<
  ReadResult,
  'placerNumbers' | 'fillerNumbers' | 'sampleIds' | 'accessionNumbers' | 'account'
>;

/**
 * Finds the order of a result, only by numbers: those that we issued to this laboratory, and those that the laboratory
 * reported earlier. The placer number (ours) has priority, then the filler number (the laboratory's number of the
 * test), then the sample id, then the accession number (the laboratory's number of the sample).
 * All of our numbers in the message must belong to one order. If the message names a number of our form that we did not
 * issue to this laboratory, the function throws. If the message names an account, it must be the order's account, so
 * that no mistyped number leads to another team's order.
 */
export async function findOrder(
  db: Tx,
  labId: number,
  { placerNumbers, fillerNumbers, sampleIds, accessionNumbers, account }: OrderIdentifiers,
): Promise<MatchedOrder> {
  const numbers = placerNumbers.map((text) => readOrderNumber(text)?.number ?? null);
  if (numbers.includes(null)) throw new ResultProblem('unknown_number');
  const samples = sampleIds.map((id) => id.toUpperCase());
  // Each kind of number has its own branch of the query. With `or`, PostgreSQL would use no index and would read all
  // numbers ever issued.
  const { rows } = await sql<MatchedOrder & { by: (typeof RANKED)[number] }>`
    with named as (
      select 'placer' as by, order_numbers.* from order_numbers
       where number = any (${numbers}::text[]) and lab_id = ${labId}
      union all
      select 'filler', order_numbers.* from laboratory_numbers reported
        join order_numbers on order_numbers.user_id = reported.user_id and order_numbers.order_id = reported.order_id
       where reported.lab_id = ${labId} and reported.kind = 'filler'
         and reported.number = any (${fillerNumbers}::text[])
      union all
      select 'sample', order_numbers.* from sample_ids
        join order_numbers on order_numbers.team_id = sample_ids.team_id
         and order_numbers.order_id = sample_ids.order_id
       where sample_ids.sample_id = any (${samples}::text[]) and lab_id = ${labId}
      union all
      select 'accession', order_numbers.* from laboratory_numbers reported
        join order_numbers on order_numbers.user_id = reported.user_id and order_numbers.order_id = reported.order_id
       where reported.lab_id = ${labId} and reported.kind = 'accession'
         and reported.number = any (${accessionNumbers}::text[])
    )
    select by, user_id, order_id, team_id, account_number from named`.execute(db);
  if ([placerNumbers, fillerNumbers, sampleIds, accessionNumbers].every((given) => given.length === 0))
    throw new ResultProblem('missing_number');
  // A laboratory may reuse its own numbers. So a number of the laboratory decides only if no number of higher priority
  // matches. If the message has a number of our form that we did not issue, somebody may have mistyped it, or its order
  // was erased. Then the other numbers decide nothing.
  const best = RANKED.find((by) => rows.some((row) => row.by === by));
  if (numbers.length > 0 && best !== 'placer') throw new ResultProblem('unknown_number');
  const found = rows.filter(({ by }) => by === best || by === 'sample');
  const [first] = found;
  if (!first) throw new ResultProblem('unknown_number');
  if (new Set(found.map(({ order_id }) => order_id)).size > 1 || new Set(numbers).size > 1)
    throw new ResultProblem('several_orders');
  if (account !== '' && account !== first.account_number) throw new ResultProblem('other_account');
  return first;
}

const RANKED = ['placer', 'filler', 'sample', 'accession'] as const;
