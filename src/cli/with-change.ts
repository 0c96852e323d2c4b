import { recordAudit } from '../audit/record.ts';
import type { Ctx } from '../context.ts';
import { inTransaction } from '../db/transaction.ts';
import { withCtx } from './with-ctx.ts';

/** Who commands are by, in the audit log: whoever may run them on the machine. */
export const OPERATOR = 'operator';

/** What a command changed, by ids, and what it says of it. */
type Change = { org_id: string; team_id?: string | undefined; records: string[]; tell: () => void };

/** Runs a command that changes something in one transaction with its line in the audit log; it speaks after the commit. */
export function withChange(words: string, change: (ctx: Ctx) => Promise<Change>): Promise<number> {
  return withCtx(words, async (ctx) => {
    const { tell } = await inTransaction(ctx, async (tx) => {
      const { team_id = null, ...changed } = await change(tx as unknown as Ctx);
      const { org_id, records } = changed;
      await recordAudit(tx, { org_id, team_id, actor: OPERATOR, action: words, records });
      return changed;
    });
    tell();
    return 0;
  });
}
