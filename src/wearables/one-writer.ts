import { sql } from 'kysely';
import type { TeamCtx, TxCtx } from '../context.ts';

/**
 * Lets one transaction at a time write what came in of a user, until it commits: the first thing that a push, a piece of a pull
 * or of a file and an erasure do. They lock connections, summaries and streams in orders of their own, which would be a
 * circle; and an erasure that does not wait for a push under way would leave its rows behind.
 */
export async function becomeWriter({ db, team }: TxCtx<TeamCtx>, userId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`${team.id} ${userId}`}, 0))`.execute(db);
}
