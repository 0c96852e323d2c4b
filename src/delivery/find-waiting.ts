import { sql } from 'kysely';
import type { TeamCtx, TxCtx } from '../context.ts';
import { byIndex } from '../db/session/by-index.ts';

/** The most endpoints of a team in whose queues we search for one event. */
const MAX_ENDPOINTS = 1_000;

/**
 * A delivery that is not finished. Its status shows when the next attempt starts. `queued`: as soon as possible.
 * `scheduled`: at `next_attempt_at`. `paused`: when somebody enables its endpoint. `held`: when somebody undoes the
 * deletion of its user.
 */
export type WaitingDelivery = {
  webhook_id: string;
  event_id: string;
  /** The number of attempts so far. */
  attempts: number;
  status: 'queued' | 'scheduled' | 'paused' | 'held';
  /** Null if the time is not known or the delivery is due now. */
  next_attempt_at: string | null;
};

type Pair = Pick<WaitingDelivery, 'webhook_id' | 'event_id'>;

/**
 * Returns the current state of the given deliveries, without those that are finished. The log of attempts also has the
 * time of the next attempt, but that may be out of date, so we read the queue.
 */
export async function findWaiting(ctx: TeamCtx | TxCtx<TeamCtx>, pairs: Pair[]): Promise<WaitingDelivery[]> {
  if (pairs.length === 0) return [];
  const { db, team } = ctx;
  const query = sql<WaitingDelivery>`
    select asked.webhook_id, asked.event_id, coalesce(retry.attempt, deferred.attempt, 0) as attempts,
           case when deferred.attempt is not null then 'held'
                when endpoint.disabled then 'paused'
                when retry.due_at > now() + interval '1 ms' then 'scheduled' else 'queued' end as status,
           case when not endpoint.disabled then retry.due_at end as next_attempt_at
      from (select distinct * from unnest(${pairs.map((p) => p.webhook_id)}::uuid[],
          ${pairs.map((p) => p.event_id)}::uuid[])
             as asked (webhook_id, event_id)) as asked
     cross join lateral (select disabled from webhooks where id = asked.webhook_id and team_id = ${team.id}
         limit 1) as endpoint
      left join lateral (
       select true as waits from deliveries
        where deliveries.webhook_id = asked.webhook_id and deliveries.event_id = asked.event_id limit 1
      ) as first on true
      left join lateral (
       select attempt, due_at from retries
        where retries.webhook_id = asked.webhook_id and retries.event_id between asked.event_id and asked.event_id
        order by retries.event_id limit 1
      ) as retry on true
      left join lateral (
       select user_id from events where team_id = ${team.id} and id between asked.event_id and asked.event_id
        order by id limit 1
      ) as event on true
      left join lateral (
       select attempt from deferred_deliveries
        where deferred_deliveries.user_id = event.user_id and deferred_deliveries.webhook_id = asked.webhook_id
          and deferred_deliveries.event_id between asked.event_id and asked.event_id
        order by deferred_deliveries.event_id limit 1
      ) as deferred on true
     where first.waits or retry.attempt is not null or deferred.attempt is not null
     order by asked.webhook_id, asked.event_id`;
  return (await byIndex(query).execute(db)).rows;
}

/** Returns the waiting deliveries of one event, in the order in which the endpoints were created. */
export async function findWaitingOfEvent(ctx: TeamCtx, event_id: string): Promise<WaitingDelivery[]> {
  const webhooks = await ctx.db
    .selectFrom('webhooks')
    .select('id')
    .where('team_id', '=', ctx.team.id)
    .orderBy('id')
    .limit(MAX_ENDPOINTS)
    .execute();
  return findWaiting(
    ctx,
    webhooks.map(({ id }) => ({ webhook_id: id, event_id })),
  );
}
