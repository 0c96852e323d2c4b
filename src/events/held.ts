// What tells of a user who is scheduled for deletion is not shown; a reader that passes it by is told of it once that is
// taken back.
import { sql } from 'kysely';
import type { TeamCtx, TxCtx } from '../context.ts';
import type { Tx } from '../db/open.ts';
import { byIndex } from '../db/session/by-index.ts';
import { tellReaders } from './notify-readers.ts';

/** Of the user in `users` whom an event tells of: scheduled for deletion. Nothing that tells of them is sent or shown. */
export const userLeaves = sql<boolean>`users.deleted_at is not null`;

export type Held = { id: string; user_id: string };

/**
 * Notes events that a reader passes by. False, and nothing is noted, where one of their users is leaving no longer: that
 * event can be shown. Waits for whoever takes a deletion back at this moment, or erases.
 */
export async function holdEvents({ db, team }: TxCtx<TeamCtx>, events: Held[]): Promise<boolean> {
  const users = [...new Set(events.map(({ user_id }) => user_id))];
  const { rows: leaving } = await byIndex(sql`
    select from users where team_id = ${team.id} and id = any (${users}::uuid[]) and ${userLeaves}
     order by id for share`).execute(db);
  if (leaving.length < users.length) return false;
  await sql`
    insert into held_events (user_id, event_id, team_id)
    select user_id, id, ${team.id}
      from unnest(${events.map(({ user_id }) => user_id)}::uuid[], ${events.map(({ id }) => id)}::uuid[]) as e (user_id, id)
    on conflict (user_id, event_id) do update set position = null where held_events.position is not null`.execute(db);
  return true;
}

/** In the transaction that takes a deletion back: what readers passed by comes again, behind all that is there. */
export async function showHeldEvents(tx: Tx, user: { id: string; team_id: string }): Promise<void> {
  const { numAffectedRows = 0n } = await sql`
    update held_events set position = event_position() where user_id = ${user.id}`.execute(tx);
  if (numAffectedRows > 0n) await tellReaders(tx, user.team_id);
}
