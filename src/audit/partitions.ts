import { sql } from 'kysely';
import pg from 'pg';
import type { Ctx } from '../context.ts';
import { refuseIfClockOfOwnerIsOff } from '../db/clock.ts';

/** Makes the months that come next. What has outlived its time is dropped by the owner, with `phial migrate`. */
export async function dropExpired(ctx: Ctx): Promise<void> {
  await sql`select ensure_audit_partitions(current_date, (current_date + interval '2 months')::date)`.execute(ctx.db);
}

/** Drops whole months that are older than the log is kept; the owner's alone to do. Returns how many. */
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
