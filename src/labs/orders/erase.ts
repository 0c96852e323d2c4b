import { sql } from 'kysely';
import type { TeamCtx, TxCtx } from '../../context.ts';

/** Events, shipments, simulations and results hang on their order by foreign keys, an order on its transaction. */
export async function eraseUser({ db, team }: TxCtx<TeamCtx>, user: { id: string }): Promise<void> {
  await sql`
    delete from sample_ids
     where team_id = ${team.id} and order_id in (select id from orders where user_id = ${user.id})`.execute(db);
  await db.deleteFrom('order_transactions').where('user_id', '=', user.id).execute();
}

export async function eraseTeam({ db }: TxCtx<TeamCtx>, team: { id: string }): Promise<void> {
  await db.deleteFrom('sample_ids').where('team_id', '=', team.id).execute();
  await db.deleteFrom('order_transactions').where('team_id', '=', team.id).execute();
}
