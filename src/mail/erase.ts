import { sql } from 'kysely';
import type { Ctx } from '../context.ts';

/**
 * What is sealed goes when the mail was sent or has ended, whose it was a day later, and that there was one, a month later.
 * `ctx` works for all teams.
 */
export async function dropExpired({ db }: Ctx): Promise<void> {
  await sql`update mails set content = null where content is not null and expires_at <= now()`.execute(db);
  await sql`
    update mails set reader_hash = null
     where reader_hash is not null and content is null
       and greatest(created_at, sent_at) < now() - interval '1 day'`.execute(db);
  await sql`delete from mails where content is null and created_at < now() - interval '30 days'`.execute(db);
}
