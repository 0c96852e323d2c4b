import type { TxCtx } from '../context.ts';
import { runAtCommit } from '../db/transaction.ts';
import { insertOf, toRow, type AuditEntry } from './entry.ts';

/** Has the entry written with the commit of the transaction that `ctx` runs in: the deed and its line, or neither. */
export const recordAtCommit = (ctx: TxCtx, entry: AuditEntry): Promise<void> => runAtCommit(ctx, insertOf(entry));

/** A deed of the service itself, in the transaction of the deed. */
export async function recordAudit(
  ctx: Pick<TxCtx, 'db'>,
  { team_id, actor, action, records }: Pick<AuditEntry, 'team_id' | 'actor' | 'action' | 'records'>,
): Promise<void> {
  const nobody = { org_id: null, key_id: null, status: null, request_id: null, address: null };
  await ctx.db
    .insertInto('audit_log')
    .values(toRow({ ...nobody, team_id, actor, action, records }))
    .execute();
}
