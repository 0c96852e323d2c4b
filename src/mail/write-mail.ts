import { sql } from 'kysely';
import { Type } from 'typebox';
import type { TxCtx } from '../context.ts';
import { addJob, jobKind } from '../db/define-job.ts';
import { lockName } from '../db/session/named-lock.ts';
import { AppError } from '../errors.ts';
import { newId } from '../ids.ts';
import { readerHash, refuseTooMany } from './mails-a-day.ts';

/** Mail waits for a server outside: it takes one of the places for that. */
export const mailKind = jobKind({ name: 'send_mails', payload: Type.Object({}), placeOf: () => 'mail' });

/** Of one organisation: what goes out is read by people, and says that we sent it. */
const MOST_A_DAY = 500;

type Mail = {
  org_id: string;
  /** The record that it tells of: with that it goes. */
  about: string;
  /** Until when it tells something, in seconds since 1970. */
  expires: number;
  letter: { to: string; subject: string; text: string };
};

/** Puts a mail into the outbox, in the transaction of what it tells of. Throws limit_reached, too_many_mails. */
export async function writeMail(ctx: TxCtx, { org_id, about, expires, letter }: Mail): Promise<void> {
  await lockName(ctx.db, 'mails', org_id);
  const { rows } = await sql<{ written: number }>`
    select count(*)::int as written from mails
     where org_id = ${org_id} and created_at > now() - interval '1 day'`.execute(ctx.db);
  if ((rows[0]?.written ?? 0) >= MOST_A_DAY) {
    throw new AppError('limit_reached', `An organisation may send ${MOST_A_DAY} mails a day. Try again tomorrow.`, {
      fields: { limit: MOST_A_DAY },
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
      content: ctx.cipher.sealJson('mails.content', { team_id: org_id, id }, letter),
      expires_at: sql`to_timestamp(${expires}::float8)`,
    })
    .execute();
  await addJob(ctx.db, mailKind, {}, { key: mailKind.name, keepsMoment: true });
}

/** Of a record that is gone: what waits is not sent. That it was written still counts for the day. */
export async function withdrawMails({ db }: TxCtx, about: string): Promise<void> {
  await db
    .updateTable('mails')
    .set({ content: null })
    .where('about', '=', about)
    .where('content', 'is not', null)
    .execute();
}

/** Whether what is written will be sent, or waits for an operator who connects a mail server. */
export const sendsMail = ({ config }: Pick<TxCtx, 'config'>): boolean => config.mail !== null;
