import { sql } from 'kysely';
import type { Tx } from '../../../../db/open.ts';
import { readOrderNumber } from '../messages/order-number.ts';
import type { ReadResult } from '../messages/read-result.ts';
import { ResultProblem } from '../messages/result-problem.ts';

export type MatchedOrder = {
  user_id: string;
  order_id: string;
  team_id: string;
  account_number: string;
};

/** By what a message says which order it is of. */
type Named = Pick<ReadResult, 'placerNumbers' | 'fillerNumbers' | 'sampleIds' | 'accessionNumbers' | 'account'>;

/**
 * Whose a result is: by the numbers that were issued to this laboratory and by its own that it told with earlier results, and
 * nothing else. The placer's comes first, then the laboratory's of a test, that of the sample, and last the one under which the
 * laboratory received it. All that were issued must name one order, and the account has to be the one that it was ordered under,
 * so that no number leads to another team's.
 */
export async function findOrder(
  db: Tx,
  labId: number,
  { placerNumbers, fillerNumbers, sampleIds, accessionNumbers, account }: Named,
): Promise<MatchedOrder> {
  const numbers = placerNumbers.map((text) => readOrderNumber(text)?.number ?? null);
  if (numbers.includes(null)) throw new ResultProblem('unknown_number');
  const samples = sampleIds.map((id) => id.toUpperCase());
  // A branch for each kind of number: joined by `or`, no index finds them, and every number ever issued is read.
  const { rows } = await sql<MatchedOrder & { by: (typeof RANKED)[number] }>`
    with named as (
      select 'placer' as by, order_numbers.* from order_numbers
       where number = any (${numbers}::text[]) and lab_id = ${labId}
      union all
      select 'filler', order_numbers.* from laboratory_numbers told
        join order_numbers on order_numbers.user_id = told.user_id and order_numbers.order_id = told.order_id
       where told.lab_id = ${labId} and told.kind = 'filler' and told.number = any (${fillerNumbers}::text[])
      union all
      select 'sample', order_numbers.* from sample_ids
        join order_numbers on order_numbers.team_id = sample_ids.team_id and order_numbers.order_id = sample_ids.order_id
       where sample_ids.sample_id = any (${samples}::text[]) and lab_id = ${labId}
      union all
      select 'accession', order_numbers.* from laboratory_numbers told
        join order_numbers on order_numbers.user_id = told.user_id and order_numbers.order_id = told.order_id
       where told.lab_id = ${labId} and told.kind = 'accession' and told.number = any (${accessionNumbers}::text[])
    )
    select by, user_id, order_id, team_id, account_number from named`.execute(db);
  if ([placerNumbers, fillerNumbers, sampleIds, accessionNumbers].every((told) => told.length === 0))
    throw new ResultProblem('missing_number');
  // A laboratory may use a number of its own again: it counts only where no number of ours does.
  const best = RANKED.find((by) => rows.some((row) => row.by === by));
  const found = rows.filter(({ by }) => by === best || by === 'sample');
  const [first] = found;
  if (!first) throw new ResultProblem('unknown_number');
  if (new Set(found.map(({ order_id }) => order_id)).size > 1 || new Set(numbers).size > 1)
    throw new ResultProblem('several_orders');
  if (account !== '' && account !== first.account_number) throw new ResultProblem('other_account');
  return first;
}

const RANKED = ['placer', 'filler', 'sample', 'accession'] as const;
