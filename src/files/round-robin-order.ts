// Round robin for rows that wait in a table, by organisation and then by team. An owner that was served goes to the
// end.
import { sql, type RawBuilder } from 'kysely';
import type { Tx } from '../db/open-database.ts';

export type Queue = 'imports' | 'lab_report_jobs';
type Owner = { org_id: string; team_id: string };

/**
 * An `order by` clause for the rows `waiting` of a queue that `joinLastServed` joined. An owner has waited since it was
 * last served, or since its oldest row arrived, whichever is later. So a new owner comes after all owners that already
 * wait. Between two times that an owner is served, each other owner is served at most once.
 */
export const BY_ROUND_ROBIN: RawBuilder<unknown> = sql`
  greatest(round_of_org.last_at, min(waiting.created_at) over (partition by teams.org_id)),
  greatest(round_of_team.last_at, min(waiting.created_at) over (partition by waiting.team_id)),
  waiting.created_at, waiting.id`;

/**
 * Joins two things to the rows `waiting`: their teams, and the times when the teams and their organisations were last
 * served.
 */
export const joinLastServed = (queue: Queue): RawBuilder<unknown> => sql`
  join teams on teams.id = waiting.team_id
  left join queue_last_served as round_of_org on round_of_org.queue = ${queue} and round_of_org.owner_id = teams.org_id
  left join queue_last_served as round_of_team
    on round_of_team.queue = ${queue} and round_of_team.owner_id = waiting.team_id`;

/**
 * Moves a team and its organisation to the end. The caller must hold the lock of the queue, so that later calls store
 * later times.
 */
export async function moveToEnd(db: Tx, queue: Queue, { org_id, team_id }: Owner): Promise<void> {
  await sql`
    insert into queue_last_served (queue, owner_id, last_at)
    values (${queue}, ${org_id}, clock_timestamp()), (${queue}, ${team_id}, clock_timestamp())
    on conflict (queue, owner_id) do update set last_at = excluded.last_at`.execute(db);
}
