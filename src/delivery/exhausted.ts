import type { Ctx, TxCtx } from '../context.ts';
import { OPERATIONAL_NAMES } from '../events/names.ts';
import { publishEvents } from '../events/publish.ts';
import { attemptExhausted } from './events.ts';
import type { Settled } from './settle.ts';

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
