import { CompiledQuery } from 'kysely';
import type { TeamCtx, TxCtx } from '../../../context.ts';
import { preparedStatement } from '../../../db/session/prepared.ts';
import { publishEvents } from '../../../events/publish.ts';
import { orderCreated, orderUpdated } from '../events.ts';
import type { LoadedOrder, OrderEventRow } from '../load-order.ts';
import { renderOrderOfEvent, shownWidely } from '../render.ts';
import { sendOut } from '../send-out.ts';
import { fullStatus, partsOf, type LowLevelStatus } from './statuses.ts';

export type NewEvent = { status: LowLevelStatus; detail?: string | null };

/**
 * Every webhook about an order contains all statuses that the order had, and a webhook must not exceed 256 KiB. So if
 * an order has had this many statuses, requests of the team cannot change its status. Updates of laboratories and
 * schedulers still can.
 */
const MAX_ASKED_FOR = 250;

export const hasLongHistory = ({ row }: Pick<LoadedOrder, 'row'>): boolean => row.last_event_id >= MAX_ASKED_FOR;

const APPEND = `
  with moment as (
    select greatest(date_trunc('milliseconds', coalesce($9::timestamptz, clock_timestamp())),
                    $4::timestamptz + interval '1 millisecond') as at
  ), added as (
    insert into order_events (user_id, order_id, team_id, id, status, status_detail, created_at)
    select $1, $2, $3, $5::integer + position, status, detail, moment.at + (position - 1) * interval '1 millisecond'
      from moment, unnest($6::text[], $7::text[]) with ordinality as new (status, detail, position)
     order by position
    returning id, status, created_at
  ), repeated as (
    update orders set last_event_id = added.id, last_status = added.status, last_event_at = added.created_at,
           last_low_level_status = $8, updated_at = added.created_at
      from added
     where orders.user_id = $1 and orders.id = $2 and added.id = $5::integer + cardinality($6::text[])
  )
  select created_at from added order by id`;

/**
 * Changes the status of an order. Every change of status goes through this function. It writes the events, copies the
 * newest one to the order's row, and publishes each event with the order as it was right after that event. The caller
 * holds the lock on the order's row, and has read the order under this lock.
 * The database refuses a status that the status table does not allow. Each event is at least a millisecond later than
 * the event before it, so customers can see which event is the newest.
 */
export async function appendOrderEvents(
  ctx: TxCtx<TeamCtx>,
  order: LoadedOrder,
  events: NewEvent[],
): Promise<LoadedOrder> {
  const { row } = order;
  const last = events.at(-1);
  if (!last) return order;
  const statuses = events.map((event) => fullStatus(row.method, event.status));
  const details = events.map((event) => event.detail ?? null);
  const { rows: times } = await ctx.db.executeQuery<{ created_at: string }>(
    preparedStatement(
      'append order events',
      CompiledQuery.raw(APPEND, [
        row.user_id,
        row.id,
        ctx.team.id,
        row.updated_at,
        row.last_event_id,
        statuses,
        details,
        last.status,
        ctx.happenedAt ?? null,
      ]),
    ),
  );
  const updated_at = times.at(-1)?.created_at as string;
  const newest = { last_low_level_status: last.status, last_event_at: updated_at, updated_at };
  const appended: LoadedOrder = {
    ...order,
    row: {
      ...row,
      ...newest,
      last_event_id: row.last_event_id + times.length,
      last_status: statuses.at(-1) as string,
    },
    events: [
      ...order.events,
      ...times.map(({ created_at }, index) => ({
        id: row.last_event_id + index + 1,
        created_at,
        status: statuses[index] as string,
        status_detail: details[index] as string | null,
      })),
    ],
    transaction: order.transaction.map((sibling) => (sibling.id === row.id ? { ...sibling, ...newest } : sibling)),
  };
  await publishOrderEvents(ctx, appended, appended.events.slice(order.events.length));
  const reached = events.map(({ status }) => status);
  await sendOut(ctx, appended, reached);
  for (const step of ctx.subscriptions.orderStatusesAppended) await step(ctx, appended, reached);
  return appended;
}

/**
 * Returns whether we publish partial results. A team can always read them, but only some teams want an event for them.
 */
const shouldPublishPartial = ({ team }: TeamCtx): boolean => team.settings['partial_webhooks_enabled'] === true;

/** Publishes events of an order. Each published event contains the order as it was right after that event. */
export async function publishOrderEvents(
  ctx: TxCtx<TeamCtx>,
  order: LoadedOrder,
  events: OrderEventRow[],
): Promise<void> {
  const isPublished = ({ status }: { status: string }): boolean =>
    shouldPublishPartial(ctx) || partsOf(status).low !== 'partial_results';
  await publishEvents(
    ctx,
    events.filter(isPublished).map(({ id }) => ({
      type: id === 1 ? orderCreated : orderUpdated,
      user: order.user,
      data: renderOrderOfEvent(order, shownWidely(ctx), order.events.slice(0, id)),
    })),
  );
}
