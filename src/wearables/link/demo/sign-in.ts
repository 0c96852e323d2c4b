// Signing in at a provider that a sandbox plays: by a password, with a second factor, or by an e-mail address.
import { sql } from 'kysely';
import type { LinkCtx, TxCtx } from '../../../context.ts';
import { inTransaction } from '../../../db/transaction.ts';
import type { ProviderSlug } from '../../providers/catalogue.ts';
import type { LinkOutcome } from '../outcome.ts';
import { connectDemoByLink } from './connect.ts';
import { answerToEmail, answerToPassword, MFA_CODE } from './credentials.ts';

/** Wrong codes after which the password is asked for again. */
const MOST_WRONG_CODES = 3;

/** What has become of it; a second factor is still to come. */
export type SignedIn = LinkOutcome | 'pending_provider_mfa';

/** `provider` is one that the link token lets its user connect, as a demo. */
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

/** The code that the provider has asked for before; without a question there is no right one. */
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
    await (asked.mfa_failures + 1 >= MOST_WRONG_CODES ? awaitCode(tx, null) : countWrong(tx));
    return 'incorrect_mfa_code';
  });
}

/** From now on a code of this provider is waited for; null: of none. */
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
