import { sql } from 'kysely';
import type { TeamCtx, TxCtx } from '../../../context.ts';
import { publishEvent } from '../../../events/publish.ts';
import { orderCreated, orderUpdated } from '../events.ts';
import { loadOrder, type LoadedOrder, type OrderRow } from '../load.ts';
import { renderOrderInFull, shownWidely } from '../render.ts';
import { fullStatus, type LowLevelStatus } from './table.ts';

export type NewEvent = { status: LowLevelStatus; detail?: string | null };

/**
 * The one way by which an order gets a status: writes the events, repeats the newest on the order and publishes each
 * with the order as it was right after it. The caller holds the order's row lock; the database refuses what the
 * status table forbids. Times rise by a millisecond at least, so that receivers can tell which event is the newest.
 */
export async function appendOrderEvents(
  ctx: TxCtx<TeamCtx>,
  order: Pick<OrderRow, 'id' | 'user_id' | 'method'>,
  events: NewEvent[],
): Promise<LoadedOrder> {
  const statuses = events.map((event) => fullStatus(order.method, event.status));
  const {
    rows: [last],
  } = await sql<{ last_event_id: number }>`
    with previous as (
      select last_event_id, greatest(date_trunc('milliseconds', clock_timestamp()), updated_at + interval '1 millisecond') as begins_at
        from orders where user_id = ${order.user_id} and id = ${order.id}
    ), added as (
      insert into order_events (user_id, order_id, team_id, id, status, status_detail, created_at)
      select ${order.user_id}, ${order.id}, ${ctx.team.id}, last_event_id + position, status, detail,
             begins_at + (position - 1) * interval '1 millisecond'
        from previous, unnest(${statuses}::text[], ${events.map((event) => event.detail ?? null)}::text[])
          with ordinality as new (status, detail, position)
       order by position
      returning id, status, created_at
    ), newest as (
      select * from added order by id desc limit 1
    )
    update orders set last_event_id = newest.id, last_status = newest.status, last_event_at = newest.created_at,
           last_low_level_status = split_part(newest.status, '.', 3), updated_at = newest.created_at
      from newest, previous
     where orders.user_id = ${order.user_id} and orders.id = ${order.id}
    returning previous.last_event_id`.execute(ctx.db);
  const loaded = await loadOrder(ctx, order.id);
  await publishFrom(ctx, loaded, last?.last_event_id ?? 0);
  return loaded;
}

async function publishFrom(ctx: TxCtx<TeamCtx>, order: LoadedOrder, alreadyTold: number): Promise<void> {
  const user = await ctx.db
    .selectFrom('users')
    .select(['id', 'client_user_id'])
    .where('id', '=', order.row.user_id)
    .where('team_id', '=', ctx.team.id)
    .executeTakeFirstOrThrow();
  for (let count = alreadyTold + 1; count <= order.events.length; count += 1) {
    const data = renderOrderInFull(order, shownWidely(ctx), order.events.slice(0, count));
    await publishEvent(ctx, count === 1 ? orderCreated : orderUpdated, { user, data });
  }
}
