import { sql } from 'kysely';
import type { Tx } from '../../db/open.ts';

/** What a replay sent, or was about to: `attempt` is the one it is about, which is counted only with its outcome. */
export type Replayed = { webhook_id: string; event_id: string; team_id: string; fence: number; attempt: number };

/**
 * Gives deliveries of replays, which have no row, one among the retries, in the transaction that takes it from there: what
 * becomes of them is then written as of any other. One that waits by itself has its row already; an event that is gone gets
 * none, nor does a lane whose fence has risen.
 *
 * The row is also what an erasure finds of a delivery under way. Here there is none, so the two exclude each other by an
 * advisory lock of the team, which is taken before anything is looked at. Nothing waits for it here: answered are the
 * deliveries of teams in which something is being erased.
 */
export async function queueReplayed<R extends Replayed>(tx: Tx, replayed: R[]): Promise<R[]> {
  if (replayed.length === 0) return [];
  const { rows } = await sql<{ id: string }>`
    select id from unnest(${[...new Set(replayed.map(({ team_id }) => team_id))]}::uuid[]) as team (id)
     where pg_try_advisory_xact_lock_shared(hashtextextended('replayed ' || id, 0))`.execute(tx);
  const free = new Set(rows.map(({ id }) => id));
  const queued = replayed.filter(({ team_id }) => free.has(team_id));
  await sql`
    insert into retries (webhook_id, event_id, team_id, attempt, due_at, schedule_from, trigger)
    select replayed.webhook_id, replayed.event_id, lanes.team_id, replayed.attempt - 1, now(), replayed.attempt - 1, 'replay'
      from unnest(${queued.map((r) => r.webhook_id)}::uuid[], ${queued.map((r) => r.event_id)}::uuid[],
                  ${queued.map((r) => r.fence)}::integer[], ${queued.map((r) => r.attempt)}::smallint[])
           as replayed (webhook_id, event_id, fence, attempt)
      join lanes on lanes.webhook_id = replayed.webhook_id and lanes.fence = replayed.fence
     where (select true from events
             where events.team_id = lanes.team_id and events.id between replayed.event_id and replayed.event_id
             order by events.id limit 1)
       and (select true from deliveries
             where deliveries.webhook_id = replayed.webhook_id and deliveries.event_id = replayed.event_id limit 1) is null
       and (select true from retries
             where retries.webhook_id = replayed.webhook_id and retries.event_id between replayed.event_id and replayed.event_id
             order by retries.event_id limit 1) is null
     order by 1, 2
    on conflict do nothing`.execute(tx);
  return replayed.filter(({ team_id }) => !free.has(team_id));
}

/** To be called before events of a team are erased: outcomes of its replays are written before it, or not at all. */
export async function holdOffReplayed(tx: Tx, team: { id: string }): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`replayed ${team.id}`}, 0))`.execute(tx);
}
