import { sql } from 'kysely';
import type { TeamCtx } from '../../context.ts';

/**
 * Returns whether this day is still in the future, in UTC. The job that finds due orders uses the clock of the
 * database, so this function uses it too.
 */
export async function waitsForDay(ctx: TeamCtx, day: string | null): Promise<boolean> {
  if (!day) return false;
  const { rows } = await sql<{ today: string }>`select (now() at time zone 'UTC')::date as today`.execute(ctx.db);
  return day > (rows[0]?.today as string);
}
