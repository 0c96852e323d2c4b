import { sql } from 'kysely';
import type { Ctx } from '../../context.ts';

/** Deletes sessions and links that have ended. */
export async function dropExpired({ db }: Ctx): Promise<void> {
  await sql`delete from sessions where expires_at < now()`.execute(db);
  await sql`delete from sign_in_links where expires_at < now()`.execute(db);
}
