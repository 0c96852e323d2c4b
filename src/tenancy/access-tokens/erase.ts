import { sql } from 'kysely';
import type { Ctx } from '../../context.ts';

/** Tokens of a team go with it. */
export async function dropExpired({ db }: Ctx): Promise<void> {
  await sql`delete from api_access_tokens where expires_at < now()`.execute(db);
}
