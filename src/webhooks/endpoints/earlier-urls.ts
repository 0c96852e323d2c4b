import { sql } from 'kysely';
import type { TeamCtx, TxCtx } from '../../context.ts';

/** The most earlier URLs that we store for one endpoint, so that old attempts can still show theirs. */
const MAX_STORED_URLS = 100;

/**
 * Stores the URL that an endpoint has now, before it gets another one or is deleted. Attempts refer to it by how often
 * the URL had changed. `dropExpired` deletes it when no stored attempt can refer to it.
 */
export async function storeEarlierUrl({ db, team }: TxCtx<TeamCtx>, webhookId: string): Promise<void> {
  await sql`
    insert into webhook_urls (team_id, webhook_id, url_changes, url)
    select webhooks.team_id, id, url_changes, url
      from webhooks join endpoint_queues on endpoint_queues.webhook_id = id
     where id = ${webhookId} and webhooks.team_id = ${team.id}`.execute(db);
  await sql`
    delete from webhook_urls where team_id = ${team.id} and webhook_id = ${webhookId} and url_changes in (
      select url_changes from webhook_urls where team_id = ${team.id} and webhook_id = ${webhookId}
       order by url_changes desc offset ${MAX_STORED_URLS})`.execute(db);
}

/** Selects the URL that an attempt was sent to, or null if it is not stored. */
export const urlOfAttempt = sql<string | null>`coalesce(
  (select url from webhook_urls
    where webhook_urls.team_id = attempts.team_id and webhook_urls.webhook_id = attempts.webhook_id
      and webhook_urls.url_changes = attempts.url_changes),
  (select url from webhooks join endpoint_queues on endpoint_queues.webhook_id = webhooks.id
    where webhooks.id = attempts.webhook_id and webhooks.team_id = attempts.team_id
      and endpoint_queues.url_changes = attempts.url_changes))`;
