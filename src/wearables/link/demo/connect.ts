import { recordAudit } from '../../../audit/record-audit.ts';
import type { LinkCtx, TxCtx } from '../../../context.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { AppError } from '../../../errors.ts';
import { connectDemo } from '../../pulls/demo/connect.ts';
import type { ProviderSlug } from '../../providers/provider-catalogue.ts';
import type { LinkOutcome } from '../link-outcome.ts';
import { consumeLinkSession } from '../session.ts';

/** Connects the user of a link token to a provider with invented data. A token connects only once. */
export function connectDemoByLink(ctx: LinkCtx | TxCtx<LinkCtx>, provider: ProviderSlug): Promise<LinkOutcome> {
  return inTransaction(ctx, async (tx) => {
    if (!(await consumeLinkSession(tx))) return 'token_consumed';
    await connectDemo(tx, { user_id: tx.link.user.id, provider });
    await recordAudit(tx, {
      org_id: tx.team.org_id,
      team_id: tx.team.id,
      action: 'connection.created',
      actor: 'link_token',
      records: [tx.link.user.id, tx.link.id],
    });
    return 'success' as const;
  }).catch((error: unknown) => {
    // Another request has deleted the user meanwhile.
    if (error instanceof AppError) return 'invalid_token';
    throw error;
  });
}
