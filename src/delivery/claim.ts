import { sql } from 'kysely';
import type { Db } from '../db/open.ts';

export type Claimed = {
  webhook_id: string;
  event_id: string;
  team_id: string;
  /** Number of the attempt that follows: 1 is the first. */
  attempt: number;
  /** Only the holder of the newest fence may write what became of the delivery. */
  fence: number;
  url: string;
  headers: Record<string, string>;
  secrets: string[];
  event_type: string;
  body: string;
};

type Request = {
  limit: number;
  /** First attempts, or retries. */
  first: boolean;
  perEndpoint: number;
  /** Attempts this process has under way, by endpoint. */
  inFlight: Map<string, number>;
  leaseSeconds: number;
};

/**
 * Takes due deliveries of enabled endpoints for this process until the lease ends: their next attempt moves behind it,
 * so that after a crash they come due again by themselves. No endpoint gets more than its free slots, and endpoints
 * are visited in random order, so that none waits behind a busy one.
 */
export async function claimDeliveries(db: Db, request: Request): Promise<Claimed[]> {
  const { inFlight, perEndpoint } = request;
  const { rows } = await sql<Claimed>`
    with endpoint as materialized (
      select webhooks.id, ${perEndpoint}::integer - coalesce(busy.count, 0) as slots
        from webhooks
        left join unnest(${[...inFlight.keys()]}::uuid[], ${[...inFlight.values()]}::integer[]) as busy (id, count) using (id)
       where not webhooks.disabled and coalesce(busy.count, 0) < ${perEndpoint}::integer
       order by random()
    ), due as (
      select mine.webhook_id, mine.event_id
        from endpoint cross join lateral (
          select webhook_id, event_id from deliveries
           where webhook_id = endpoint.id and (attempt = 0) = ${request.first}::boolean and next_attempt_at <= now()
           order by next_attempt_at limit endpoint.slots for update skip locked
        ) as mine
       limit ${request.limit}
    ), claimed as (
      update deliveries set fence = fence + 1, next_attempt_at = now() + make_interval(secs => ${request.leaseSeconds})
        from due
       where deliveries.webhook_id = due.webhook_id and deliveries.event_id = due.event_id
      returning deliveries.webhook_id, deliveries.event_id, deliveries.team_id, attempt + 1 as attempt, fence
    )
    select claimed.*, webhooks.url, webhooks.headers, events.event_type, events.body,
           (select array_agg(secret order by webhook_secrets.id desc) from webhook_secrets
             where webhook_secrets.webhook_id = claimed.webhook_id and (expires_at is null or expires_at > now())) as secrets
      from claimed
      join webhooks on webhooks.id = claimed.webhook_id
      join events on events.team_id = claimed.team_id and events.id = claimed.event_id`.execute(db);
  return rows;
}
