import { sql } from 'kysely';
import type { Db } from '../../db/open.ts';
import type { Lane } from '../lanes/lane.ts';

/** How many events a replay is done with, and of what became of them. */
export type Counts = {
  events_found: number;
  events_delivered: number;
  events_failed: number;
  events_skipped: number;
};

/** A replay as the worker that sends it needs it. */
export type Replay = Counts & {
  id: string;
  webhook_id: string;
  team_id: string;
  kind: 'recover' | 'replay';
  since: string;
  until: string;
  event_types: string[] | null;
  /** What the endpoint takes. */
  filter_types: string[] | null;
  per_second: number;
  done_to: string;
  created_at: string;
  /** Everything that was under way when it was taken belongs to transactions before this one. */
  taken_at: string;
};

type Owned = Pick<Lane, 'webhook_id' | 'fence'>;

/** Endpoints behind `after` for which a replay waits or runs, and whether they are enabled. */
export async function receiversWithReplays(
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
 * The oldest replay of the lane that has not ended, which runs from now on; null where there is none, the lane is somebody
 * else's, or somebody locks the replay.
 */
export async function takeReplay(db: Db, lane: Owned): Promise<Replay | null> {
  const { rows } = await sql<Replay>`
    update webhook_replays as replay
       set status = 'running', updated_at = case status when 'queued' then now() else replay.updated_at end
      from (select webhook_id, id from webhook_replays
             where webhook_id = ${lane.webhook_id} and ended_at is null
             order by webhook_id, id limit 1 for update skip locked) as next
      join lanes on lanes.webhook_id = next.webhook_id and lanes.fence = ${lane.fence}
      join webhooks on webhooks.id = next.webhook_id
     where replay.webhook_id = next.webhook_id and replay.id = next.id
    returning replay.id, replay.webhook_id, replay.team_id, kind, since, until, event_types, filter_types, per_second,
              done_to, events_found, events_delivered, events_failed, events_skipped, replay.created_at,
              pg_snapshot_xmax(pg_current_snapshot())::text as taken_at`.execute(db);
  return rows[0] ?? null;
}

/**
 * Whether every transaction has ended that was under way when the replay was taken. An event's id is made before its
 * transaction commits, so until then one may still appear behind the place that was read.
 */
export async function hasSettledDown(db: Db, { taken_at }: Pick<Replay, 'taken_at'>): Promise<boolean> {
  const { rows } = await sql<{ ended: boolean }>`
    select pg_snapshot_xmin(pg_current_snapshot()) >= ${taken_at}::xid8 as ended`.execute(db);
  return rows[0]?.ended ?? false;
}

/**
 * Writes how far a replay came, and that it has ended. The numbers are of the events up to `done_to`, not sums of what
 * was added: whoever goes on from there counts none twice. Answers the status, null where nothing was written since
 * somebody locks the replay, or it or the lane is gone.
 */
export async function saveProgress(
  db: Db,
  lane: Owned,
  replay: Counts & { id: string; done_to: string },
  hasEnded: boolean,
): Promise<string | null> {
  const { rows } = await sql<{ status: string }>`
    update webhook_replays as replay
       set done_to = ${replay.done_to}, events_found = ${replay.events_found}, events_delivered = ${replay.events_delivered},
           events_failed = ${replay.events_failed}, events_skipped = ${replay.events_skipped}, updated_at = now(),
           status = case when status = 'running' and ${hasEnded}::boolean then 'succeeded' else status end,
           ended_at = case when status = 'running' and ${hasEnded}::boolean then now() else ended_at end
      from (select webhook_id, id from webhook_replays
             where webhook_id = ${lane.webhook_id} and id = ${replay.id} for update skip locked) as mine
      join lanes on lanes.webhook_id = mine.webhook_id and lanes.fence = ${lane.fence}
     where replay.webhook_id = mine.webhook_id and replay.id = mine.id
    returning replay.status`.execute(db);
  return rows[0]?.status ?? null;
}
