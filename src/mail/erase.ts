import { sql } from 'kysely';
import type { Ctx } from '../context.ts';

/**
 * Erases the content of expired mails. A day after a mail was written or sent, it erases the hash of the reader. After
 * 30 days, it deletes the row. We erase the content of a sent mail when we send it. `ctx` must have access to all
 * organisations.
 */
export async function dropExpired({ db }: Ctx): Promise<void> {
  await sql`update mails set content = null where content is not null and expires_at <= now()`.execute(db);
  await sql`
    update mails set reader_hash = null
     where reader_hash is not null and content is null
       and greatest(created_at, sent_at) < now() - interval '1 day'`.execute(db);
  await sql`delete from mails where content is null and created_at < now() - interval '30 days'`.execute(db);
}
