import { sql } from 'kysely';
import type { Ctx, TeamCtx, TxCtx } from '../context.ts';

/** The turns of a team; its organisation's stay. */
export async function eraseTeam({ db }: TxCtx<TeamCtx>, team: { id: string }): Promise<void> {
  await db.deleteFrom('queue_turns').where('owner_id', '=', team.id).execute();
}

/** Nothing waits for so long. */
const KEPT_DAYS = 30;

/** Forgets turns that decide nothing any more. */
export async function dropExpired({ db }: Ctx): Promise<void> {
  await sql`
    delete from queue_turns where last_at < now() - make_interval(days => ${KEPT_DAYS})`.execute(db);
}
