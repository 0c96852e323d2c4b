// Limits the mails that one address gets in a day, both from one organisation and from all organisations together.
import { sql } from 'kysely';
import type { Ctx, TxCtx } from '../context.ts';
import { acrossTeams } from '../db/session/bind.ts';
import { AppError } from '../errors.ts';

const MAX_OF_AN_ORG = 10;
const MAX_OF_ALL = 30;

/**
 * Returns the hash of a mail address. It is the same for all organisations. It ignores the case of letters and a tag
 * after a plus sign, because nearly all servers deliver `grace+anything@example.com` to `grace@example.com`.
 */
export function readerHash({ cipher }: Pick<Ctx, 'cipher'>, address: string): Buffer {
  const text = address.toLowerCase();
  const [plus, at] = [text.indexOf('+', 1), text.lastIndexOf('@')];
  const isTagged = plus !== -1 && plus < at;
  return cipher.lookupHash('mail_reader', 'mails', isTagged ? text.slice(0, plus) + text.slice(at) : text);
}

/**
 * Throws too_many_mails if the organisation has already written the allowed number of mails to this reader within a
 * day. Mails that were written but not sent count too.
 */
export async function refuseTooMany({ db }: TxCtx, orgId: string, reader: Buffer): Promise<void> {
  const { rows } = await sql<{ seconds: number }>`
    select ceil(extract(epoch from created_at + interval '1 day' - now()))::int as seconds from mails
     where org_id = ${orgId} and reader_hash = ${reader} and created_at > now() - interval '1 day'
     order by created_at desc offset ${MAX_OF_AN_ORG - 1} limit 1`.execute(db);
  const [oldest] = rows;
  if (!oldest) return;
  throw new AppError(
    'too_many_mails',
    `An organisation may send ${MAX_OF_AN_ORG} mails a day to one address. Ask again after Retry-After.`,
    { fields: { limit: MAX_OF_AN_ORG }, retryAfterSeconds: Math.max(1, oldest.seconds) },
  );
}

/**
 * Returns the seconds until this reader may get another mail. Returns null if the reader may get one now. A reader must
 * wait if all organisations together have sent the daily limit to this address.
 */
export async function secondsUntilAllowed(ctx: Ctx, reader: Buffer | null): Promise<number | null> {
  if (reader === null) return null;
  const { rows } = await sql<{ seconds: number }>`
    select ceil(extract(epoch from sent_at + interval '1 day' - now()))::int as seconds from mails
     where reader_hash = ${reader} and sent_at > now() - interval '1 day'
     order by sent_at desc offset ${MAX_OF_ALL - 1} limit 1`.execute(acrossTeams(ctx).db);
  return rows[0] ? Math.max(1, rows[0].seconds) : null;
}
