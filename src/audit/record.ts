import type { Ctx, TxCtx } from '../context.ts';
import { newId } from '../ids.ts';

type Entry = {
  team_id: string | null;
  /** What was done, as `user.purged`. */
  action: string;
  /** Who did it: a key's id, or the name of the program's own task. */
  actor: string;
  /** Ids of what it was done to; never names, dates or other values. */
  records: Record<string, string>;
};

/** Adds to the audit log in the transaction of the deed. The application's role can neither change nor delete entries. */
export async function recordAudit(ctx: Pick<TxCtx<Ctx>, 'db'>, entry: Entry): Promise<void> {
  await ctx.db
    .insertInto('audit_log')
    .values({ id: newId(), ...entry, records: JSON.stringify(entry.records) })
    .execute();
}
