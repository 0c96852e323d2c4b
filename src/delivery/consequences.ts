import { sql } from 'kysely';
import type { Ctx, TxCtx } from '../context.ts';
import { inTransaction } from '../db/transaction.ts';
import { OPERATIONAL_NAMES } from '../events/names.ts';
import { publishEvent, publishEvents } from '../events/publish.ts';
import { tellOfChange } from './receiver-cache.ts';
import { attemptExhausted, endpointDisabled } from './events.ts';
import type { Consequences, Settled } from './settle.ts';

/** Tells of deliveries that were given up. An operational event that is given up causes no further one, nor does a test. */
export async function tellOfExhausted(ctx: TxCtx<Ctx>, exhausted: Settled[]): Promise<void> {
  const byTeam = new Map<string, Settled[]>();
  for (const settled of exhausted) {
    const { team_id, event_type, trigger } = settled.delivery;
    if (OPERATIONAL_NAMES.includes(event_type) || trigger === 'test') continue;
    byTeam.set(team_id, [...(byTeam.get(team_id) ?? []), settled]);
  }
  for (const [id, ofTeam] of byTeam) {
    const events = ofTeam.map(({ delivery, outcome }) => ({
      type: attemptExhausted,
      user: null,
      data: {
        endpoint_id: delivery.webhook_id,
        message_id: delivery.event_id,
        event_type: delivery.event_type,
        attempts: delivery.attempt,
        last_status: outcome.status,
        last_error: outcome.error,
      },
    }));
    await publishEvents({ ...ctx, team: { id } }, events);
  }
}

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
    ctx.log.warn({ webhook_id, team_id, reason }, 'a webhook endpoint was disabled');
    await tellOfChange(ctx.db, webhook_id);
    await publishEvent({ ...ctx, team: { id: team_id } }, endpointDisabled, {
      user: null,
      data: { endpoint_id: webhook_id, reason, failing_since: disabled.failing_since },
    });
  });
}
