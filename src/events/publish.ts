import { sql } from 'kysely';
import type { Static, TSchema } from 'typebox';
import type { TeamCtx, TxCtx } from '../context.ts';
import { newId } from '../ids.ts';
import type { EventType } from './define.ts';

/** Workers listen to it as a wake-up; what is due stands in the queue. */
export const DELIVERIES_CHANNEL = 'phial_deliveries';

type Publishable = Pick<TxCtx<TeamCtx>, 'db'> & { team: { id: string } };

/**
 * Writes an event and a queue row per subscribed endpoint into the caller's transaction: both are there exactly
 * when the change they tell of is. The stored body is the very text that every attempt signs and sends.
 */
export async function publishEvent<T extends TSchema>(
  ctx: Publishable,
  type: EventType<T>,
  event: { user: { id: string; client_user_id: string } | null; data: Static<T> },
): Promise<string> {
  if (!ctx.db.isTransaction)
    throw new Error(`Event ${type.name} was published outside the transaction that it tells of.`);
  const id = newId();
  const { team, db } = ctx;
  const rest = JSON.stringify({
    team_id: team.id,
    user_id: event.user?.id ?? null,
    client_user_id: event.user?.client_user_id ?? null,
  });
  const body = `{"event_type":${JSON.stringify(type.name)},"data":${type.write(event.data)},${rest.slice(1)}`;
  await sql`
    with event as (
      insert into events (team_id, id, user_id, event_type, body)
      values (${team.id}, ${id}, ${event.user?.id ?? null}, ${type.name}, ${body})
      returning team_id, id
    ), queued as (
      insert into deliveries (webhook_id, event_id, team_id)
      select webhooks.id, event.id, event.team_id
        from event join webhooks on webhooks.team_id = event.team_id
       where ${type.name} = any (webhooks.filter_types)
          or (webhooks.filter_types is null and not ${type.operational}::boolean)
      returning webhook_id
    )
    select pg_notify(${DELIVERIES_CHANNEL}, '') from (select count(*) as rows from queued) as written where rows > 0
  `.execute(db);
  return id;
}
