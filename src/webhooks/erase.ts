import { sql } from 'kysely';
import type { Ctx, TeamCtx, TxCtx } from '../context.ts';
import type { Exports } from '../privacy/export-rows.ts';

/** Headers may hold what opens a receiver: they are never shown, and neither are secrets. */
export const EXPORTS: Exports = {
  ofTeam: [{ type: 'webhook', table: 'webhooks', key: ['id'], without: ['headers'] }],
};

/** Receivers with their secrets and headers. */
export async function eraseTeam({ db }: TxCtx<TeamCtx>, team: { id: string }): Promise<void> {
  await db.deleteFrom('webhooks').where('team_id', '=', team.id).execute();
  await db.deleteFrom('webhook_header_sets').where('team_id', '=', team.id).execute();
}

/**
 * Ends replays whose events are gone, so that nobody waits for one of an endpoint that stays disabled, and drops those that
 * ended as long ago.
 */
async function dropReplays({ db, config }: Ctx): Promise<void> {
  await sql`
    update webhook_replays set status = 'failed', updated_at = now(), ended_at = now()
     where ended_at is null and until < now() - make_interval(days => ${config.retentionDays}::integer + 1)`.execute(
    db,
  );
  await sql`
    delete from webhook_replays where ended_at < now() - make_interval(days => ${config.retentionDays}::integer)`.execute(
    db,
  );
}

/** Drops replays that are over, secrets that no longer sign, and headers that no attempt tells of any more. */
export async function dropExpired(ctx: Ctx): Promise<void> {
  await dropReplays(ctx);
  await sql`delete from webhook_secrets where expires_at < now()`.execute(ctx.db);
  // An attempt may be made as long as its event is kept, and is dropped with it, up to a day later.
  await sql`
    delete from webhook_header_sets
     where replaced_at < now() - make_interval(days => ${ctx.config.retentionDays}::integer + 2)`.execute(ctx.db);
}
