import { sql } from 'kysely';
import type { Ctx } from '../context.ts';
import { defineJob } from '../db/define-job.ts';
import { acrossTeams, boundToOrg } from '../db/session/bind.ts';
import { MailRefused, openMailServer, type MailServer, type OutgoingMail } from '../outbound/open-mail-server.ts';
import { throwIfKeyIsUnknown } from '../privacy/missing-encryption-key.ts';
import { secondsUntilAllowed } from './daily-mail-limit.ts';
import { mailKind } from './write-mail.ts';

/**
 * The most mails of one round. An organisation with many mails must not delay the others, so a round takes one mail of
 * each organisation.
 */
const MAX_IN_A_ROUND = 50;
/** The job stops after this time, and the next job sends the remaining mails. */
const LONGEST_JOB_MS = 30_000;
/**
 * The lease of a mail. It is longer than sending one mail can take, so another process takes the mail only if this
 * process has died.
 */
const LEASE_SECONDS = 120;
/**
 * The most attempts to send a mail. Each pause between them is twice as long as the one before, up to six hours. All
 * pauses together last about a day and a half.
 */
const MAX_ATTEMPTS = 12;
const FIRST_PAUSE_SECONDS = 60;
const LONGEST_PAUSE_SECONDS = 6 * 3_600;

/**
 * Sends the mails that wait. A change that writes a mail starts this job. It also runs each minute, for mails that are
 * due again and mails whose job was lost.
 */
export const mailsOut = defineJob({
  ...mailKind,
  cron: { at: '* * * * *', payload: {} },
  run: async (ctx) => {
    const { mail } = ctx.config;
    if (mail === null) return;
    const needsTls = ctx.config.environment === 'production';
    const server = openMailServer({ url: mail.url.reveal(), from: mail.from, needsTls });
    try {
      await sendMails(ctx, server);
    } finally {
      server.close();
    }
  },
});

async function sendMails(ctx: Ctx, server: MailServer): Promise<void> {
  const until = performance.now() + LONGEST_JOB_MS;
  for (;;) {
    const round = await takeRound(ctx);
    if (round.length === 0) return;
    const untried = [...round];
    try {
      for (const mail of round) {
        if (ctx.stopping?.aborted === true || performance.now() > until) return;
        untried.shift();
        if ((await sendOne(ctx, server, mail)) === 'server_away') return;
      }
    } finally {
      await requeueMails(ctx, untried);
    }
  }
}

type LeasedMail = { id: string; org_id: string; reader_hash: Buffer | null; content: Buffer; attempts: number };

/** Takes the oldest due mail of each organisation, and leases these mails to this process. */
async function takeRound(ctx: Ctx): Promise<LeasedMail[]> {
  const { rows } = await sql<LeasedMail>`
    update mails set attempts = attempts + 1, next_attempt_at = now() + make_interval(secs => ${LEASE_SECONDS})
     where id in (
       select id from mails
        where id in (select distinct on (org_id) id from mails
                      where content is not null and next_attempt_at <= now() and expires_at > now()
                      order by org_id, next_attempt_at)
          and content is not null and next_attempt_at <= now()
        order by next_attempt_at limit ${MAX_IN_A_ROUND} for update skip locked)
    returning id, org_id, reader_hash, content, attempts`.execute(acrossTeams(ctx).db);
  return rows;
}

async function sendOne(ctx: Ctx, server: MailServer, mail: LeasedMail): Promise<'done' | 'server_away'> {
  const { id, org_id } = mail;
  const { db } = boundToOrg(ctx, org_id);
  const wait = await secondsUntilAllowed(ctx, mail.reader_hash);
  if (wait !== null) {
    ctx.log.warn({ mail_id: id, org_id, wait_seconds: wait }, 'a mail waits: its reader got the daily limit of mails');
    await postpone(ctx, mail, wait);
    return 'done';
  }
  try {
    await server.send(opened(ctx, mail), id);
    await db
      .updateTable('mails')
      .set({ content: null, sent_at: sql`now()` })
      .where('id', '=', id)
      .execute();
    return 'done';
  } catch (error) {
    if (!(error instanceof MailRefused)) throw error;
    const isLast = error.forGood || mail.attempts >= MAX_ATTEMPTS;
    ctx.log.warn({ mail_id: id, org_id, reason: error.message, given_up: isLast }, 'a mail was not sent');
    const pause = Math.min(LONGEST_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2 ** (mail.attempts - 1));
    await db
      .updateTable('mails')
      .set({ next_attempt_at: sql`now() + make_interval(secs => ${pause})`, ...(isLast ? { content: null } : {}) })
      .where('id', '=', id)
      .execute();
    if (!error.forAll) return 'done';
    // The server may have closed the connection because of the readers of this organisation. So we postpone all its
    // mails, and send those of other organisations first.
    await db
      .updateTable('mails')
      .set({ next_attempt_at: sql`greatest(next_attempt_at, now() + make_interval(secs => ${FIRST_PAUSE_SECONDS}))` })
      .where('org_id', '=', org_id)
      .where('content', 'is not', null)
      .execute();
    return 'server_away';
  }
}

/** Postpones a mail because of the daily limit of its reader. That does not count as an attempt. */
async function postpone(ctx: Ctx, { id, org_id }: LeasedMail, seconds: number): Promise<void> {
  await sql`
    update mails set attempts = attempts - 1, next_attempt_at = now() + make_interval(secs => ${seconds})
     where id = ${id}`.execute(boundToOrg(ctx, org_id).db);
}

/** Decrypts a mail. If it is damaged, this function throws MailRefused, so that the job continues with other mails. */
function opened({ cipher }: Ctx, { id, org_id, content }: LeasedMail): OutgoingMail {
  try {
    return cipher.openJson<OutgoingMail>('mails.content', { team_id: org_id, id }, content);
  } catch (error) {
    throwIfKeyIsUnknown(error);
    throw new MailRefused('UNREADABLE', { forGood: false, forAll: false });
  }
}

/** Makes leased mails due again if we did not try to send them. The lease then does not count as an attempt. */
async function requeueMails(ctx: Ctx, mails: LeasedMail[]): Promise<void> {
  if (mails.length === 0) return;
  await sql`
    update mails set attempts = attempts - 1, next_attempt_at = now()
     where id = any (${mails.map(({ id }) => id)}::uuid[])`.execute(acrossTeams(ctx).db);
}
