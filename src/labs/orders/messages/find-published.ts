import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx } from '../../../context.ts';
import { byIndex } from '../../../db/session/by-index.ts';
import { openBodyOrNull } from '../../../events/open-body.ts';
import { minIdAt } from '../../../ids.ts';
import { loadOrder } from '../load-order.ts';
import type { OrderEventPage } from './schemas.ts';

/** A team can give an order 250 statuses. The newest of its events are shown. */
const MOST = 500;
/** The most events of the user that we read for it. Events about tests are few beside those of wearables. */
const MOST_READ = 2_000;
/** How many events we read at a time. An event has up to 256 KiB. */
const AT_ONCE = 100;
/** Ids have the time of a process, and the order has the time of the database. */
const CLOCK_SKEW_MS = 10 * 60_000;

type Row = { id: string; event_type: string; created_at: string; body: Buffer };
type Body = { data?: { id?: unknown; order_id?: unknown; last_event?: { id?: unknown; status?: unknown } } };

/**
 * Returns the stored events about an order, its appointments and its critical results, the newest first. Throws
 * not_found. If the kit was bound to another user, the events before that belong to that user and are not shown.
 */
export async function findPublishedEvents(ctx: TeamCtx, orderId: string): Promise<Static<typeof OrderEventPage>> {
  const { row: order } = await loadOrder(ctx, orderId);
  const since = minIdAt(Date.parse(order.created_at) - CLOCK_SKEW_MS);
  const events: Static<typeof OrderEventPage>['events'] = [];
  for await (const { id, event_type, created_at, body } of newestEvents(ctx, order.user_id, since)) {
    if (events.length === MOST) break;
    const bytes = await openBodyOrNull(ctx, id, body);
    const data = bytes && (JSON.parse(bytes.toString('utf8')) as Body).data;
    if (!data || (data.id !== order.id && data.order_id !== order.id)) continue;
    const { id: order_event_id, status } = data.last_event ?? {};
    events.push({
      id,
      event_type,
      created_at,
      order_event_id: typeof order_event_id === 'number' ? order_event_id : null,
      status: typeof status === 'string' ? status : null,
    });
  }
  return { order_id: order.id, events };
}

/** Reads the newest events about tests of a user, and lets other requests run between two pages. */
async function* newestEvents({ db, team }: TeamCtx, userId: string, since: string): AsyncIterable<Row> {
  let before: string | null = null;
  for (let read = 0; read < MOST_READ; read += AT_ONCE) {
    const { rows }: { rows: Row[] } = await byIndex(sql<Row>`
      select id, event_type, created_at, body from events
       where user_id = ${userId} and team_id = ${team.id} and id >= ${since} and test_for is null
         and (${before}::uuid is null or id < ${before}::uuid) and starts_with(event_type, 'labtest.')
       order by id desc limit ${AT_ONCE}`).execute(db);
    yield* rows;
    if (rows.length < AT_ONCE) return;
    before = rows.at(-1)?.id as string;
  }
}
