import { sql } from 'kysely';
import type { Ctx, TeamCtx, TxCtx } from '../context.ts';
import type { Exports } from '../privacy/export-rows.ts';

/**
 * The webhook tables of an export. The export contains no secrets. It contains no headers either, because headers may
 * contain credentials of an endpoint.
 */
export const EXPORTS: Exports = {
  ofTeam: [{ type: 'webhook', table: 'webhooks', key: ['id'], without: ['headers'] }],
};

/** Deletes the endpoints of a team with their secrets, headers and earlier URLs. */
export async function eraseTeam({ db }: TxCtx<TeamCtx>, team: { id: string }): Promise<void> {
  await db.deleteFrom('webhooks').where('team_id', '=', team.id).execute();
  await db.deleteFrom('webhook_urls').where('team_id', '=', team.id).execute();
  await db.deleteFrom('webhook_header_sets').where('team_id', '=', team.id).execute();
}

/**
 * Ends replays whose events were deleted. Otherwise a replay of a disabled endpoint would wait forever. Deletes replays
 * that ended before the retention time.
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

/** Deletes old replays, expired secrets, and sets of headers and URLs to which no stored attempt can refer. */
export async function dropExpired(ctx: Ctx): Promise<void> {
  await dropReplays(ctx);
  await sql`delete from webhook_secrets where expires_at < now()`.execute(ctx.db);
  // A stored attempt may refer to replaced headers and URLs. Retention deletes the attempt together with its event, up
  // to a day after the retention time. So we store them a little longer.
  await sql`
    delete from webhook_header_sets
     where replaced_at < now() - make_interval(days => ${ctx.config.retentionDays}::integer + 2)`.execute(ctx.db);
  await sql`
    delete from webhook_urls
     where replaced_at < now() - make_interval(days => ${ctx.config.retentionDays}::integer + 2)`.execute(ctx.db);
}
