import { sql } from 'kysely';
import type { Ctx } from '../context.ts';

/** What is sealed goes when the mail was sent or has ended; that there was one, a month later. `ctx` works for all teams. */
export async function dropExpired({ db }: Ctx): Promise<void> {
  await sql`update mails set content = null where content is not null and expires_at <= now()`.execute(db);
  await sql`delete from mails where content is null and created_at < now() - interval '30 days'`.execute(db);
}
