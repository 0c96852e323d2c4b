import { sql } from 'kysely';
import type { Ctx } from '../context.ts';
import type { Tx } from '../db/open.ts';
import { inTransaction } from '../db/transaction.ts';
import { publishEvent } from '../events/publish.ts';
import { endpointDisabled } from './events.ts';
import { tellOfChange } from './receiver-cache.ts';
import type { Consequences } from './settle.ts';

/**
 * Disables receivers that a batch showed to be gone or failing for too long, and tells of it. One that somebody locks, who
 * deletes or changes it, is left to its next failure.
 */
export async function disableReceivers(ctx: Ctx, receivers: Consequences['disable']): Promise<void> {
  for (const receiver of receivers) await disableReceiver(ctx, receiver);
}

function disableReceiver(ctx: Ctx, { webhook_id, team_id, reason }: Consequences['disable'][number]): Promise<void> {
  return inTransaction(ctx, async (ctx) => {
    const {
      rows: [disabled],
    } = await sql<{ failing_since: string | null }>`
      update webhooks set disabled = true, updated_at = now() from lanes
       where webhooks.id = (select id from webhooks
                             where id = ${webhook_id} and team_id = ${team_id} and not disabled for update skip locked)
         and lanes.webhook_id = webhooks.id
      returning lanes.failing_since`.execute(ctx.db);
    if (!disabled) return;
    ctx.log.warn({ endpoint_id: webhook_id, team_id, reason }, 'a webhook endpoint was disabled');
    await tellOfChange(ctx.db, webhook_id);
    await publishEvent({ ...ctx, team: { id: team_id } }, endpointDisabled, {
      user: null,
      data: { endpoint_id: webhook_id, reason, failing_since: disabled.failing_since },
    });
  });
}

/** For a receiver that has moved: what failed where it was says nothing about where it is. */
export async function forgetFailures(tx: Tx, webhookId: string): Promise<void> {
  await tx.updateTable('lanes').set({ failing_since: null }).where('webhook_id', '=', webhookId).execute();
}
