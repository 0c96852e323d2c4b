import { sql } from 'kysely';
import type { Ctx } from '../context.ts';
import { IDEMPOTENCY_HOURS } from '../http/answer/idempotency.ts';

const DAYS_AHEAD = 3;

/** Makes the coming days' partitions of events and attempts, and drops what is older than the retention. */
export async function dropExpired(ctx: Ctx, now: Date): Promise<void> {
  const today = now.toISOString().slice(0, 10);
  await sql`select ensure_partitions(${today}::date - 1, ${today}::date + ${DAYS_AHEAD}::integer)`.execute(ctx.db);
  await sql`select drop_partitions_before(${today}::date - ${ctx.config.retentionDays}::integer)`.execute(ctx.db);
  await sql`delete from webhook_secrets where expires_at < ${now.toISOString()}`.execute(ctx.db);
  await sql`delete from idempotency_keys where created_at < ${now.toISOString()}::timestamptz - make_interval(hours => ${IDEMPOTENCY_HOURS})`.execute(
    ctx.db,
  );
}
