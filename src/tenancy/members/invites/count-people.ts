import { sql } from 'kysely';
import type { TxCtx } from '../../../context.ts';

/** Returns the number of members and open invites of an organisation together, because they share one limit. */
export async function countPeople({ db }: TxCtx, orgId: string): Promise<number> {
  const { rows } = await sql<{ people: number }>`
    select (select count(*) from org_members where org_id = ${orgId})::int
         + (select count(*) from org_invites where org_id = ${orgId})::int as people`.execute(db);
  return rows[0]?.people ?? 0;
}
