import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { ManagementCtx } from '../context.ts';
import { acrossTeams } from '../db/session/bind.ts';
import { decodeCursor, isId, takePage } from '../db/cursor.ts';
import { MIN_ID } from '../ids.ts';
import { signedRows } from '../totals/leaving-users.ts';
import type { OrgUsage, UsageQuery } from './schemas.ts';

const FIGURES = [
  'users',
  'connections',
  'orders',
  'orders_of_month',
  'deliveries_of_month',
  'import_bytes',
  'lab_report_bytes',
] as const;
type Figures = Record<(typeof FIGURES)[number], number>;
type Row = Figures & { team_id: string; name: string };

/** A total without the rows of users who are scheduled for deletion, whom a job takes out within a minute. */
const totalOf = (list: 'users' | 'connections' | 'orders') => sql`coalesce(sum(${sql.raw(signedRows(list))}), 0)`;

const totalOfMonth = (list: 'orders of month' | 'deliveries of month', month: string) =>
  sql`coalesce(sum(rows) filter (where list = ${sql.lit(list)} and part[1] = ${month}), 0)`;

/**
 * Returns what the organisation has and what it used in a month, in sum and by team. Everything but the bytes comes
 * from stored totals. The quotas of files limit how many rows have bytes.
 */
export async function readUsage(
  ctx: ManagementCtx,
  { month = new Date().toISOString().slice(0, 7), next_cursor, limit }: Static<typeof UsageQuery>,
): Promise<Static<typeof OrgUsage>> {
  const after = next_cursor === undefined ? MIN_ID : decodeCursor(next_cursor, isId).toLowerCase();
  // The organisation is in the statement, because a context of an organisation does not see the totals of its teams.
  const { rows } = await sql<Row>`
    select teams.id as team_id, teams.name, used.*,
           (select coalesce(sum(bytes), 0) from imports where imports.team_id = teams.id
               and status in ('uploading', 'queued', 'running'))::float8 as import_bytes,
           (select coalesce(sum(bytes), 0) from lab_report_files f where f.team_id = teams.id)::float8
             as lab_report_bytes
      from teams cross join lateral (
        select (${totalOf('users')})::float8 as users, (${totalOf('connections')})::float8 as connections,
               (${totalOf('orders')})::float8 as orders,
               (${totalOfMonth('orders of month', month)})::float8 as orders_of_month,
               (${totalOfMonth('deliveries of month', month)})::float8 as deliveries_of_month
          from totals where totals.team_id = teams.id
      ) as used
     where teams.org_id = ${ctx.org.id} and teams.deleted_at is null order by teams.id`.execute(acrossTeams(ctx).db);
  const sum = Object.fromEntries(
    FIGURES.map((name) => [name, rows.reduce((total, row) => total + row[name], 0)]),
  ) as Figures;
  const { page, ...rest } = takePage(
    rows.filter(({ team_id }) => team_id > after),
    limit,
    ({ team_id }) => team_id,
  );
  return { month, teams: rows.length, ...sum, data: page, ...rest };
}
