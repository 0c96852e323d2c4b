import { sql } from 'kysely';
import type { Ctx } from '../context.ts';

/** Makes the months that come next. What has outlived its time is dropped by the owner, with `phial migrate`. */
export async function dropExpired(ctx: Ctx): Promise<void> {
  await sql`select ensure_audit_partitions(current_date, (current_date + interval '2 months')::date)`.execute(ctx.db);
}
