// Round robin among what waits in a table: first by organisation, then by team. Who was served goes to the end.
import { sql, type RawBuilder } from 'kysely';
import type { Tx } from '../db/open.ts';

export type Queue = 'imports' | 'lab_report_jobs';
type Owner = { org_id: string; team_id: string };

/**
 * Orders rows `waiting` of a queue by whose turn it is, as joined by `joinTurns`. An owner waits since its last turn or since its
 * oldest row came, whichever was later: a new owner goes behind all who wait already, and an owner that always has work gets its
 * next turn after at most one turn of each other.
 */
export const BY_TURN: RawBuilder<unknown> = sql`
  greatest(turn_of_org.last_at, min(waiting.created_at) over (partition by teams.org_id)),
  greatest(turn_of_team.last_at, min(waiting.created_at) over (partition by waiting.team_id)),
  waiting.created_at, waiting.id`;

/** The teams of the rows `waiting`, and when they and their organisations had their last turns. */
export const joinTurns = (queue: Queue): RawBuilder<unknown> => sql`
  join teams on teams.id = waiting.team_id
  left join queue_turns as turn_of_org on turn_of_org.queue = ${queue} and turn_of_org.owner_id = teams.org_id
  left join queue_turns as turn_of_team on turn_of_team.queue = ${queue} and turn_of_team.owner_id = waiting.team_id`;

/** Puts a team and its organisation at the end. Whoever claims from a queue holds its lock, so that turns follow one another. */
export async function takeTurn(db: Tx, queue: Queue, { org_id, team_id }: Owner): Promise<void> {
  await sql`
    insert into queue_turns (queue, owner_id, last_at)
    values (${queue}, ${org_id}, clock_timestamp()), (${queue}, ${team_id}, clock_timestamp())
    on conflict (queue, owner_id) do update set last_at = excluded.last_at`.execute(db);
}
