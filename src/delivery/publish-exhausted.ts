import type { Ctx, TxCtx } from '../context.ts';
import { OPERATIONAL_NAMES } from '../events/names.ts';
import { publishEvents } from '../events/publish.ts';
import { attemptExhausted } from './events.ts';
import type { EndedDelivery } from './record-outcomes.ts';

/**
 * Publishes an event for each delivery that failed its last attempt. It publishes none if the delivery was itself about
 * an endpoint (an operational event) or a test.
 */
export async function publishExhausted(ctx: TxCtx<Ctx>, exhausted: EndedDelivery[]): Promise<void> {
  const byTeam = new Map<string, EndedDelivery[]>();
  for (const ended of exhausted) {
    const { team_id, event_type, trigger } = ended.delivery;
    if (OPERATIONAL_NAMES.includes(event_type) || trigger === 'test') continue;
    byTeam.set(team_id, [...(byTeam.get(team_id) ?? []), ended]);
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
