import { sql } from 'kysely';
import type { Ctx } from '../context.ts';
import type { Tx } from '../db/open-database.ts';
import { inTransaction } from '../db/transaction.ts';
import { publishEvent } from '../events/publish.ts';
import { endpointDisabled } from './events.ts';
import { notifyEndpointChange } from './endpoint-cache.ts';
import { DISABLED_AFTER_DAYS } from './retry-schedule.ts';
import type { Consequences } from './record-outcomes.ts';

/**
 * Disables endpoints that responded with 410 or have failed for too long, and publishes an event for each. An endpoint
 * stays enabled if its URL has changed since the failed attempt. An endpoint that failed for too long also stays
 * enabled if another attempt has succeeded meanwhile. If another transaction locks the endpoint to delete or change it,
 * this function skips the endpoint. The next failure tries again.
 */
export async function disableEndpoints(ctx: Ctx, endpoints: Consequences['disable']): Promise<void> {
  for (const endpoint of endpoints) await disableEndpoint(ctx, endpoint);
}

function disableEndpoint(ctx: Ctx, endpoint: Consequences['disable'][number]): Promise<void> {
  const { webhook_id, team_id, url_changes, reason } = endpoint;
  return inTransaction(ctx, async (ctx) => {
    // A transaction that changes the URL locks this row too. So when we have the lock, the next statement reads the
    // current `url_changes` and `failing_since` of the queue.
    const { rows: enabled } = await sql`
      select from webhooks
       where id = ${webhook_id} and team_id = ${team_id} and not disabled for update skip locked`.execute(ctx.db);
    if (enabled.length === 0) return;
    const {
      rows: [disabled],
    } = await sql<{ failing_since: string | null }>`
      update webhooks set disabled = true, updated_at = now() from endpoint_queues
       where webhooks.id = ${webhook_id} and endpoint_queues.webhook_id = webhooks.id
           and endpoint_queues.url_changes = ${url_changes}
         and (${reason === 'gone'}::boolean or failing_since <= now() - make_interval(days => ${DISABLED_AFTER_DAYS}))
      returning endpoint_queues.failing_since`.execute(ctx.db);
    if (!disabled) return;
    ctx.log.warn({ endpoint_id: webhook_id, team_id, reason }, 'a webhook endpoint was disabled');
    await notifyEndpointChange(ctx.db, webhook_id);
    await publishEvent({ ...ctx, team: { id: team_id } }, endpointDisabled, {
      user: null,
      data: { endpoint_id: webhook_id, reason, failing_since: disabled.failing_since },
    });
  });
}

/**
 * Clears the failures of an endpoint when its URL changes. Failures at the old URL do not count against the new one.
 * This includes attempts that are still under way to the old URL.
 */
export async function forgetFailures(tx: Tx, webhookId: string): Promise<void> {
  await sql`
    update endpoint_queues set failing_since = null, url_changes = url_changes + 1
     where webhook_id = ${webhookId}`.execute(tx);
}
