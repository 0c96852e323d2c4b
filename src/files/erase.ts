import { sql } from 'kysely';
import type { Ctx, TeamCtx, TxCtx } from '../context.ts';

/** Deletes the time when the team was last served. The row of its organisation stays. */
export async function eraseTeam({ db }: TxCtx<TeamCtx>, team: { id: string }): Promise<void> {
  await db.deleteFrom('queue_last_served').where('owner_id', '=', team.id).execute();
}

/** No file waits for this long, so older times of service change nothing. */
const RETENTION_DAYS = 30;

/** Deletes old times at which owners were served. They do not affect the order of the queues. */
export async function dropExpired({ db }: Ctx): Promise<void> {
  await sql`
    delete from queue_last_served where last_at < now() - make_interval(days => ${RETENTION_DAYS})`.execute(db);
}
