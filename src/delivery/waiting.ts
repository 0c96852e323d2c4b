import { sql } from 'kysely';
import type { TeamCtx, TxCtx } from '../context.ts';
import { byIndex } from '../db/session/by-index.ts';

/** Endpoints of a team that are looked at for one event. */
const MOST_ENDPOINTS = 1_000;

/**
 * A delivery that is still to be made. `queued`: as soon as its turn comes; `scheduled`: at `next_attempt_at`; `paused`: when
 * its endpoint is enabled; `held`: if the deletion of its user is taken back.
 */
export type Waiting = {
  webhook_id: string;
  event_id: string;
  /** Made so far. */
  attempts: number;
  status: 'queued' | 'scheduled' | 'paused' | 'held';
  /** Null where no time is known, or where it is now. */
  next_attempt_at: string | null;
};

type Pair = Pick<Waiting, 'webhook_id' | 'event_id'>;

/** Those of the deliveries that wait, as it is now: what an attempt was told of its successor may have changed since. */
export async function findWaiting(ctx: TeamCtx | TxCtx<TeamCtx>, pairs: Pair[]): Promise<Waiting[]> {
  if (pairs.length === 0) return [];
  const { db, team } = ctx;
  const query = sql<Waiting>`
    select asked.webhook_id, asked.event_id, coalesce(retry.attempt, held.attempt, 0) as attempts,
           case when held.attempt is not null then 'held'
                when receiver.disabled then 'paused'
                when retry.due_at > now() + interval '1 ms' then 'scheduled' else 'queued' end as status,
           case when not receiver.disabled then retry.due_at end as next_attempt_at
      from (select distinct * from unnest(${pairs.map((p) => p.webhook_id)}::uuid[], ${pairs.map((p) => p.event_id)}::uuid[])
             as asked (webhook_id, event_id)) as asked
     cross join lateral (select disabled from webhooks where id = asked.webhook_id and team_id = ${team.id} limit 1) as receiver
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
       select attempt from held_deliveries
        where held_deliveries.user_id = event.user_id and held_deliveries.webhook_id = asked.webhook_id
          and held_deliveries.event_id between asked.event_id and asked.event_id
        order by held_deliveries.event_id limit 1
      ) as held on true
     where first.waits or retry.attempt is not null or held.attempt is not null
     order by asked.webhook_id, asked.event_id`;
  return (await byIndex(query).execute(db)).rows;
}

/** What of one event still waits, at the team's endpoints in the order they were made. */
export async function findWaitingOfEvent(ctx: TeamCtx, event_id: string): Promise<Waiting[]> {
  const webhooks = await ctx.db
    .selectFrom('webhooks')
    .select('id')
    .where('team_id', '=', ctx.team.id)
    .orderBy('id')
    .limit(MOST_ENDPOINTS)
    .execute();
  return findWaiting(
    ctx,
    webhooks.map(({ id }) => ({ webhook_id: id, event_id })),
  );
}
