import { sql } from 'kysely';
import type { Ctx, TxCtx } from '../context.ts';
import { runAtCommit } from '../db/transaction.ts';
import { insertOf, toRow, type AuditEntry } from './entry.ts';

/** Writes the entry together with the commit of the transaction of `ctx`. Either both happen or neither does. */
export const recordAtCommit = (ctx: TxCtx, entry: AuditEntry): Promise<void> => runAtCommit(ctx, insertOf(entry));

type Deed = Pick<AuditEntry, 'team_id' | 'actor' | 'action' | 'records'> & Partial<Pick<AuditEntry, 'org_id'>>;

/** Writes an entry for an act of the service or its operator, without a request, in the transaction of the act. */
export async function recordAudit(
  ctx: Pick<Ctx | TxCtx, 'db'>,
  { org_id = null, team_id, actor, action, records }: Deed,
): Promise<void> {
  const nobody = { key_id: null, person_id: null, status: null, request_id: null, address: null };
  const row = toRow({ ...nobody, org_id, team_id, actor, action, records });
  // An organisation reads the lines that name it, so a line about its team names it too.
  const ofTeam = sql<string | null>`(select org_id from teams where id = ${team_id}::uuid)`;
  await ctx.db
    .insertInto('audit_log')
    .values({ ...row, org_id: org_id ?? (team_id === null ? null : ofTeam) })
    .execute();
}
