import { sql } from 'kysely';
import type { Ctx, TeamCtx, TxCtx } from '../../context.ts';
import type { Exports } from '../../privacy/export-rows.ts';

export const EXPORTS: Exports = {
  ofTeam: [
    { type: 'bulk_op', table: 'bulk_ops', key: ['id'] },
    { type: 'scope_requirement', table: 'scope_requirements', key: ['provider'] },
  ],
};

/** The number of days for which GET /v2/link/bulk_op returns an entry. */
const BULK_OP_DAYS = 30;
/** The tables with short-lived rows, which a user needs only while connecting a provider. */
const OF_USERS = ['link_tokens', 'link_codes', 'oauth_states'] as const;

export async function eraseUser({ db, team }: TxCtx<TeamCtx>, user: { id: string }): Promise<void> {
  for (const table of OF_USERS)
    await db.deleteFrom(table).where('user_id', '=', user.id).where('team_id', '=', team.id).execute();
}

/**
 * Erases the scope requirements and bulk operations of a team. The erasure of the team's users has erased their rows
 * before.
 */
export async function eraseTeam({ db }: TxCtx<TeamCtx>, team: { id: string }): Promise<void> {
  await db.deleteFrom('scope_requirements').where('team_id', '=', team.id).execute();
  await db.deleteFrom('bulk_ops').where('team_id', '=', team.id).execute();
}

export async function dropExpired({ db }: Ctx): Promise<void> {
  await sql`delete from bulk_ops where started_at < now() - make_interval(days => ${BULK_OP_DAYS})`.execute(db);
  for (const table of OF_USERS) await sql`delete from ${sql.table(table)} where expires_at < now()`.execute(db);
}
