import { sql } from 'kysely';
import type { Ctx } from '../context.ts';
import { defineJob } from '../db/define-job.ts';
import { acrossTeams, boundToOrg } from '../db/session/bind.ts';
import { MailRefused, openMailServer, type Letter, type MailServer } from '../outbound/mail-server.ts';
import { throwIfKeyIsUnknown } from '../privacy/unknown-key.ts';
import { secondsUntilRoom } from './mails-a-day.ts';
import { mailKind } from './write-mail.ts';

/** In one round, one of each organisation: who writes much holds up nobody who writes little. */
const MOST_IN_A_ROUND = 50;
/** The next job goes on. */
const LONGEST_JOB_MS = 30_000;
/** Longer than a letter can take: another process takes it again only when this one is gone. */
const LEASE_SECONDS = 120;
/** Each later, twice the time and at most six hours: together about a day and a half. */
const MOST_ATTEMPTS = 12;
const FIRST_PAUSE_SECONDS = 60;
const LONGEST_PAUSE_SECONDS = 6 * 3_600;

/** Sends what waits in the outbox; looks each minute too, for what is due again and what the queue lost. */
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
      await giveBack(ctx, untried);
    }
  }
}

type Taken = { id: string; org_id: string; reader_hash: Buffer | null; content: Buffer; attempts: number };

/** Those that are due, the oldest of each organisation, for as long as the lease. */
async function takeRound(ctx: Ctx): Promise<Taken[]> {
  const { rows } = await sql<Taken>`
    update mails set attempts = attempts + 1, next_attempt_at = now() + make_interval(secs => ${LEASE_SECONDS})
     where id in (
       select id from mails
        where id in (select distinct on (org_id) id from mails
                      where content is not null and next_attempt_at <= now() and expires_at > now()
                      order by org_id, next_attempt_at)
          and content is not null and next_attempt_at <= now()
        order by next_attempt_at limit ${MOST_IN_A_ROUND} for update skip locked)
    returning id, org_id, reader_hash, content, attempts`.execute(acrossTeams(ctx).db);
  return rows;
}

async function sendOne(ctx: Ctx, server: MailServer, mail: Taken): Promise<'done' | 'server_away'> {
  const { id, org_id } = mail;
  const { db } = boundToOrg(ctx, org_id);
  const wait = await secondsUntilRoom(ctx, mail.reader_hash);
  if (wait !== null) {
    ctx.log.warn(
      { mail_id: id, org_id, wait_seconds: wait },
      'a mail waits: its reader got as many of a day as one gets',
    );
    await putOff(ctx, mail, wait);
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
    const isLast = error.forGood || mail.attempts >= MOST_ATTEMPTS;
    ctx.log.warn({ mail_id: id, org_id, reason: error.message, given_up: isLast }, 'a mail was not sent');
    const pause = Math.min(LONGEST_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2 ** (mail.attempts - 1));
    await db
      .updateTable('mails')
      .set({ next_attempt_at: sql`now() + make_interval(secs => ${pause})`, ...(isLast ? { content: null } : {}) })
      .where('id', '=', id)
      .execute();
    if (!error.forAll) return 'done';
    // The others come before it does again: where a server hangs up on this organisation's readers, it is away for nobody else.
    await db
      .updateTable('mails')
      .set({ next_attempt_at: sql`greatest(next_attempt_at, now() + make_interval(secs => ${FIRST_PAUSE_SECONDS}))` })
      .where('org_id', '=', org_id)
      .where('content', 'is not', null)
      .execute();
    return 'server_away';
  }
}

/** That a reader has enough for now is no attempt. */
async function putOff(ctx: Ctx, { id, org_id }: Taken, seconds: number): Promise<void> {
  await sql`
    update mails set attempts = attempts - 1, next_attempt_at = now() + make_interval(secs => ${seconds})
     where id = ${id}`.execute(boundToOrg(ctx, org_id).db);
}

/** One that cannot be opened is refused like one that its reader's server does not take: the others go on. */
function opened({ cipher }: Ctx, { id, org_id, content }: Taken): Letter {
  try {
    return cipher.openJson<Letter>('mails.content', { team_id: org_id, id }, content);
  } catch (error) {
    throwIfKeyIsUnknown(error);
    throw new MailRefused('UNREADABLE', { forGood: false, forAll: false });
  }
}

/** What was taken and not tried is no attempt, and is due as it was. */
async function giveBack(ctx: Ctx, mails: Taken[]): Promise<void> {
  if (mails.length === 0) return;
  await sql`
    update mails set attempts = attempts - 1, next_attempt_at = now()
     where id = any (${mails.map(({ id }) => id)}::uuid[])`.execute(acrossTeams(ctx).db);
}
