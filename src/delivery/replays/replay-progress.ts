import { sql } from 'kysely';
import type { Db } from '../../db/open-database.ts';
import type { EndpointQueue } from '../queues/endpoint-queue.ts';

/** The number of events that a replay has finished, and their results. */
export type Counts = {
  events_found: number;
  events_delivered: number;
  events_failed: number;
  events_skipped: number;
};

/** The values of a replay that its worker needs. */
export type Replay = Counts & {
  id: string;
  webhook_id: string;
  team_id: string;
  kind: 'recover' | 'replay';
  since: string;
  until: string;
  event_types: string[] | null;
  /** The filters of the endpoint. */
  filter_types: string[] | null;
  per_second: number;
  done_to: string;
  created_at: string;
  /**
   * A PostgreSQL transaction id. Every transaction that was under way when the worker took the replay has a smaller id.
   * With this id we see when they have all ended.
   */
  taken_at: string;
};

type Owned = Pick<EndpointQueue, 'webhook_id' | 'fence'>;

/**
 * Returns endpoints that have a waiting or running replay, with their `disabled` state. Their ids are greater than
 * `after`.
 */
export async function findEndpointsWithReplays(
  db: Db,
  after: string,
  most: number,
): Promise<{ webhook_id: string; disabled: boolean }[]> {
  const { rows } = await sql<{ webhook_id: string; disabled: boolean }>`
    select open.webhook_id, webhooks.disabled
      from (select distinct webhook_id from webhook_replays
             where ended_at is null and webhook_id > ${after} order by webhook_id limit ${most}) as open
      join webhooks on webhooks.id = open.webhook_id
     order by open.webhook_id`.execute(db);
  return rows;
}

/**
 * Takes the oldest replay of the queue that has not ended, and sets its status to running. Returns null if there is
 * none, if another worker owns the queue, or if another transaction locks the replay.
 */
export async function takeReplay(db: Db, queue: Owned): Promise<Replay | null> {
  const { rows } = await sql<Replay>`
    update webhook_replays as replay
       set status = 'running', updated_at = case status when 'queued' then now() else replay.updated_at end
      from (select webhook_id, id from webhook_replays
             where webhook_id = ${queue.webhook_id} and ended_at is null
             order by webhook_id, id limit 1 for update skip locked) as next
      join endpoint_queues on endpoint_queues.webhook_id = next.webhook_id and endpoint_queues.fence = ${queue.fence}
      join webhooks on webhooks.id = next.webhook_id
     where replay.webhook_id = next.webhook_id and replay.id = next.id
    returning replay.id, replay.webhook_id, replay.team_id, kind, since, until, event_types, filter_types, per_second,
              done_to, events_found, events_delivered, events_failed, events_skipped, replay.created_at,
              pg_snapshot_xmax(pg_current_snapshot())::text as taken_at`.execute(db);
  return rows[0] ?? null;
}

/**
 * Returns true if every transaction that was under way when the worker took the replay has ended. An event gets its id
 * before its transaction commits. As long as such a transaction runs, an event may still appear whose id is smaller
 * than the last id that we read.
 */
export async function hasNoEarlierTransactions(db: Db, { taken_at }: Pick<Replay, 'taken_at'>): Promise<boolean> {
  const { rows } = await sql<{ ended: boolean }>`
    select pg_snapshot_xmin(pg_current_snapshot()) >= ${taken_at}::xid8 as ended`.execute(db);
  return rows[0]?.ended ?? false;
}

/**
 * Saves the progress of a replay, and its end if `hasEnded` is true. The counts are totals of the events up to
 * `done_to`. So a worker that continues from there counts no event twice. Returns the status of the replay. Returns
 * null if it wrote nothing, because another transaction locks the replay, or because the replay or the queue is gone.
 */
export async function saveProgress(
  db: Db,
  queue: Owned,
  replay: Counts & { id: string; done_to: string },
  hasEnded: boolean,
): Promise<string | null> {
  const { rows } = await sql<{ status: string }>`
    update webhook_replays as replay
       set done_to = ${replay.done_to}, events_found = ${replay.events_found},
           events_delivered = ${replay.events_delivered},
           events_failed = ${replay.events_failed}, events_skipped = ${replay.events_skipped}, updated_at = now(),
           status = case when status = 'running' and ${hasEnded}::boolean then 'succeeded' else status end,
           ended_at = case when status = 'running' and ${hasEnded}::boolean then now() else ended_at end
      from (select webhook_id, id from webhook_replays
             where webhook_id = ${queue.webhook_id} and id = ${replay.id} for update skip locked) as mine
      join endpoint_queues on endpoint_queues.webhook_id = mine.webhook_id and endpoint_queues.fence = ${queue.fence}
     where replay.webhook_id = mine.webhook_id and replay.id = mine.id
    returning replay.status`.execute(db);
  return rows[0]?.status ?? null;
}
