import { sql } from 'kysely';
import type { Ctx, TeamCtx, TxCtx } from '../context.ts';
import { ERASURE_BEGAN, GRACE_DAYS } from './delete.ts';
import type { Exports } from '../privacy/export-rows.ts';

export const EXPORTS: Exports = {
  ofUser: [{ type: 'user_info', table: 'user_info', key: ['user_id'] }],
};

/** A condition for users whose grace period has ended, by the clock of the database. */
export const dueForErasure = sql<boolean>`deleted_at <= now() - make_interval(days => ${GRACE_DAYS})`;

/**
 * Locks the user's row until the commit, and marks the erasure as begun. Returns false if somebody has undone the
 * deletion. If somebody tries to undo it later, that transaction waits for this one, and then finds that the erasure
 * has begun. Nobody can undo an erasure that has begun. If the process is killed, the next run continues it.
 */
export async function lockForErasure({ db }: TxCtx<TeamCtx>, user: { id: string }): Promise<boolean> {
  const { rows } = await sql`
    update users set deleted_at = ${ERASURE_BEGAN} where id = ${user.id} and ${dueForErasure} returning id`.execute(db);
  return rows.length > 0;
}

/**
 * Deletes a user and the rows that belong to the user in this module. Orders, insurance and events refer to the user,
 * so other modules must delete them before this function runs.
 */
export async function eraseUser({ db }: TxCtx<TeamCtx>, user: { id: string }): Promise<void> {
  await db.deleteFrom('user_tokens').where('user_id', '=', user.id).execute();
  await db.deleteFrom('user_search_hashes').where('user_id', '=', user.id).execute();
  await db.deleteFrom('user_info').where('user_id', '=', user.id).execute();
  await db.deleteFrom('client_user_ids').where('user_id', '=', user.id).execute();
  await db.deleteFrom('users').where('id', '=', user.id).execute();
}

/** Deletes the users of a team. Foreign keys delete the rows that belong to these users. */
export async function eraseTeam({ db }: TxCtx<TeamCtx>, team: { id: string }): Promise<void> {
  await db.deleteFrom('users').where('team_id', '=', team.id).execute();
}

export async function dropExpired({ db }: Ctx): Promise<void> {
  await sql`delete from user_tokens where expires_at < now()`.execute(db);
}
