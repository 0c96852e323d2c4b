import { CompiledQuery } from 'kysely';
import type { TeamCtx } from '../../../context.ts';
import { WHERE } from './filters.ts';

const COUNT = `select count(*) as total from orders where ${WHERE}`;

/** Which of WHERE's values the totals are counted by: statuses, methods, and three of interpretation. */
const [FIRST_COUNTED, BEHIND_COUNTED] = [4, 9];

/** The same conditions as those of WHERE, on whatever has these three. */
const isAskedFor = (status: string, method: string, interpretation: string): string => `
  ($2::text[] is null or ${status} = any ($2)) and ($3::text[] is null or ${method} = any ($3))
  and ($4::text[] is null or ${interpretation} = any ($4)) and ($5::boolean is null or (${interpretation} is null) = $5)
  and ($6::boolean is null or (${interpretation} is not distinct from 'critical') = $6)`;

const TOTAL = `
  select (select coalesce(sum(rows), 0)::bigint from totals
           where team_id = $1 and list = 'orders' and ${isAskedFor('part[1]', 'part[2]', 'part[3]')})
       - (select count(*) from users cross join lateral (
            select from orders where orders.user_id = users.id
               and ${isAskedFor('orders.last_low_level_status', 'orders.method', 'orders.interpretation')} offset 0) as theirs
           where users.team_id = $1 and users.deleted_at is not null) as total`;

/** How many orders fit WHERE's values. Filters of status, method and interpretation alone read a total, all others count. */
export async function countOrders({ db }: TeamCtx, values: unknown[]): Promise<number> {
  const isCounted = values.every(
    (value, place) =>
      place === 0 || (place >= FIRST_COUNTED && place < BEHIND_COUNTED) || value === null || value === false,
  );
  const query = isCounted
    ? CompiledQuery.raw(TOTAL, [values[0], ...values.slice(FIRST_COUNTED, BEHIND_COUNTED)])
    : CompiledQuery.raw(COUNT, values);
  const { rows } = await db.executeQuery<{ total: number }>(query);
  return rows[0]?.total ?? 0;
}
