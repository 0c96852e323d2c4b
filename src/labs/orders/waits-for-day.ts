import { sql } from 'kysely';
import type { TeamCtx } from '../../context.ts';

/**
 * Returns whether this day is still in the future, in UTC and by the clock of the database. The job that finds due
 * orders uses the same clock.
 */
export async function waitsForDay(ctx: TeamCtx, day: string | null): Promise<boolean> {
  if (!day) return false;
  const { rows } = await sql<{ today: string }>`select (now() at time zone 'UTC')::date as today`.execute(ctx.db);
  return day > (rows[0]?.today as string);
}
