import { sql } from 'kysely';
import pg from 'pg';
import type { Ctx } from '../context.ts';
import { refuseIfClockOfOwnerIsOff } from '../db/clock.ts';

/** Creates the partitions of the next months. Only the owner role can drop old ones, so `phial migrate` does that. */
export async function dropExpired(ctx: Ctx): Promise<void> {
  await sql`select ensure_audit_partitions(current_date, (current_date + interval '2 months')::date)`.execute(ctx.db);
}

/**
 * Drops the partitions of months that are older than the retention. Only the owner role can do this. Returns the number
 * of dropped partitions.
 */
export async function dropExpiredAudit(ownerUrl: string, years: number, now = Date.now): Promise<number> {
  const client = new pg.Client({ connectionString: ownerUrl });
  await client.connect();
  try {
    await refuseIfClockOfOwnerIsOff(client, now);
    const { rows } = await client.query<{ dropped: number }>(
      `select drop_audit_before((current_date - make_interval(years => $1))::date) as dropped`,
      [years],
    );
    return rows[0]?.dropped ?? 0;
  } finally {
    await client.end();
  }
}
