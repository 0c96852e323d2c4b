import type { Ctx, TxCtx } from '../context.ts';
import { runAtCommit } from '../db/transaction.ts';
import { insertOf, toRow, type AuditEntry } from './entry.ts';

/** Has the entry written with the commit of the transaction that `ctx` runs in: the deed and its line, or neither. */
export const recordAtCommit = (ctx: TxCtx, entry: AuditEntry): Promise<void> => runAtCommit(ctx, insertOf(entry));

type Deed = Pick<AuditEntry, 'team_id' | 'actor' | 'action' | 'records'> & Partial<Pick<AuditEntry, 'org_id'>>;

/** A deed without a request, of the service itself or of its operator, in the transaction of the deed. */
export async function recordAudit(
  ctx: Pick<Ctx | TxCtx, 'db'>,
  { org_id = null, team_id, actor, action, records }: Deed,
): Promise<void> {
  const nobody = { key_id: null, status: null, request_id: null, address: null };
  await ctx.db
    .insertInto('audit_log')
    .values(toRow({ ...nobody, org_id, team_id, actor, action, records }))
    .execute();
}
