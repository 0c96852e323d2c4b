import { sql } from 'kysely';
import type { Ctx, TxCtx } from '../../context.ts';
import { defineJob } from '../../db/define-job.ts';
import { acrossTeams, boundToOrg } from '../../db/session/bind.ts';
import { inTransaction } from '../../db/transaction.ts';
import { AppError } from '../../errors.ts';
import { writeMail } from '../../mail/write-mail.ts';
import { findMembersByAddress, type FoundMember } from '../members/find-by-address.ts';
import { createSignInLink } from '../sessions/create-sign-in-link.ts';
import { signInMailKind } from './request-link.ts';

/** How long a mailed link works. It is in a mailbox, which others may read later. */
const MINUTES = 15;
/** The job stops after this time, and the next one handles the remaining requests. */
const LONGEST_JOB_MS = 30_000;

/**
 * Mails links for the requests that wait, one mail for each membership of the address. Each request also starts this
 * job. It runs each minute too, for requests whose job was lost.
 */
export const signInMails = defineJob({
  ...signInMailKind,
  cron: { at: '* * * * *', payload: {} },
  run: async (ctx) => {
    const until = performance.now() + LONGEST_JOB_MS;
    while (performance.now() < until && ctx.stopping?.aborted !== true) if (!(await handleOldest(ctx))) return;
  },
});

/** Handles the oldest request that waits. Returns false if there is none. */
function handleOldest(ctx: Ctx): Promise<boolean> {
  return inTransaction(acrossTeams(ctx), async (tx) => {
    const { rows } = await sql<{ address_hash: Buffer }>`
      update sign_in_requests set handled_at = now()
       where id = (select id from sign_in_requests
                    where handled_at is null and created_at > now() - make_interval(mins => ${MINUTES})
                    order by id limit 1 for update skip locked)
      returning address_hash`.execute(tx.db);
    const [request] = rows;
    if (!request) return false;
    for (const member of await findMembersByAddress(tx, request.address_hash)) await mailLink(tx, member);
    return true;
  });
}

/** Mails a link to a member. A member of whose organisation too many mails were written gets none. */
async function mailLink(tx: TxCtx, member: FoundMember): Promise<void> {
  const ctx = boundToOrg(tx, member.org_id);
  const { org_id, id: member_id, email } = member;
  const { id, url } = await createSignInLink(ctx, { org_id, member_id, ehr_member_id: null }, MINUTES * 60);
  const name = member.org_name || 'your organisation'; // The name may be an empty string.
  const text = [
    `You asked for a link to sign in to ${name} at ${new URL(ctx.config.baseUrl).host}.`,
    '',
    `Open this link and choose "Sign in". It works once, within ${MINUTES} minutes:`,
    '',
    url,
    '',
    'If you did not ask for it, do nothing: nobody signs in without this mail.',
    '',
  ].join('\n');
  try {
    await writeMail(ctx, {
      org_id,
      about: id,
      expires: Math.floor(Date.now() / 1000) + MINUTES * 60,
      letter: { to: email, subject: `Sign in to ${name}`, text },
      is_sign_in: true,
    });
  } catch (error) {
    // Whoever asked must not learn it. Nobody has the link, and it expires.
    if (!(error instanceof AppError)) throw error;
    ctx.log.warn({ org_id, member_id, code: error.code }, 'a link to sign in was not mailed');
  }
}
