import { sql } from 'kysely';
import type { Ctx, TxCtx } from '../../context.ts';
import { boundToOrg } from '../../db/session/bind.ts';
import { inTransaction } from '../../db/transaction.ts';
import { AppError, notFound } from '../../errors.ts';
import { MANAGEMENT_KEY_COLUMNS, type ManagementKeyRow } from './render-management-key.ts';

/**
 * Revokes a management key of the organisation. Returns null if the key was already revoked. Without an Org Management
 * Key, the organisation could create no other key over the API. So the function throws last_management_key for the last
 * Org Management Key. With `lastToo` it revokes that key too.
 */
export function revokeManagementKey(
  ctx: Ctx,
  orgId: string,
  keyId: string,
  { lastToo = false }: { lastToo?: boolean } = {},
): Promise<ManagementKeyRow | null> {
  return inTransaction(boundToOrg(ctx, orgId), async (ctx) => {
    // Two Org Management Keys may revoke each other at the same time. The second request waits here, and then finds
    // that its target is the last key.
    await sql`select from orgs where id = ${orgId} for no key update`.execute(ctx.db);
    const key = await ctx.db
      .selectFrom('management_keys')
      .select(['role', 'revoked_at'])
      .where('org_id', '=', orgId)
      .where('id', '=', keyId)
      .executeTakeFirst();
    if (!key) throw notFound('Management key');
    if (key.revoked_at !== null) return null;
    if (!lastToo && key.role === 'org_admin') await refuseLast(ctx, orgId, keyId);
    return ctx.db
      .updateTable('management_keys')
      .set({ revoked_at: sql`now()` })
      .where('id', '=', keyId)
      .returning(MANAGEMENT_KEY_COLUMNS)
      .executeTakeFirstOrThrow();
  });
}

async function refuseLast(ctx: TxCtx, orgId: string, keyId: string): Promise<void> {
  const another = await ctx.db
    .selectFrom('management_keys')
    .select('id')
    .where('org_id', '=', orgId)
    .where('id', '!=', keyId)
    .where('role', '=', 'org_admin')
    .where('revoked_at', 'is', null)
    .limit(1)
    .executeTakeFirst();
  if (another) return;
  throw new AppError(
    'last_management_key',
    'This is the last Org Management Key of the organisation. Create another one first, then revoke this one ' +
      'with it.',
  );
}
