import { sql } from 'kysely';
import type { Ctx } from '../../context.ts';

/** Deletes requests for links after a day. Until then they count for the bounds. */
export async function dropExpired({ db }: Ctx): Promise<void> {
  await sql`delete from sign_in_requests where created_at < now() - interval '1 day'`.execute(db);
}
