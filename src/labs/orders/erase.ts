import { sql } from 'kysely';
import type { Ctx, TeamCtx, TxCtx } from '../../context.ts';
import { CompiledQuery } from 'kysely';
import { MIN_ID } from '../../ids.ts';
import type { ExportedRow, Exports } from '../../privacy/export-rows.ts';
import { JOINED, toOrders, WHOLE_ORDER, type WholeOrder } from './load-order.ts';
import { renderOrderInFull } from './render.ts';

/** The export includes appointments, because this module also erases them: they go together with their order. */
export const EXPORTS: Exports = {
  ofUser: [
    {
      type: 'order',
      tables: ['orders', 'order_transactions', 'order_events', 'sample_ids', 'shipments'],
      lines: ordersOfUser,
    },
    { type: 'order_communication_settings', table: 'order_communication_settings', key: ['order_id'] },
    { type: 'order_note', table: 'order_notes', key: ['order_id', 'id'] },
    { type: 'order_signature', table: 'order_signatures', key: ['order_id'] },
    { type: 'appointment', table: 'appointments', key: ['order_id', 'id'] },
    { type: 'appointment_event', table: 'appointment_events', key: ['order_id', 'appointment_id', 'id'] },
    { type: 'scheduler_call', table: 'scheduler_calls', key: ['order_id', 'id'] },
  ],
};

const AT_ONCE = 50;
const PAGE = `select ${WHOLE_ORDER} from orders ${JOINED}
  where orders.team_id = $1 and orders.user_id = $2 and orders.id > $3 order by orders.id limit ${AT_ONCE}`;

/**
 * Returns a user's orders as API responses show them, but without the link to the requisition. That link needs no key,
 * so everybody who reads the export could open the requisition.
 */
async function* ordersOfUser(ctx: TeamCtx, user: { id: string }): AsyncIterable<ExportedRow> {
  for (let after = MIN_ID; ;) {
    const { rows } = await ctx.db.executeQuery<WholeOrder>(CompiledQuery.raw(PAGE, [ctx.team.id, user.id, after]));
    for (const order of await toOrders(ctx, rows))
      yield { ...renderOrderInFull(order, 'all'), requisition_form_url: null };
    if (rows.length < AT_ONCE) return;
    after = rows.at(-1)?.id as string;
  }
}

const ORDERS = 1_000;

/**
 * Deletes the order transactions of a user. Foreign keys then delete the orders of these transactions, with their
 * events, shipments, simulations and results. Only sample ids need a statement of their own. It lists the ids of orders
 * and contains no join. PostgreSQL's statistics may be from a time at which the tables were empty. With such
 * statistics, a join would read the complete tables.
 */
export async function eraseUser({ db, team }: TxCtx<TeamCtx>, user: { id: string }): Promise<void> {
  // We also select created_at, because the index of the list of orders does not contain it. Otherwise PostgreSQL could
  // answer from that index alone, and would read all of it.
  const orders = await db.selectFrom('orders').select(['id', 'created_at']).where('user_id', '=', user.id).execute();
  for (let from = 0; from < orders.length; from += ORDERS) {
    const ids = orders.slice(from, from + ORDERS).map(({ id }) => id);
    await db.deleteFrom('sample_ids').where('team_id', '=', team.id).where('order_id', 'in', ids).execute();
  }
  await db.deleteFrom('order_transactions').where('user_id', '=', user.id).execute();
}

export async function eraseTeam({ db }: TxCtx<TeamCtx>, team: { id: string }): Promise<void> {
  await db.deleteFrom('event_resends').where('team_id', '=', team.id).execute();
  await db.deleteFrom('sample_ids').where('team_id', '=', team.id).execute();
  await db.deleteFrom('order_transactions').where('team_id', '=', team.id).execute();
}

export async function dropExpired({ db }: Ctx): Promise<void> {
  await sql`
    delete from event_resends
     where ended_at < now() - interval '1 day' or moved_at < now() - interval '30 days'`.execute(db);
}
