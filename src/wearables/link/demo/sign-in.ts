// Signs a user in at a simulated provider: with a password, with a password and a code (second factor), or with an
// e-mail address.
import { sql } from 'kysely';
import type { LinkCtx, TxCtx } from '../../../context.ts';
import { inTransaction } from '../../../db/transaction.ts';
import type { ProviderSlug } from '../../providers/provider-catalogue.ts';
import type { LinkOutcome } from '../link-outcome.ts';
import { connectDemoByLink } from './connect.ts';
import { answerToEmail, answerToPassword, MFA_CODE } from './demo-credentials.ts';

/** After this number of wrong codes, the user has to enter the password again. */
const MAX_WRONG_CODES = 3;

/** The outcome of a sign-in, or `pending_provider_mfa` if the user must still enter a code. */
export type SignedIn = LinkOutcome | 'pending_provider_mfa';

/** Signs the user in with a password. The user of the link token must be able to connect `provider` as a demo. */
export function signInByPassword(ctx: LinkCtx, provider: ProviderSlug, password: string): Promise<SignedIn> {
  return inTransaction(ctx, async (tx) => {
    const answer = answerToPassword(password);
    await awaitCode(tx, answer === 'pending_provider_mfa' ? provider : null);
    return answer === 'success' ? connectDemoByLink(tx, provider) : answer;
  });
}

export function signInByEmail(ctx: LinkCtx, provider: ProviderSlug, email: string): Promise<SignedIn> {
  const answer = answerToEmail(email);
  return answer === 'success' ? connectDemoByLink(ctx, provider) : Promise.resolve(answer as SignedIn);
}

/** Checks the code that the user has entered. If the simulated provider has asked for no code, every code is wrong. */
export function completeSignIn(ctx: LinkCtx, provider: ProviderSlug, code: string): Promise<SignedIn> {
  return inTransaction(ctx, async (tx) => {
    const asked = await tx.db
      .selectFrom('link_tokens')
      .select('mfa_failures')
      .where('user_id', '=', tx.link.user.id)
      .where('id', '=', tx.link.id)
      .where('team_id', '=', tx.team.id)
      .where('mfa_provider', '=', provider)
      .forUpdate()
      .executeTakeFirst();
    if (!asked) return 'provider_credential_error';
    if (code === MFA_CODE) return connectDemoByLink(tx, provider);
    await (asked.mfa_failures + 1 >= MAX_WRONG_CODES ? awaitCode(tx, null) : countWrong(tx));
    return 'incorrect_mfa_code';
  });
}

/** Stores for which provider the link token waits for a code; null if it waits for none. */
async function awaitCode({ db, team, link }: TxCtx<LinkCtx>, provider: string | null): Promise<void> {
  await db
    .updateTable('link_tokens')
    .set({ mfa_provider: provider, mfa_failures: 0 })
    .where('user_id', '=', link.user.id)
    .where('id', '=', link.id)
    .where('team_id', '=', team.id)
    .execute();
}

async function countWrong({ db, team, link }: TxCtx<LinkCtx>): Promise<void> {
  await db
    .updateTable('link_tokens')
    .set({ mfa_failures: sql<number>`mfa_failures + 1` })
    .where('user_id', '=', link.user.id)
    .where('id', '=', link.id)
    .where('team_id', '=', team.id)
    .execute();
}
