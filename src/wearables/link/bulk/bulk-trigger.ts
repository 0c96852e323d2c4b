import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx } from '../../../context.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { recordBulkOp } from './record-bulk-op.ts';
import { DEMO_DAYS } from '../../pulls/demo/demo-importers.ts';
import { importerOrNull } from '../../pulls/importers.ts';
import { schedulePulls } from '../../pulls/schedule-pulls.ts';
import type { BulkTrigger, BulkTriggerInput } from '../schemas.ts';

/**
 * Pulls the past of many users' connections to a provider again, for as many days as when the connection was made. A
 * pull that is running starts again. Returns users as failed if they have no connection that can be pulled.
 */
export function bulkTrigger(
  ctx: TeamCtx,
  { provider, user_ids }: Static<typeof BulkTriggerInput>,
): Promise<Static<typeof BulkTrigger>> {
  return inTransaction(ctx, async (ctx) => {
    const asked = [...new Set(user_ids)];
    const users = await ctx.db
      .selectFrom('users')
      .innerJoin('connections', 'connections.user_id', 'users.id')
      .select([
        'users.id',
        'users.ingestion_start',
        'users.ingestion_end',
        'connections.demo',
        'connections.granted_scopes',
        'connections.credential_id',
      ])
      .where(sql<boolean>`users.id = any (${asked}::uuid[])`)
      .where('connections.team_id', '=', ctx.team.id)
      .where('connections.provider', '=', provider)
      .where('connections.status', '=', 'connected')
      .where('users.deleted_at', 'is', null)
      // All calls lock rows in this order. Otherwise two calls for the same users could deadlock.
      .orderBy('users.id')
      .forUpdate('connections')
      .execute();
    const pulled = users.filter(({ demo, credential_id }) => importerOrNull(ctx, { provider, demo, credential_id }));
    for (const { demo, granted_scopes, credential_id, ...user } of pulled)
      await schedulePulls(
        ctx,
        user,
        { provider, demo, granted_scopes, credential_id },
        demo ? { days: DEMO_DAYS } : {},
      );
    await recordBulkOp(ctx, { type: 'link_bulk_historical_trigger', provider, processed: asked.length });
    const triggered = pulled.map(({ id }) => id);
    return { user_ids_triggered: triggered, user_ids_failed: asked.filter((id) => !triggered.includes(id)) };
  });
}
