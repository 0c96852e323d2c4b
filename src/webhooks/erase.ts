import { sql } from 'kysely';
import type { Ctx, TeamCtx, TxCtx } from '../context.ts';

/** Receivers with their secrets and headers. */
export async function eraseTeam({ db }: TxCtx<TeamCtx>, team: { id: string }): Promise<void> {
  await db.deleteFrom('webhooks').where('team_id', '=', team.id).execute();
}

/** Drops secrets that no longer sign. */
export async function dropExpired(ctx: Ctx): Promise<void> {
  await sql`delete from webhook_secrets where expires_at < now()`.execute(ctx.db);
}
