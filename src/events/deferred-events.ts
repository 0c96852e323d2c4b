// Readers of the change feed skip events about a user who is scheduled for deletion. If the deletion is cancelled, they
// get these events later.
import { sql } from 'kysely';
import type { TeamCtx, TxCtx } from '../context.ts';
import type { Tx } from '../db/open-database.ts';
import { byIndex } from '../db/session/by-index.ts';
import { notifyReaders } from './notify-readers.ts';

/**
 * SQL that is true if the user in `users` is scheduled for deletion. Events about such a user are neither sent nor
 * shown.
 */
export const userIsScheduled = sql<boolean>`users.deleted_at is not null`;

export type DeferredEvent = { id: string; user_id: string };

/**
 * Stores the events that a reader skips. If the deletion of one of their users was cancelled meanwhile, stores nothing
 * and returns false: the reader can show the events now. Waits for transactions that are cancelling a deletion or
 * erasing one of the users.
 */
export async function deferEvents({ db, team }: TxCtx<TeamCtx>, events: DeferredEvent[]): Promise<boolean> {
  const users = [...new Set(events.map(({ user_id }) => user_id))];
  const { rows: leaving } = await byIndex(sql`
    select from users where team_id = ${team.id} and id = any (${users}::uuid[]) and ${userIsScheduled}
     order by id for share`).execute(db);
  if (leaving.length < users.length) return false;
  await sql`
    insert into deferred_events (user_id, event_id, team_id)
    select user_id, id, ${team.id}
      from unnest(${events.map(({ user_id }) => user_id)}::uuid[], ${events.map(({ id }) => id)}::uuid[])
          as e (user_id, id)
    on conflict (user_id, event_id) do update set position = null where deferred_events.position is not null`.execute(
    db,
  );
  return true;
}

/**
 * Puts the skipped events of a user at the end of the feed, so that readers get them after all others. Call it in the
 * transaction that cancels the deletion of the user.
 */
export async function showDeferredEvents(tx: Tx, user: { id: string; team_id: string }): Promise<void> {
  const { numAffectedRows = 0n } = await sql`
    update deferred_events set position = event_position() where user_id = ${user.id}`.execute(tx);
  if (numAffectedRows > 0n) await notifyReaders(tx, user.team_id);
}
