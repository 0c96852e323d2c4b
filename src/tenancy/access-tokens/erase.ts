import { sql } from 'kysely';
import type { Ctx } from '../../context.ts';

/**
 * Deletes expired tokens. There is no function for a deleted team, because the foreign key deletes its tokens together
 * with the team.
 */
export async function dropExpired({ db }: Ctx): Promise<void> {
  await sql`delete from api_access_tokens where expires_at < now()`.execute(db);
}
