import { recordAudit } from '../audit/record-audit.ts';
import type { Ctx } from '../context.ts';
import type { DatabaseServer } from '../db/database-server.ts';
import { inTransaction } from '../db/transaction.ts';
import { withCtx } from './with-ctx.ts';

/** The actor that the audit log names for commands: a person who may run them on this machine. */
export const OPERATOR = 'operator';

/** The result of a command: the ids that it changed, and a function that prints its output. */
type Change = { org_id: string; team_id?: string | undefined; records: string[]; printResult: () => void };

/** Runs a command and writes its audit line in one transaction. It prints the output after the commit. */
export function withChange(
  words: string,
  change: (ctx: Ctx, databaseServer: DatabaseServer) => Promise<Change>,
): Promise<number> {
  return withCtx(words, async (ctx, databaseServer) => {
    const { printResult } = await inTransaction(ctx, async (tx) => {
      const { team_id = null, ...changed } = await change(tx as unknown as Ctx, databaseServer);
      const { org_id, records } = changed;
      await recordAudit(tx, { org_id, team_id, actor: OPERATOR, action: words, records });
      return changed;
    });
    printResult();
    return 0;
  });
}
