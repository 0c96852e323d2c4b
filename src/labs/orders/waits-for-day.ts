import { sql } from 'kysely';
import type { TeamCtx } from '../../context.ts';

/** Whether a day is still to come, in UTC and by the database's clock, as the list of orders that are due. */
export async function waitsForDay(ctx: TeamCtx, day: string | null): Promise<boolean> {
  if (!day) return false;
  const { rows } = await sql<{ today: string }>`select (now() at time zone 'UTC')::date as today`.execute(ctx.db);
  return day > (rows[0]?.today as string);
}
