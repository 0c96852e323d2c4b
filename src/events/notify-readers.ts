import { sql } from 'kysely';
import type { TeamCtx } from '../context.ts';
import type { Tx } from '../db/open-database.ts';

/**
 * The channel on which processes with waiting readers listen. The payload is the id of the team that has new events.
 */
export const EVENTS_CHANNEL = 'phial_events';

/**
 * When a reader begins to wait, its team is notified of events for this many minutes. Commits with a notification wait
 * for each other, so teams without readers are not notified.
 */
const NOTIFIED_MINUTES = 15;
const RENEWED_AFTER_MS = 5 * 60_000;
const MAX_KNOWN = 10_000;

/** When this process last noted a team (wrote it to `event_readers`), by the id of the team. */
const noted = new Map<string, number>();

/**
 * Notes that a reader of the team waits for events. For NOTIFIED_MINUTES, transactions then notify the team of its
 * events. Does nothing if this process noted the team less than RENEWED_AFTER_MS ago. Returns true if the team was not
 * noted before. In that case, a transaction that is publishing now may not notify the team.
 */
export async function noteReader({ db, team }: TeamCtx): Promise<boolean> {
  if (performance.now() - (noted.get(team.id) ?? -Infinity) < RENEWED_AFTER_MS) return false;
  const { rows } = await sql<{ was_noted: boolean }>`
    with before as (select until from event_readers where team_id = ${team.id})
    insert into event_readers as known (team_id, until)
    values (${team.id}, now() + make_interval(mins => ${NOTIFIED_MINUTES}))
    on conflict (team_id) do update set until = greatest(known.until, excluded.until)
    returning coalesce((select until > now() from before), false) as was_noted`.execute(db);
  if (noted.size >= MAX_KNOWN) noted.clear();
  noted.set(team.id, performance.now());
  return rows[0]?.was_noted !== true;
}

/**
 * Notifies the waiting readers of a team. Call it in the transaction that puts skipped events back into the team's
 * feed.
 */
export async function notifyReaders(db: Tx, teamId: string): Promise<void> {
  await sql`
    select pg_notify(${EVENTS_CHANNEL}, team_id::text) from event_readers
     where team_id = ${teamId} and until > now()`.execute(db);
}
