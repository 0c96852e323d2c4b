import { sql } from 'kysely';
import type { Ctx, TeamCtx, TxCtx } from '../../context.ts';

const ORDERS = 1_000;

/**
 * Events, shipments, simulations and results hang on their order by foreign keys, an order on its transaction. The
 * orders of the sample ids are named, not joined: by statistics from when tables were empty a join reads them whole.
 */
export async function eraseUser({ db, team }: TxCtx<TeamCtx>, user: { id: string }): Promise<void> {
  // With a column that only the rows have: a list's index, which holds user and id for counting, would be read whole.
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
  await sql`delete from event_resends where ended_at < now() - interval '1 day' or moved_at < now() - interval '30 days'`.execute(
    db,
  );
}
