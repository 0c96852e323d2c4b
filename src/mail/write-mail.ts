import { sql } from 'kysely';
import { Type } from 'typebox';
import type { TxCtx } from '../context.ts';
import { addJob, jobKind } from '../db/define-job.ts';
import { lockName } from '../db/session/named-lock.ts';
import { AppError } from '../errors.ts';
import { newId } from '../ids.ts';
import { readerHash, refuseTooMany } from './daily-mail-limit.ts';

/**
 * The kind of the job that sends mails. The mail server is an outside service and may be slow. So `ownerOf` puts the
 * job into the class `calls`, which has permits for jobs that wait for outside services.
 */
export const mailKind = jobKind({ name: 'send_mails', payload: Type.Object({}), ownerOf: () => 'mail' });

/**
 * The most mails that one organisation may write in a day. The mails name us as the sender, so mail servers would blame
 * us for a flood. Anybody may ask for links to sign in, so these count apart: strangers must not use up the mails that
 * the organisation itself writes. Their bound is higher, because an organisation may have many members.
 */
const MAX_A_DAY = { own: 500, sign_in: 2000 };

type Mail = {
  org_id: string;
  /** The id of the record that the mail is about. If the record is deleted, the mail is withdrawn. */
  about: string;
  /** When the mail (for example its link) becomes invalid, in seconds since 1970. After that we do not send it. */
  expires: number;
  letter: { to: string; subject: string; text: string };
  /** True for a link to sign in. Such mails have a daily limit of their own. */
  is_sign_in?: boolean;
};

/**
 * Writes a mail to the outbox. Call it in the transaction of the change that the mail is about. Throws limit_reached
 * and too_many_mails.
 */
export async function writeMail(ctx: TxCtx, mail: Mail): Promise<void> {
  const { org_id, about, expires, letter, is_sign_in = false } = mail;
  await lockName(ctx.db, 'mails', org_id);
  const { rows } = await sql<{ written: number }>`
    select count(*)::int as written from mails
     where org_id = ${org_id} and is_sign_in = ${is_sign_in} and created_at > now() - interval '1 day'`.execute(ctx.db);
  const limit = MAX_A_DAY[is_sign_in ? 'sign_in' : 'own'];
  if ((rows[0]?.written ?? 0) >= limit) {
    throw new AppError('limit_reached', `An organisation may send ${limit} mails a day. Try again tomorrow.`, {
      fields: { limit },
    });
  }
  const reader_hash = readerHash(ctx, letter.to);
  await refuseTooMany(ctx, org_id, reader_hash);
  const id = newId();
  await ctx.db
    .insertInto('mails')
    .values({
      id,
      org_id,
      about,
      reader_hash,
      is_sign_in,
      content: ctx.cipher.sealJson('mails.content', { team_id: org_id, id }, letter),
      expires_at: sql`to_timestamp(${expires}::float8)`,
    })
    .execute();
  await addJob(ctx.db, mailKind, {}, { key: mailKind.name, shouldPreserveRunAt: true });
}

/** Withdraws the unsent mails about a deleted record. They still count for the daily limits. */
export async function withdrawMails({ db }: TxCtx, about: string): Promise<void> {
  await db
    .updateTable('mails')
    .set({ content: null })
    .where('about', '=', about)
    .where('content', 'is not', null)
    .execute();
}

/** True if a mail server is configured. Without one, mails stay in the outbox until an operator configures it. */
export const sendsMail = ({ config }: Pick<TxCtx, 'config'>): boolean => config.mail !== null;
