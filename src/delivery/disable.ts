import { sql } from 'kysely';
import type { Ctx } from '../context.ts';
import type { Tx } from '../db/open.ts';
import { inTransaction } from '../db/transaction.ts';
import { publishEvent } from '../events/publish.ts';
import { endpointDisabled } from './events.ts';
import { tellOfChange } from './receiver-cache.ts';
import { DISABLED_AFTER_DAYS } from './schedule.ts';
import type { Consequences } from './settle.ts';

/**
 * Disables receivers that a batch showed to be gone or failing for too long, and tells of it. One that somebody locks, who
 * deletes or changes it, is left to its next failure. What has moved or succeeded meanwhile stays as it is.
 */
export async function disableReceivers(ctx: Ctx, receivers: Consequences['disable']): Promise<void> {
  for (const receiver of receivers) await disableReceiver(ctx, receiver);
}

function disableReceiver(ctx: Ctx, receiver: Consequences['disable'][number]): Promise<void> {
  const { webhook_id, team_id, moves, reason } = receiver;
  return inTransaction(ctx, async (ctx) => {
    // Whoever has it move locks its row too: by the next statement its lane is looked at as it is.
    const { rows: enabled } = await sql`
      select from webhooks
       where id = ${webhook_id} and team_id = ${team_id} and not disabled for update skip locked`.execute(ctx.db);
    if (enabled.length === 0) return;
    const {
      rows: [disabled],
    } = await sql<{ failing_since: string | null }>`
      update webhooks set disabled = true, updated_at = now() from lanes
       where webhooks.id = ${webhook_id} and lanes.webhook_id = webhooks.id and lanes.moves = ${moves}
         and (${reason === 'gone'}::boolean or failing_since <= now() - make_interval(days => ${DISABLED_AFTER_DAYS}))
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

/** For a receiver that has moved: what fails where it was says nothing about where it is, what is under way included. */
export async function forgetFailures(tx: Tx, webhookId: string): Promise<void> {
  await sql`update lanes set failing_since = null, moves = moves + 1 where webhook_id = ${webhookId}`.execute(tx);
}
