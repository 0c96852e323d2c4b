import { sql } from 'kysely';
import type { Ctx, TeamCtx, TxCtx } from '../context.ts';
import { ERASURE_BEGAN, GRACE_DAYS } from './delete.ts';
import type { Exports } from '../privacy/export-rows.ts';

export const EXPORTS: Exports = {
  ofUser: [{ type: 'user_info', table: 'user_info', key: ['user_id'] }],
};

/** Users whose grace period is over by the database's clock. */
export const dueForErasure = sql<boolean>`deleted_at <= now() - make_interval(days => ${GRACE_DAYS})`;

/**
 * Keeps the user's row until the commit, unless an undo came first; one that comes later waits, and finds a user whose
 * erasure has begun. Half of it is never taken back: a run that was killed is gone on with by the next.
 */
export async function holdForErasure({ db }: TxCtx<TeamCtx>, user: { id: string }): Promise<boolean> {
  const { rows } = await sql`
    update users set deleted_at = ${ERASURE_BEGAN} where id = ${user.id} and ${dueForErasure} returning id`.execute(db);
  return rows.length > 0;
}

/** What users own; orders, insurance and events have gone before, since their rows point here. */
export async function eraseUser({ db }: TxCtx<TeamCtx>, user: { id: string }): Promise<void> {
  await db.deleteFrom('user_tokens').where('user_id', '=', user.id).execute();
  await db.deleteFrom('user_info').where('user_id', '=', user.id).execute();
  await db.deleteFrom('client_user_ids').where('user_id', '=', user.id).execute();
  await db.deleteFrom('users').where('id', '=', user.id).execute();
}

/** What they own goes with them by foreign keys. */
export async function eraseTeam({ db }: TxCtx<TeamCtx>, team: { id: string }): Promise<void> {
  await db.deleteFrom('users').where('team_id', '=', team.id).execute();
}

export async function dropExpired({ db }: Ctx): Promise<void> {
  await sql`delete from user_tokens where expires_at < now()`.execute(db);
}
