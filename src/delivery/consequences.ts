import { sql } from 'kysely';
import type { Ctx } from '../context.ts';
import { inTransaction } from '../db/transaction.ts';
import { publishEvent } from '../events/publish.ts';
import { attemptExhausted, endpointDisabled, OPERATIONAL_EVENTS } from './events.ts';
import type { Consequences } from './settle.ts';

/** Disables endpoints that a batch showed to be gone or failing for too long, and tells of that and of what was given up. */
export async function drawConsequences(ctx: Ctx, { disable, exhausted }: Consequences): Promise<void> {
  for (const endpoint of disable) await disableEndpoint(ctx, endpoint);
  for (const { delivery, outcome } of exhausted) {
    if (OPERATIONAL_EVENTS.includes(delivery.event_type)) continue;
    await inTransaction(ctx, (ctx) =>
      publishEvent({ db: ctx.db, team: { id: delivery.team_id } }, attemptExhausted, {
        user: null,
        data: {
          endpoint_id: delivery.webhook_id,
          message_id: delivery.event_id,
          event_type: delivery.event_type,
          attempts: delivery.attempt,
          last_status: outcome.status,
          last_error: outcome.error,
        },
      }),
    );
  }
}

function disableEndpoint(ctx: Ctx, { webhook_id, team_id, reason }: Consequences['disable'][number]): Promise<void> {
  return inTransaction(ctx, async (ctx) => {
    const disabled = await ctx.db
      .updateTable('webhooks')
      .set({ disabled: true, updated_at: sql`now()` })
      .where('id', '=', webhook_id)
      .where('team_id', '=', team_id)
      .where('disabled', '=', false)
      .returning('failing_since')
      .executeTakeFirst();
    if (!disabled) return;
    ctx.log.warn({ webhook_id, team_id, reason }, 'a webhook endpoint was disabled');
    await publishEvent({ db: ctx.db, team: { id: team_id } }, endpointDisabled, {
      user: null,
      data: { endpoint_id: webhook_id, reason, failing_since: disabled.failing_since },
    });
  });
}
