import { sql } from 'kysely';
import type { Ctx } from '../context.ts';

/**
 * Erases the content of expired mails, the hash of the reader a day after the mail was written or sent, and the row
 * after 30 days. The content of a sent mail is erased when it is sent. `ctx` must have access to all organisations.
 */
export async function dropExpired({ db }: Ctx): Promise<void> {
  await sql`update mails set content = null where content is not null and expires_at <= now()`.execute(db);
  await sql`
    update mails set reader_hash = null
     where reader_hash is not null and content is null
       and greatest(created_at, sent_at) < now() - interval '1 day'`.execute(db);
  await sql`delete from mails where content is null and created_at < now() - interval '30 days'`.execute(db);
}
