import { sql } from 'kysely';
import type { Ctx, TeamCtx, TxCtx } from '../../context.ts';
import { INBOX_RETENTION_DAYS } from '../providers/notification-reader.ts';

export async function eraseUser({ db, team }: TxCtx<TeamCtx>, user: { id: string }): Promise<void> {
  await db.deleteFrom('inbox').where('user_id', '=', user.id).where('team_id', '=', team.id).execute();
}

export async function dropExpired({ db }: Ctx): Promise<void> {
  await sql`delete from inbox where received_at < now() - make_interval(days => ${INBOX_RETENTION_DAYS})`.execute(db);
}
