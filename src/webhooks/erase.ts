import { sql } from 'kysely';
import type { Ctx, TeamCtx, TxCtx } from '../context.ts';
import type { Exports } from '../privacy/export-rows.ts';

/**
 * The webhook tables of an export. Headers are not exported, because they may be credentials of an endpoint. Secrets
 * are not exported either.
 */
export const EXPORTS: Exports = {
  ofTeam: [{ type: 'webhook', table: 'webhooks', key: ['id'], without: ['headers'] }],
};

/** Deletes the endpoints of a team with their secrets and headers. */
export async function eraseTeam({ db }: TxCtx<TeamCtx>, team: { id: string }): Promise<void> {
  await db.deleteFrom('webhooks').where('team_id', '=', team.id).execute();
  await db.deleteFrom('webhook_header_sets').where('team_id', '=', team.id).execute();
}

/**
 * Ends replays whose events were dropped, because otherwise a replay of a disabled endpoint would wait for ever.
 * Deletes replays that ended before the retention period.
 */
async function dropReplays({ db, config }: Ctx): Promise<void> {
  await sql`
    update webhook_replays set status = 'failed', updated_at = now(), ended_at = now()
     where ended_at is null and until < now() - make_interval(days => ${config.retentionDays}::integer + 1)`.execute(
    db,
  );
  await sql`
    delete from webhook_replays
        where ended_at < now() - make_interval(days => ${config.retentionDays}::integer)`.execute(db);
}

/** Deletes old replays, expired secrets, and sets of headers to which no attempt can refer any more. */
export async function dropExpired(ctx: Ctx): Promise<void> {
  await dropReplays(ctx);
  await sql`delete from webhook_secrets where expires_at < now()`.execute(ctx.db);
  // An attempt can be made as long as its event is stored, and its log row is dropped together with the event, up to a
  // day after the retention period. Replaced headers must stay that long.
  await sql`
    delete from webhook_header_sets
     where replaced_at < now() - make_interval(days => ${ctx.config.retentionDays}::integer + 2)`.execute(ctx.db);
}
